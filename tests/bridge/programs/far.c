/* SPDX-License-Identifier: Apache-2.0 */
/* More records than a file's header can count:   far FILE FORMAT
 * What PnetCDF says of a put there, of the one before it, and of what is called afterwards. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

#include "codes.h"

#define SHOW(call)                \
  do {                            \
    print_codes(#call, 64, call); \
    if (rank == 0) printf("\n");  \
  } while (0)
#define AT(record) ((MPI_Offset[]){record})

static const MPI_Offset last = 2147483646; /* with it there are as many records as an int can count */

int main(int argc, char** argv) {
  int rank, file, time, var;
  short value = 7;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) return 2;
  SHOW(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | (atoi(argv[2]) == 2 ? NC_64BIT_OFFSET : 0), MPI_INFO_NULL,
                    &file));
  SHOW(ncmpi_def_dim(file, "time", NC_UNLIMITED, &time));
  SHOW(ncmpi_def_var(file, "value", NC_SHORT, 1, &time, &var));
  SHOW(ncmpi_enddef(file));
  SHOW(ncmpi_put_var1_short_all(file, var, AT(0), &value));
  SHOW(ncmpi_put_var1_short_all(file, var, AT(last), &value));
  SHOW(ncmpi_put_var1_short_all(file, var, AT(last + 1), &value));
  SHOW(ncmpi_get_var1_short_all(file, var, AT(0), &value));
  SHOW(ncmpi_put_var1_short_all(file, var, AT(1), &value));
  SHOW(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
