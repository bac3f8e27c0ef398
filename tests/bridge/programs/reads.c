/* SPDX-License-Identifier: Apache-2.0 */
/* Collective gets from a file that is opened to read: other parts than were put, with halos, in other types, lists,
 * strides, transposed memory, ranks that want nothing, values that do not fit, calls that are wrong on one rank.
 *
 *   reads FILE ROWS    Rank 0 prints sums of what every rank got, and the codes. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { NX = 1000, RECORDS = 3 };

static int rank, ranks, file, rows, field, whole, small;
static long long ny;

static void write_file(const char* path) {
  int t, y, x;
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "time", NC_UNLIMITED, &t));
  CHECK(ncmpi_def_dim(file, "y", ny, &y));
  CHECK(ncmpi_def_dim(file, "x", NX, &x));
  CHECK(ncmpi_def_var(file, "field", NC_FLOAT, 3, (int[]){t, y, x}, &field));
  CHECK(ncmpi_def_var(file, "whole", NC_INT, 2, (int[]){y, x}, &whole));
  CHECK(ncmpi_def_var(file, "small", NC_SHORT, 1, &x, &small));
  CHECK(ncmpi_enddef(file));
  const MPI_Offset start[] = {0, (MPI_Offset)rows * rank, 0}, count[] = {RECORDS, rows, NX};
  float* values = malloc(sizeof(float) * RECORDS * (size_t)rows * NX);
  for (int i = 0; i < RECORDS * rows * NX; ++i) values[i] = (float)(i % 977 + 1000 * rank);
  CHECK(ncmpi_put_vara_float_all(file, field, start, count, values));
  for (int i = 0; i < rows * NX; ++i) ((int*)values)[i] = i % 613 * (rank == 1 && i == 70 ? 1000000 : 1);
  CHECK(ncmpi_put_vara_int_all(file, whole, start + 1, count + 1, (int*)values));
  for (int i = 0; i < NX; ++i) ((short*)values)[i] = (short)i;
  CHECK(ncmpi_put_var_short_all(file, small, (short*)values));
  free(values);
  CHECK(ncmpi_close(file));
}

/* What all ranks got, by their numbers, and the code. */
static void tell(const char* what, int code, const void* values, size_t bytes) {
  unsigned long long sum = 7, *all = malloc(sizeof sum * (size_t)ranks);
  int* codes = malloc(sizeof(int) * (size_t)ranks);
  for (size_t i = 0; i < bytes; i += sizeof(unsigned)) {
    unsigned word = 0;
    memcpy(&word, (const char*)values + i, bytes - i < sizeof word ? bytes - i : sizeof word);
    sum = (sum ^ word) * 1099511628211ULL;
  }
  MPI_Gather(&sum, 1, MPI_UNSIGNED_LONG_LONG, all, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  MPI_Gather(&code, 1, MPI_INT, codes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < ranks; ++r)
    printf("%s, rank %d: %s %016llx\n", what, r, ncmpi_strerrno(codes[r]), all[r]);
  free(all);
  free(codes);
}

static void read_file(void) {
  const size_t room = sizeof(double) * RECORDS * (size_t)(ny + 2) * NX;
  void* values = calloc(1, room);
  /* By columns, in another type. */
  const MPI_Offset from = (MPI_Offset)NX * rank / ranks, to = (MPI_Offset)NX * (rank + 1) / ranks;
  int code = ncmpi_get_vara_double_all(file, field, (MPI_Offset[]){0, 0, from}, (MPI_Offset[]){RECORDS, ny, to - from},
                                       values);
  tell("columns", code, values, sizeof(double) * RECORDS * (size_t)ny * (size_t)(to - from));
  /* Rows with a halo of one. */
  const MPI_Offset first = rank == 0 ? 0 : (MPI_Offset)rows * rank - 1;
  const MPI_Offset last = rank == ranks - 1 ? ny : (MPI_Offset)rows * (rank + 1) + 1;
  code =
      ncmpi_get_vara_float_all(file, field, (MPI_Offset[]){1, first, 0}, (MPI_Offset[]){2, last - first, NX}, values);
  tell("halos", code, values, sizeof(float) * 2 * (size_t)(last - first) * NX);
  code = ncmpi_get_vara_all(file, field, (MPI_Offset[]){0, first, 0}, (MPI_Offset[]){1, last - first, NX}, values,
                            (last - first) * NX, MPI_FLOAT);
  tell("one record", code, values, sizeof(float) * (size_t)(last - first) * NX);
  /* All ranks all of it; one rank nothing; lists. */
  code = ncmpi_get_var_int_all(file, whole, values);
  tell("the whole", code, values, sizeof(int) * (size_t)ny * NX);
  code = ncmpi_get_vara_int_all(file, whole, (MPI_Offset[]){0, 0}, (MPI_Offset[]){rank == 0 ? 0 : ny, NX}, values);
  tell("nothing on rank 0", code, values, sizeof(int) * (size_t)ny * NX);
  MPI_Offset starts[2][2] = {{first, 0}, {0, 5}}, counts[2][2] = {{last - first, NX}, {1, 10}};
  MPI_Offset *start_rows[] = {starts[0], starts[1]}, *count_rows[] = {counts[0], counts[1]};
  code = ncmpi_get_varn_int_all(file, whole, 1 + rank % 2, start_rows, count_rows, values);
  tell("a list", code, values, sizeof(int) * (size_t)(last - first) * NX);
  /* What does not fit; strides; transposed memory; little. */
  code = ncmpi_get_vara_short_all(file, whole, (MPI_Offset[]){first, 0}, (MPI_Offset[]){last - first, NX}, values);
  tell("out of range", code, values, sizeof(short) * (size_t)(last - first) * NX);
  code = ncmpi_get_vars_int_all(file, whole, (MPI_Offset[]){0, rank % 2}, (MPI_Offset[]){ny, NX / 2},
                                (MPI_Offset[]){1, 2}, values);
  tell("strides", code, values, sizeof(int) * (size_t)ny * NX / 2);
  code = ncmpi_get_varm_int_all(file, whole, (MPI_Offset[]){0, 0}, (MPI_Offset[]){ny, NX}, NULL, (MPI_Offset[]){1, ny},
                                values);
  tell("transposed", code, values, sizeof(int) * (size_t)ny * NX);
  code = ncmpi_get_var_short_all(file, small, values);
  tell("little", code, values, sizeof(short) * NX);
  /* Wrong on one rank. */
  code = ncmpi_get_vara_int_all(file, whole, (MPI_Offset[]){rank == 0 ? ny + 1 : 0, 0}, (MPI_Offset[]){ny, NX}, values);
  tell("wrong on rank 0", code, values, rank == 0 ? 0 : sizeof(int) * (size_t)ny * NX);
  code = ncmpi_get_vara_int_all(file, rank == 0 ? 99 : whole, (MPI_Offset[]){0, 0}, (MPI_Offset[]){1, NX}, values);
  tell("no such variable", code, values, rank == 0 ? 0 : sizeof(int) * NX);
  CHECK(ncmpi_begin_indep_data(file));
  code = ncmpi_get_var_int_all(file, whole, values);
  tell("in independent mode", code, values, 0);
  CHECK(ncmpi_get_vara_int(file, whole, (MPI_Offset[]){first, 0}, (MPI_Offset[]){1, NX}, values));
  CHECK(ncmpi_end_indep_data(file));
  tell("independent", NC_NOERR, values, sizeof(int) * NX);
  free(values);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 2;
  rows = atoi(argv[2]);
  ny = (long long)rows * ranks;
  write_file(argv[1]);
  CHECK(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &file));
  read_file();
  CHECK(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
