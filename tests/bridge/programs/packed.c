/* SPDX-License-Identifier: Apache-2.0 */
/* A model's output in plain PnetCDF that a rule may turn into another format: every call that puts, records in pieces,
 * definitions in steps, before and after data. It reads nothing back.
 *
 *   packed FILE FORMAT [refusals]    FORMAT: 1, 2 or 5. With "refusals" rank 0 prints what the calls return that such a
 *                                    file does not take. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "all_ranks_put.h"

enum { NZ = 3, NY = 12, NX = 35, RECORDS = 4 };

static int rank, ranks, file, x_begin, x_count;
static int t_dim, y_dim, x_dim;
static int time_var, field, levels, counts, words, lonely, wide, scalar, strided, listed, turned, apart, late;
static int added, added_fixed;

static void define(const char* path, int format) {
  int z, letters;
  const int mode = format == 5 ? NC_64BIT_DATA : format == 2 ? NC_64BIT_OFFSET : 0;
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | mode, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "time", NC_UNLIMITED, &t_dim));
  CHECK(ncmpi_def_dim(file, "z", NZ, &z));
  CHECK(ncmpi_def_dim(file, "y", NY, &y_dim));
  CHECK(ncmpi_def_dim(file, "x", NX, &x_dim));
  CHECK(ncmpi_def_dim(file, "letters", 8, &letters));
  CHECK(ncmpi_def_var(file, "time", NC_DOUBLE, 1, &t_dim, &time_var));
  CHECK(ncmpi_def_var(file, "field", NC_FLOAT, 3, (int[]){t_dim, y_dim, x_dim}, &field));
  CHECK(ncmpi_def_var(file, "levels", NC_INT, 4, (int[]){t_dim, z, y_dim, x_dim}, &levels));
  CHECK(ncmpi_def_var(file, "counts", NC_SHORT, 2, (int[]){y_dim, x_dim}, &counts));
  CHECK(ncmpi_def_var(file, "words", NC_CHAR, 2, (int[]){t_dim, letters}, &words));
  CHECK(ncmpi_def_var(file, "lonely", NC_INT, 1, &x_dim, &lonely));
  CHECK(ncmpi_def_var(file, "wide", NC_DOUBLE, 1, &x_dim, &wide));
  CHECK(ncmpi_def_var(file, "scalar", format == 5 ? NC_INT64 : NC_INT, 0, NULL, &scalar));
  CHECK(ncmpi_def_var(file, "strided", NC_BYTE, 2, (int[]){y_dim, x_dim}, &strided));
  CHECK(ncmpi_def_var(file, "listed", NC_FLOAT, 3, (int[]){t_dim, y_dim, x_dim}, &listed));
  CHECK(ncmpi_def_var(file, "turned", NC_DOUBLE, 2, (int[]){y_dim, x_dim}, &turned));
  CHECK(ncmpi_def_var(file, "apart", NC_FLOAT, 2, (int[]){y_dim, x_dim}, &apart));
  CHECK(ncmpi_set_fill(file, NC_FILL, NULL));
  CHECK(ncmpi_def_var_fill(file, strided, 0, &(signed char){-9}));
  CHECK(ncmpi_put_att_text(file, field, "units", 1, "K"));
  CHECK(ncmpi_put_att_double(file, field, "valid_range", NC_FLOAT, 2, (double[]){-1, 1e6}));
  CHECK(ncmpi_put_att_int(file, NC_GLOBAL, "answer", NC_INT, 1, &(int){42}));
  CHECK(ncmpi_put_att_text(file, NC_GLOBAL, "empty", 0, ""));
  CHECK(ncmpi_enddef(file));
  CHECK(ncmpi_redef(file)); /* nothing was put yet */
  CHECK(ncmpi_def_var(file, "late", NC_SHORT, 2, (int[]){t_dim, y_dim}, &late));
  CHECK(ncmpi_rename_var(file, lonely, "alone"));
  CHECK(ncmpi_enddef(file));
  CHECK(ncmpi_put_att_text(file, field, "units", 1, "C"));
}

static float* values_of(int record) {
  float* values = malloc(sizeof(float) * NY * NX);
  for (int i = 0; i < NY * x_count; ++i) values[i] = (float)(1000 * record + 10 * rank + i % 7) + 0.5F;
  return values;
}

static void put_records(int first, int last) {
  for (int record = first; record < last; ++record) {
    const MPI_Offset start[] = {record, 0, x_begin}, count[] = {1, NY, x_count}, none[] = {0, 0, 0};
    const double day = 1.5 * record;
    float* values = values_of(record);
    char word[9];
    snprintf(word, sizeof word, "rec%05d", record);
    CHECK(ncmpi_put_vara_float_all(file, field, start, x_count ? count : none, values));
    CHECK(ncmpi_put_var1_double_all(file, time_var, start, &day)); /* all ranks, the same element */
    const int puts = rank == 0 || all_ranks_put();
    CHECK(ncmpi_put_vara_text_all(file, words, (MPI_Offset[]){record, 0}, (MPI_Offset[]){puts, 8}, word));
    for (int z = NZ - 1; z >= 0; --z) { /* a level in each call */
      const MPI_Offset at[] = {record, z, 0, x_begin}, level[] = {1, 1, NY, x_count};
      for (int i = 0; i < NY * x_count; ++i) values[i] = (float)(1000 * record + 100 * z + 10 * rank + i % 5);
      CHECK(ncmpi_put_vara_float_all(file, levels, at, x_count ? level : (MPI_Offset[]){0, 0, 0, 0}, values));
    }
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
  /* By all ranks every so many rows, by a stride of their number; a value that does not fit. */
  const MPI_Offset rows[] = {rank, 0}, every[] = {(NY - rank + ranks - 1) / ranks, NX}, step[] = {ranks, 1};
  int* lines = malloc(sizeof(int) * NY * NX);
  for (int i = 0; i < NY * NX; ++i) lines[i] = i % 50 + rank;
  if (rank == 0) lines[3] = 1000;
  const int code = ncmpi_put_vars_int_all(file, strided, rows, rank < NY ? every : (MPI_Offset[]){0, 0}, step, lines);
  if (code != (rank == 0 ? NC_ERANGE : NC_NOERR)) check(code == NC_NOERR ? NC_EINVAL : code, "a value out of range");
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
  double* memory = malloc(sizeof(double) * NY * NX);
  for (int x = 0; x < x_count; ++x)
    for (int y = 0; y < NY; ++y) memory[x * NY + y] = 100 * (x_begin + x) + y;
  CHECK(ncmpi_put_varm_double_all(file, turned, (MPI_Offset[]){0, x_begin}, (MPI_Offset[]){NY, x_count}, NULL,
                                  (MPI_Offset[]){1, NY}, memory));
  free(memory);
  MPI_Datatype inner = MPI_FLOAT;
  const int sizes_of_all[] = {NY + 2, x_count + 2}, sizes_of_inner[] = {NY, x_count}, at[] = {1, 1};
  float* halo = calloc((size_t)(NY + 2) * (size_t)(x_count + 2), sizeof(float));
  for (int i = 0; i < (NY + 2) * (x_count + 2); ++i) halo[i] = (float)i;
  const MPI_Offset start[] = {2, 0, x_begin}, count[] = {1, NY, x_count};
  if (x_count > 0) {
    MPI_Type_create_subarray(2, sizes_of_all, sizes_of_inner, at, MPI_ORDER_C, MPI_FLOAT, &inner);
    MPI_Type_commit(&inner);
  }
  CHECK(ncmpi_put_vara_all(file, listed, start, count, halo, x_count > 0, inner));
  if (x_count > 0) MPI_Type_free(&inner);
  free(halo);
}

static void put_later(void) {
  int requests[3], statuses[3];
  const MPI_Offset start[] = {RECORDS, 0, x_begin}, next[] = {RECORDS + 1, 0, x_begin}, count[] = {1, NY, x_count};
  float *a = values_of(5), *b = values_of(6);
  CHECK(ncmpi_buffer_attach(file, (MPI_Offset)sizeof(float) * NY * NX));
  CHECK(ncmpi_iput_vara_float(file, field, start, count, a, &requests[0]));
  CHECK(ncmpi_bput_vara_float(file, field, next, count, b, &requests[1]));
  memset(b, 0, sizeof(float) * NY * NX);
  CHECK(ncmpi_iput_var1_double(file, time_var, start, &(double){99}, &requests[2]));
  CHECK(ncmpi_wait_all(file, 3, requests, statuses));
  for (int i = 0; i < 3; ++i) check(statuses[i], "a request's status");
  CHECK(ncmpi_buffer_detach(file));
  free(a);
  free(b);
}

/* One rank alone; then all ranks, element by element, over what it put. */
static void put_independently(void) {
  int request, status;
  const MPI_Offset next[] = {RECORDS + 1};
  CHECK(ncmpi_begin_indep_data(file));
  if (rank == ranks - 1) {
    CHECK(ncmpi_put_var1_double(file, wide, (MPI_Offset[]){3}, &(double){2.5}));
    CHECK(ncmpi_put_var1_double(file, wide, (MPI_Offset[]){3}, &(double){3.5}));
    CHECK(ncmpi_iput_var1_double(file, time_var, next, &(double){7.5}, &request));
    CHECK(ncmpi_wait(file, 1, &request, &status));
    check(status, "an independent request's status");
  }
  CHECK(ncmpi_end_indep_data(file));
  for (int i = 0; i < NX; ++i) CHECK(ncmpi_put_var1_double_all(file, wide, (MPI_Offset[]){i}, &(double){i + 0.25}));
}

/* What is left holds fill values, in a classic file where it is told to. */
static void fill_rest(void) {
  for (int record = RECORDS; record <= RECORDS + 2; ++record) {
    CHECK(ncmpi_fill_var_rec(file, words, record));
    CHECK(ncmpi_fill_var_rec(file, levels, record));
    if (record == RECORDS + 2) CHECK(ncmpi_fill_var_rec(file, field, record));
    if (record == RECORDS + 2) CHECK(ncmpi_fill_var_rec(file, time_var, record));
  }
  for (int record = 3; record <= RECORDS + 2; ++record) CHECK(ncmpi_fill_var_rec(file, listed, record));
  for (int record = 0; record <= RECORDS + 2; ++record) {
    CHECK(ncmpi_fill_var_rec(file, late, record));
    if (record > 1) CHECK(ncmpi_fill_var_rec(file, added, record));
  }
  /* The parts that all ranks have put before, but for the last rank's. */
  const int last = ranks > 1 && rank == ranks - 1, absent = last && !all_ranks_put();
  float* values = values_of(8);
  for (int i = 0; last && i < NY * x_count; ++i) values[i] = NC_FILL_FLOAT;
  CHECK(ncmpi_put_vara_float_all(file, field, (MPI_Offset[]){RECORDS + 2, 0, x_begin},
                                 absent ? (MPI_Offset[]){0, 0, 0} : (MPI_Offset[]){1, NY, x_count},
                                 absent ? NULL : values));
  free(values);
  if (rank == 0 || all_ranks_put()) { /* half of a record, by one rank of all */
    short part[NY / 2];
    for (int i = 0; i < NY / 2; ++i) part[i] = (short)i;
    CHECK(ncmpi_put_vara_short_all(file, late, (MPI_Offset[]){1, 2}, (MPI_Offset[]){1, NY / 2}, part));
  } else {
    CHECK(ncmpi_put_vara_short_all(file, late, (MPI_Offset[]){0, 0}, (MPI_Offset[]){0, 0}, NULL));
  }
}

/* When there are data: new definitions, and other attributes of what is there. */
static void define_more(void) {
  int more;
  CHECK(ncmpi_redef(file));
  CHECK(ncmpi_def_dim(file, "more", 5, &more));
  CHECK(ncmpi_def_var(file, "added", NC_FLOAT, 3, (int[]){t_dim, y_dim, x_dim}, &added));
  CHECK(ncmpi_def_var(file, "added_fixed", NC_INT, 2, (int[]){more, x_dim}, &added_fixed));
  CHECK(ncmpi_put_att_text(file, added, "units", 3, "m/s"));
  CHECK(ncmpi_put_att_text(file, added, "gone", 1, "a"));
  CHECK(ncmpi_del_att(file, added, "gone"));
  CHECK(ncmpi_rename_var(file, added, "wind"));
  CHECK(ncmpi_put_att_double(file, field, "valid_range", NC_FLOAT, 3, (double[]){-1, 1, 2})); /* longer */
  CHECK(ncmpi_put_att_text(file, NC_GLOBAL, "history", 5, "later"));
  CHECK(ncmpi_enddef(file));
  for (int record = 0; record < 2; ++record) CHECK(ncmpi_fill_var_rec(file, added, record));
}

static void put_more(void) {
  const MPI_Offset start[] = {1, 0, x_begin}, count[] = {1, NY, x_count}, none[] = {0, 0, 0};
  float* values = values_of(11);
  int block[5 * NX];
  for (int i = 0; i < 5 * NX; ++i) block[i] = 1000 * rank + i;
  CHECK(ncmpi_put_vara_float_all(file, added, start, x_count ? count : none, values));
  CHECK(ncmpi_put_att_text(file, NC_GLOBAL, "history", 4, "data")); /* in data mode, where the old one had room */
  CHECK(ncmpi_put_vara_int_all(file, added_fixed, (MPI_Offset[]){0, x_begin}, (MPI_Offset[]){5, x_count}, block));
  free(values);
}

static void say(const char* what, int code) {
  if (rank == 0) printf("%s: %s\n", what, ncmpi_strerrno(code));
}

/* Of a call that is wrong on one rank the others' parts are put. */
static void put_partly(void) {
  float* values = values_of(9);
  const MPI_Offset start[] = {0, rank == 0 ? NX : x_begin}, count[] = {NY, x_count};
  const int code = ncmpi_put_vara_float_all(file, apart, start, count, values);
  say("beyond the end", code);
  if (rank != 0) check(code, "a part beside one beyond the end");
  free(values);
}

static void refuse(void) {
  float value = 0;
  MPI_Offset records = 0;
  int length = 0;
  char path[200];
  say("get", ncmpi_get_var1_float_all(file, field, (MPI_Offset[]){0, 0, 0}, &value));
  CHECK(ncmpi_redef(file));
  say("rename_var", ncmpi_rename_var(file, field, "other"));
  say("rename_dim", ncmpi_rename_dim(file, t_dim, "other"));
  say("rename_att", ncmpi_rename_att(file, field, "units", "other"));
  say("del_att", ncmpi_del_att(file, field, "units"));
  say("a fill value", ncmpi_put_att_float(file, field, "_FillValue", NC_FLOAT, 1, &value));
  CHECK(ncmpi_enddef(file));
  /* It was put whole. */
  say("a part again", ncmpi_put_var1_float_all(file, field, (MPI_Offset[]){0, 0, rank}, &value));
  CHECK(ncmpi_inq_dimlen(file, 0, &records));
  CHECK(ncmpi_inq_path(file, &length, path));
  if (rank == 0) printf("%d records in %s\n", (int)records, path);
  put_partly();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) return 2;
  x_begin = NX * rank / ranks;
  x_count = NX * (rank + 1) / ranks - x_begin;
  define(argv[1], atoi(argv[2]));
  put_records(0, 2);
  put_fixed();
  CHECK(ncmpi_sync(file));
  define_more();
  put_records(2, RECORDS);
  put_more();
  put_lists();
  put_later();
  put_independently();
  fill_rest();
  if (argc > 3) refuse();
  CHECK(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
