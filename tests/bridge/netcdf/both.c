/* SPDX-License-Identifier: Apache-2.0 */
/* A program that calls PnetCDF by itself beside netCDF: the same values into a file of each.
 *
 *   both PNETCDF_FILE NETCDF_FILE */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <pnetcdf.h>
#include <stdio.h>

#include "../check.h"

enum { NX = 100 };

static int rank, ranks;

static void by_pnetcdf(const char* path, const float* values) {
  int file, dim, var;
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "x", (MPI_Offset)NX * ranks, &dim));
  CHECK(ncmpi_def_var(file, "v", NC_FLOAT, 1, &dim, &var));
  CHECK(ncmpi__enddef(file, 0, 1, 0, 1));
  CHECK(ncmpi_put_vara_float_all(file, var, (MPI_Offset[]){(MPI_Offset)NX * rank}, (MPI_Offset[]){NX}, values));
  CHECK(ncmpi_close(file));
}

static void by_netcdf(const char* path, const float* values) {
  int file, dim, var;
  CHECK(nc_create_par(path, NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_def_dim(file, "x", (size_t)NX * (size_t)ranks, &dim));
  CHECK(nc_def_var(file, "v", NC_FLOAT, 1, &dim, &var));
  CHECK(nc_enddef(file));
  CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
  CHECK(nc_put_vara_float(file, var, (size_t[]){(size_t)NX * (size_t)rank}, (size_t[]){NX}, values));
  CHECK(nc_close(file));
}

int main(int argc, char** argv) {
  float values[NX];
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < NX; ++i) values[i] = (float)(NX * rank + i);
  by_pnetcdf(argv[1], values);
  by_netcdf(argv[2], values);
  MPI_Finalize();
  return 0;
}
