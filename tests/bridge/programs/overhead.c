/* SPDX-License-Identifier: Apache-2.0 */
/* What a call costs that a bridge passes through: nanoseconds a call, of an inquiry and of puts in independent mode,
 * and of a collective put of 4 KiB. Run it with a bridge and without; the difference is the bridge's.
 *
 *   overhead FILE */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

#include "../check.h"

enum { CALLS = 200000, PUTS = 2000, NX = 1024 };

static int rank;

static void report(const char* what, double began, int calls) {
  if (rank == 0) printf("%-34s %10.1f ns\n", what, (MPI_Wtime() - began) / calls * 1e9);
}

int main(int argc, char** argv) {
  int file, dims[2], var, ranks;
  MPI_Offset length;
  float values[NX] = {0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) {
    if (rank == 0) fprintf(stderr, "overhead FILE: the file that it may make and remove\n");
    MPI_Finalize();
    return 2;
  }
  CHECK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  CHECK(ncmpi_def_dim(file, "x", (MPI_Offset)NX * ranks, &dims[1]));
  CHECK(ncmpi_def_var(file, "v", NC_FLOAT, 2, dims, &var));
  CHECK(ncmpi_enddef(file));
  const MPI_Offset here[] = {0, (MPI_Offset)NX * rank}, count[] = {1, NX};
  CHECK(ncmpi_put_vara_float_all(file, var, here, count, values));

  double began = MPI_Wtime();
  for (int i = 0; i < CALLS; ++i) CHECK(ncmpi_inq_dimlen(file, dims[0], &length));
  report("ncmpi_inq_dimlen", began, CALLS);

  MPI_Barrier(MPI_COMM_WORLD);
  began = MPI_Wtime();
  for (int i = 0; i < PUTS; ++i) {
    const MPI_Offset start[] = {i, (MPI_Offset)NX * rank};
    CHECK(ncmpi_put_vara_float_all(file, var, start, count, values));
  }
  report("ncmpi_put_vara_float_all", began, PUTS);

  CHECK(ncmpi_begin_indep_data(file));
  began = MPI_Wtime();
  for (int i = 0; i < CALLS; ++i) CHECK(ncmpi_put_vara_float(file, var, here, (MPI_Offset[]){0, 0}, values));
  report("ncmpi_put_vara_float of nothing", began, CALLS);
  CHECK(ncmpi_end_indep_data(file));
  CHECK(ncmpi_close(file));
  if (rank == 0) CHECK(ncmpi_delete(argv[1], MPI_INFO_NULL));
  MPI_Finalize();
  return 0;
}
