/* SPDX-License-Identifier: Apache-2.0 */
/* What a file costs an unchanged PnetCDF program: 20 files of one variable, 400 KB of each rank, in FOLDER; on one
 * communicator (one), on a new one for each file (new), or on a new one that is freed behind its file (freed). Prints
 * the milliseconds of the first file and the mean of the others. Usage: communicator_cost FOLDER one|new|freed */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { files = 20, elements = 100000, name_length = 4096 };

static void check(int code) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "communicator_cost: %s\n", ncmpi_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void write_file(MPI_Comm comm, const char* path, const float* values) {
  int rank, ranks, file, dim, var;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const MPI_Offset start = (MPI_Offset)rank * elements, count = elements;
  check(ncmpi_create(comm, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  check(ncmpi_def_dim(file, "x", (MPI_Offset)ranks * elements, &dim));
  check(ncmpi_def_var(file, "v", NC_FLOAT, 1, &dim, &var));
  check(ncmpi_enddef(file));
  check(ncmpi_put_vara_float_all(file, var, &start, &count, values));
  check(ncmpi_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) return 2;
  float* const values = calloc(elements, sizeof *values);
  if (values == NULL) return 2;
  double first = 0, others = 0;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < files; ++i) {
    char path[name_length];
    MPI_Comm comm = MPI_COMM_WORLD;
    snprintf(path, sizeof path, "%s/file%d.nc", argv[1], i);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (strcmp(argv[2], "one") != 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    write_file(comm, path, values);
    if (strcmp(argv[2], "freed") == 0) MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
    *(i == 0 ? &first : &others) += MPI_Wtime() - begin;
  }
  if (rank == 0) printf("%s: %.1f and %.1f ms\n", argv[2], 1e3 * first, 1e3 * others / (files - 1));
  free(values);
  MPI_Finalize();
  return 0;
}
