/* SPDX-License-Identifier: Apache-2.0 */
/* A variable of 100 MB of which one element is put, and all others have to be filled:   large FILE
 * nc_create on every rank. */
#include <mpi.h>
#include <netcdf.h>
#include <stdio.h>

#include "../check.h"

int main(int argc, char** argv) {
  int file, dims[2], var;
  const int value = 42;
  MPI_Init(&argc, &argv);
  if (argc != 2) return 2;
  CHECK(nc_create(argv[1], NC_CLOBBER, &file));
  CHECK(nc_def_dim(file, "y", 1024, dims));
  CHECK(nc_def_dim(file, "x", 49153, dims + 1));
  CHECK(nc_def_var(file, "value", NC_SHORT, 2, dims, &var));
  CHECK(nc_enddef(file));
  CHECK(nc_put_var1_int(file, var, (size_t[]){1, 5}, &value));
  CHECK(nc_close(file));
  MPI_Finalize();
  return 0;
}
