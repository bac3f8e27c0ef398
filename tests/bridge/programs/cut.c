/* SPDX-License-Identifier: Apache-2.0 */
/* Ends in the middle, without a word to MPI or PnetCDF: a file of two fixed variables and two with records is
 *
 *   cut FILE defined   defined
 *   cut FILE put       and the first fixed variable is put
 *   cut FILE counted   and so is record 0 of the first one with records; then all of it is synced
 *   cut FILE added     the same, then two records and a fixed variable are defined anew, behind what was there */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

enum { NX = 1000 };

static int rank, ranks;

static void end_where(const char* here, const char* wanted) {
  if (strcmp(here, wanted) != 0) return;
  MPI_Barrier(MPI_COMM_WORLD);
  _exit(0);
}

static void put(int file, int var, int ndims, const char* which) {
  static double values[NX];
  for (int i = 0; i < NX; ++i) values[i] = rank + 1;
  const MPI_Offset start[] = {0, NX * rank}, count[] = {1, NX};
  check(ncmpi_put_vara_double_all(file, var, start + 2 - ndims, count + 2 - ndims, values), which);
}

int main(int argc, char** argv) {
  int file, dims[2], fixed[3], records[2];
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  CHECK(ncmpi_def_dim(file, "x", (MPI_Offset)NX * ranks, &dims[1]));
  CHECK(ncmpi_def_var(file, "a", NC_DOUBLE, 1, &dims[1], &fixed[0]));
  CHECK(ncmpi_def_var(file, "b", NC_DOUBLE, 1, &dims[1], &fixed[1]));
  CHECK(ncmpi_def_var(file, "r", NC_DOUBLE, 2, dims, &records[0]));
  CHECK(ncmpi_def_var(file, "s", NC_DOUBLE, 2, dims, &records[1]));
  CHECK(ncmpi_enddef(file));
  end_where("defined", argv[2]);
  put(file, fixed[0], 1, "a");
  end_where("put", argv[2]);
  put(file, records[0], 2, "r");
  CHECK(ncmpi_sync(file));
  end_where("counted", argv[2]);
  CHECK(ncmpi_redef(file));
  CHECK(ncmpi_def_var(file, "c", NC_DOUBLE, 1, &dims[1], &fixed[2]));
  CHECK(ncmpi_enddef(file));
  end_where("added", argv[2]);
  return 2;
}
