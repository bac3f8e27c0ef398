/* SPDX-License-Identifier: Apache-2.0 */
/* Says which calls of netCDF wait for the storage, on any rank: a bridge is to wait where netCDF does.
 *
 *   syncs FILE        a file of nc_create
 *   syncs FILE par    of nc_create_par */
#define _GNU_SOURCE
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>

#include "../stores.h"

enum { NX = 1000 };

static int rank;

int main(int argc, char** argv) {
  int file, dim, var;
  static float values[NX];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2) {
    CHECK_STORES(nc_create_par(argv[1], NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  } else {
    CHECK_STORES(nc_create(argv[1], NC_CLOBBER, &file));
  }
  CHECK_STORES(nc_def_dim(file, "x", NX, &dim));
  CHECK_STORES(nc_def_var(file, "v", NC_FLOAT, 1, &dim, &var));
  CHECK_STORES(nc_enddef(file));
  if (argc > 2) CHECK_STORES(nc_var_par_access(file, var, NC_COLLECTIVE));
  CHECK_STORES(nc_put_var_float(file, var, values));
  CHECK_STORES(nc_sync(file));
  CHECK_STORES(nc_put_var_float(file, var, values));
  CHECK_STORES(nc_close(file));
  MPI_Finalize();
  return 0;
}
