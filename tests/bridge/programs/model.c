/* SPDX-License-Identifier: Apache-2.0 */
/* A model's output in plain PnetCDF: blocks of a grid, records one after another, scalars and times that all ranks put
 * alike, strided and listed parts, derived types, nonblocking puts, independent mode, definitions in between.
 *
 *   model FILE FORMAT    FORMAT: 1, 2 or 5. Rank 0 prints what is worth comparing. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "all_ranks_put.h"

enum { NY = 12, NX = 17, RECORDS = 3 };

static int rank, ranks, file, x_begin, x_count;
static int time_var, field, counts, words, lonely, wide, scalar, strided, listed, mapped, late;

static void define(const char* path, int format) {
  int y, x, t, letters, dims[3];
  const int mode = format == 5 ? NC_64BIT_DATA : format == 2 ? NC_64BIT_OFFSET : 0;
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | mode, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "time", NC_UNLIMITED, &t));
  CHECK(ncmpi_def_dim(file, "y", NY, &y));
  CHECK(ncmpi_def_dim(file, "x", NX, &x));
  CHECK(ncmpi_def_dim(file, "letters", 8, &letters));
  dims[0] = t, dims[1] = y, dims[2] = x;
  CHECK(ncmpi_def_var(file, "time", NC_DOUBLE, 1, &t, &time_var));
  CHECK(ncmpi_def_var(file, "field", NC_FLOAT, 3, dims, &field));
  CHECK(ncmpi_def_var(file, "counts", NC_SHORT, 2, dims + 1, &counts));
  dims[1] = letters;
  CHECK(ncmpi_def_var(file, "words", NC_CHAR, 2, dims, &words));
  CHECK(ncmpi_def_var(file, "lonely", NC_INT, 1, &x, &lonely));
  CHECK(ncmpi_def_var(file, "wide", NC_DOUBLE, 1, &x, &wide));
  CHECK(ncmpi_def_var(file, "scalar", NC_INT, 0, NULL, &scalar));
  dims[1] = y;
  CHECK(ncmpi_def_var(file, "strided", NC_INT, 2, dims + 1, &strided));
  CHECK(ncmpi_def_var(file, "listed", NC_FLOAT, 3, dims, &listed));
  CHECK(ncmpi_def_var(file, "mapped", NC_DOUBLE, 2, dims + 1, &mapped));
  CHECK(ncmpi_set_fill(file, NC_FILL, NULL));
  CHECK(ncmpi_put_att_text(file, field, "units", 1, "K"));
  CHECK(ncmpi_put_att_int(file, NC_GLOBAL, "answer", NC_INT, 1, &(int){42}));
  CHECK(ncmpi_enddef(file));
}

static float* values_of(int record) {
  float* values = malloc(sizeof(float) * NY * NX);
  for (int i = 0; i < NY * x_count; ++i) values[i] = (float)(1000 * record + 10 * rank + i % 7) + 0.5F;
  return values;
}

static void put_records(void) {
  for (int record = 0; record < RECORDS; ++record) {
    const MPI_Offset start[] = {record, 0, x_begin}, count[] = {1, NY, x_count}, none[] = {0, 0, 0};
    const double day = 1.5 * record;
    float* values = values_of(record);
    char word[9];
    snprintf(word, sizeof word, "rec%05d", record);
    CHECK(ncmpi_put_vara_float_all(file, field, start, x_count ? count : none, values));
    CHECK(ncmpi_put_var1_double_all(file, time_var, start, &day)); /* all ranks, the same element */
    const int puts = rank == 0 || all_ranks_put();
    CHECK(ncmpi_put_vara_text_all(file, words, (MPI_Offset[]){record, 0}, (MPI_Offset[]){puts, 8}, word));
    memset(values, 0, sizeof(float) * NY * NX); /* the buffer is the program's again */
    free(values);
  }
}

static void put_fixed(void) {
  const MPI_Offset start[] = {0, x_begin}, count[] = {NY, x_count};
  int block[NY * NX], first[NX];
  for (int i = 0; i < NY * x_count; ++i) block[i] = 100 * rank + i;
  for (int i = 0; i < NX; ++i) first[i] = i;
  CHECK(ncmpi_put_vara_int_all(file, counts, start, count, block)); /* int to short */
  CHECK(ncmpi_put_var_int_all(file, lonely, first));                /* all ranks, all of it */
  CHECK(ncmpi_put_var_int_all(file, scalar, &(int){7}));
  /* By all ranks every so many rows, by a stride of their number. */
  const MPI_Offset rows[] = {rank, 0}, every[] = {(NY - rank + ranks - 1) / ranks, NX}, step[] = {ranks, 1};
  int* lines = malloc(sizeof(int) * NY * NX);
  for (int i = 0; i < NY * NX; ++i) lines[i] = 7 * rank + i;
  CHECK(ncmpi_put_vars_int_all(file, strided, rows, rank < NY ? every : (MPI_Offset[]){0, 0}, step, lines));
  free(lines);
}

/* Lists of parts, transposed memory, and a derived type: a block within its halo. */
static void put_lists(void) {
  MPI_Offset starts[3][3] = {{1, NY / 2, x_begin}, {0, 0, x_begin}, {1, 0, x_begin}};
  MPI_Offset sizes[3][3] = {{1, NY / 2, x_count}, {1, NY, x_count}, {1, NY / 2, x_count}};
  MPI_Offset *start_rows[] = {starts[0], starts[1], starts[2]}, *count_rows[] = {sizes[0], sizes[1], sizes[2]};
  float* values = malloc(sizeof(float) * 2 * NY * NX);
  for (int i = 0; i < 2 * NY * NX; ++i) values[i] = (float)(i % 31 + 100 * rank);
  CHECK(ncmpi_put_varn_float_all(file, listed, 3, start_rows, count_rows, values));
  free(values);
  double* turned = malloc(sizeof(double) * NY * NX);
  for (int x = 0; x < x_count; ++x)
    for (int y = 0; y < NY; ++y) turned[x * NY + y] = 100 * (x_begin + x) + y;
  CHECK(ncmpi_put_varm_double_all(file, mapped, (MPI_Offset[]){0, x_begin}, (MPI_Offset[]){NY, x_count}, NULL,
                                  (MPI_Offset[]){1, NY}, turned));
  free(turned);
  MPI_Datatype inner;
  const int sizes_of_all[] = {NY + 2, x_count + 2}, sizes_of_inner[] = {NY, x_count}, at[] = {1, 1};
  float* halo = calloc((size_t)(NY + 2) * (size_t)(x_count + 2), sizeof(float));
  for (int i = 0; i < (NY + 2) * (x_count + 2); ++i) halo[i] = i;
  const MPI_Offset start[] = {2, 0, x_begin}, count[] = {1, NY, x_count};
  if (x_count > 0) {
    MPI_Type_create_subarray(2, sizes_of_all, sizes_of_inner, at, MPI_ORDER_C, MPI_FLOAT, &inner);
    MPI_Type_commit(&inner);
    CHECK(ncmpi_put_vara_all(file, listed, start, count, halo, 1, inner));
    MPI_Type_free(&inner);
  } else {
    CHECK(ncmpi_put_vara_all(file, listed, start, count, halo, 0, MPI_FLOAT));
  }
  free(halo);
}

static void put_later(void) {
  int requests[3], statuses[3];
  const MPI_Offset start[] = {RECORDS, 0, x_begin}, next[] = {RECORDS + 1, 0, x_begin}, count[] = {1, NY, x_count};
  float *a = values_of(5), *b = values_of(6);
  const double day = 99;
  CHECK(ncmpi_buffer_attach(file, (MPI_Offset)sizeof(float) * NY * NX));
  CHECK(ncmpi_iput_vara_float(file, field, start, count, a, &requests[0]));
  CHECK(ncmpi_bput_vara_float(file, field, next, count, b, &requests[1]));
  memset(b, 0, sizeof(float) * NY * NX);
  CHECK(ncmpi_iput_var1_double(file, time_var, start, &day, &requests[2]));
  CHECK(ncmpi_wait_all(file, 3, requests, statuses));
  for (int i = 0; i < 3; ++i) check(statuses[i], "a request's status");
  CHECK(ncmpi_buffer_detach(file));
  free(a);
  free(b);
}

static void read_back(void) {
  MPI_Offset records;
  float first = 0, *mine = malloc(sizeof(float) * NY * NX), *wanted = values_of(1);
  int dim;
  CHECK(ncmpi_inq_unlimdim(file, &dim));
  CHECK(ncmpi_inq_dimlen(file, dim, &records));
  CHECK(ncmpi_get_vara_float_all(file, field, (MPI_Offset[]){1, 0, x_begin}, (MPI_Offset[]){1, NY, x_count}, mine));
  CHECK(ncmpi_get_var1_float_all(file, field, (MPI_Offset[]){RECORDS + 1, 0, 0}, &first));
  if (memcmp(mine, wanted, sizeof(float) * (size_t)(NY * x_count)) != 0) check(NC_EINVAL, "reading back");
  if (rank == 0) printf("%d records, the last begins with %g\n", (int)records, (double)first);
  free(mine);
  free(wanted);
}

/* What nobody puts is left to chance by the library, and would differ from run to run. */
static void fill(int var, int first, int last) {
  for (int record = first; record <= last; ++record) CHECK(ncmpi_fill_var_rec(file, var, record));
}

static void put_independently(void) {
  CHECK(ncmpi_begin_indep_data(file));
  if (rank == ranks - 1) {
    CHECK(ncmpi_put_var1_double(file, wide, (MPI_Offset[]){3}, &(double){2.5}));
    CHECK(ncmpi_put_var1_double(file, time_var, (MPI_Offset[]){RECORDS + 2}, &(double){7.5}));
  }
  CHECK(ncmpi_end_indep_data(file));
  for (int i = 0; i < NX; ++i) CHECK(ncmpi_put_var1_double_all(file, wide, (MPI_Offset[]){i}, &(double){i + 0.25}));
}

static void define_more(void) {
  int dims[2];
  CHECK(ncmpi_redef(file));
  CHECK(ncmpi_inq_dimid(file, "time", &dims[0]));
  CHECK(ncmpi_inq_dimid(file, "y", &dims[1]));
  CHECK(ncmpi_def_var(file, "late", NC_BYTE, 2, dims, &late));
  CHECK(ncmpi_def_var_fill(file, late, 0, &(signed char){-1}));
  CHECK(ncmpi_put_att_text(file, late, "comment", 33, "makes the header longer than it is"));
  CHECK(ncmpi_enddef(file));
  fill(field, RECORDS + 2, RECORDS + 2);
  fill(time_var, RECORDS + 1, RECORDS + 1);
  fill(words, RECORDS, RECORDS + 2);
  fill(listed, RECORDS, RECORDS + 2);
  fill(late, 0, RECORDS + 2);
  signed char own[NY];
  const MPI_Offset begin = NY * rank / ranks, end = NY * (rank + 1) / ranks;
  memset(own, 'a' + rank, sizeof own);
  CHECK(ncmpi_put_vara_schar_all(file, late, (MPI_Offset[]){1, begin}, (MPI_Offset[]){1, end - begin}, own));
  CHECK(ncmpi_put_att_text(file, field, "units", 1, "C"));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 2;
  x_begin = NX * rank / ranks;
  x_count = NX * (rank + 1) / ranks - x_begin;
  define(argv[1], atoi(argv[2]));
  put_records();
  put_fixed();
  put_lists();
  CHECK(ncmpi_sync(file));
  put_later();
  read_back();
  put_independently();
  define_more();
  CHECK(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
