/* SPDX-License-Identifier: Apache-2.0 */
/* Says which calls of PnetCDF wait for the storage, on any rank: a bridge is to wait where PnetCDF does.
 *
 *   syncs FILE [share]   share: the file is made with NC_SHARE */
#define _GNU_SOURCE
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>

#include "../stores.h"

enum { NX = 1000 };

static int rank, ranks;

int main(int argc, char** argv) {
  int file, dims[2], fixed, records, request;
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int shared = argc > 2 && strcmp(argv[2], "share") == 0 ? NC_SHARE : 0;
  float values[NX];
  for (int i = 0; i < NX; ++i) values[i] = (float)rank;
  const MPI_Offset start[] = {0, NX * rank}, next[] = {1, NX * rank}, count[] = {1, NX};
  CHECK_STORES(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | shared, MPI_INFO_NULL, &file));
  CHECK_STORES(ncmpi_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  CHECK_STORES(ncmpi_def_dim(file, "x", (MPI_Offset)NX * ranks, &dims[1]));
  CHECK_STORES(ncmpi_def_var(file, "f", NC_FLOAT, 1, &dims[1], &fixed));
  CHECK_STORES(ncmpi_def_var(file, "r", NC_FLOAT, 2, dims, &records));
  CHECK_STORES(ncmpi_enddef(file));
  CHECK_STORES(ncmpi_put_vara_float_all(file, fixed, start + 1, count + 1, values));
  CHECK_STORES(ncmpi_put_vara_float_all(file, records, start, count, values));
  CHECK_STORES(ncmpi_sync(file));
  CHECK_STORES(ncmpi_iput_vara_float(file, records, next, count, values, &request));
  CHECK_STORES(ncmpi_wait_all(file, 1, &request, NULL));
  CHECK_STORES(ncmpi_flush(file));
  CHECK_STORES(ncmpi_rename_var(file, fixed, "g"));
  CHECK_STORES(ncmpi_sync(file));
  CHECK_STORES(ncmpi_put_vara_float_all(file, fixed, start + 1, count + 1, values));
  CHECK_STORES(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
