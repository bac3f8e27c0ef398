/* SPDX-License-Identifier: Apache-2.0 */
/* A field that is cut into parts, a time that one rank knows, a coordinate that all know; what nobody puts stays
 * filled.
 *
 *   parts FILE alone PARTS     nc_create on one rank, which puts all parts itself: what the others are held to
 *   parts FILE plain           nc_create on every rank, which puts its part
 *   parts FILE independent     nc_create_par, nc_var_par_access says what is so already
 *   parts FILE collective      nc_create_par, nc_var_par_access
 *
 * In the ways with independent access only rank 0 puts the time and the coordinate. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { ROWS = 14, WIDTH = 30, RECORDS = 5 };

static int rank, ranks, parts, file, time_var, x_var, field, other, missing_records, fixed;

static void define(void) {
  int dims[3];
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, dims));
  CHECK(nc_def_dim(file, "y", ROWS, dims + 1));
  CHECK(nc_def_dim(file, "x", WIDTH, dims + 2));
  CHECK(nc_def_var(file, "time", NC_DOUBLE, 1, dims, &time_var));
  CHECK(nc_def_var(file, "x", NC_FLOAT, 1, dims + 2, &x_var));
  CHECK(nc_def_var(file, "field", NC_FLOAT, 3, dims, &field));
  CHECK(nc_def_var(file, "other", NC_SHORT, 3, dims, &other));
  CHECK(nc_def_var(file, "unput", NC_CHAR, 2, dims + 1, &missing_records));
  CHECK(nc_def_var(file, "fixed", NC_DOUBLE, 2, dims + 1, &fixed));
  CHECK(nc_put_att_short(file, other, "_FillValue", NC_SHORT, 1, (short[]){-7}));
  CHECK(nc_put_att_text(file, field, "units", 1, "K"));
}

static size_t first_row(int part) {
  return (size_t)(ROWS * part / parts);
}

static void put_part(int part, int record) {
  const size_t start[] = {(size_t)record, first_row(part), 0};
  const size_t count[] = {1, first_row(part + 1) - start[1], WIDTH};
  double values[ROWS * WIDTH];
  for (size_t i = 0; i < count[1] * WIDTH; ++i) values[i] = 1000.0 * record + (double)(start[1] * WIDTH + i) / 4;
  CHECK(nc_put_vara_double(file, field, start, count, values));
}

/* Some records, and not all of them. */
static void put_holes(int part) {
  const size_t start[] = {3, first_row(part), 4}, count[] = {1, first_row(part + 1) - start[1], 9};
  int values[ROWS * WIDTH];
  for (size_t i = 0; i < count[1] * 9; ++i) values[i] = (int)(start[1] * 9 + i);
  CHECK(nc_put_vara_int(file, other, start, count, values));
  CHECK(nc_put_vara_int(file, fixed, start + 1, count + 1, values));
}

static void put_common(int record) {
  const size_t at = (size_t)record;
  CHECK(nc_put_var1_double(file, time_var, &at, &(double){0.25 * record}));
}

static void put_all(int is_one, int is_filled) {
  const int first = is_one ? 0 : rank, last = is_one ? parts : rank + 1;
  float x[WIDTH];
  for (int i = 0; i < WIDTH; ++i) x[i] = (float)i;
  CHECK(nc_put_var_float(file, x_var, x));
  for (int record = 0; record < RECORDS; record += 2) {
    put_common(record);
    for (int part = first; part < last; ++part) put_part(part, record);
    if (record == 2) CHECK(nc_sync(file));
  }
  for (int part = first; part < last && is_filled; ++part) put_holes(part);
}

static void put_independent(void) {
  float x[WIDTH];
  for (int i = 0; i < WIDTH; ++i) x[i] = (float)i;
  if (rank == 0) CHECK(nc_put_var_float(file, x_var, x));
  for (int record = 0; record < RECORDS; record += 2) {
    if (rank == 0) put_common(record);
    put_part(rank, record);
    CHECK(nc_sync(file));
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) return fprintf(stderr, "usage: parts FILE alone PARTS|plain|independent|collective\n"), 2;
  const char* const way = argv[2];
  const int is_alone = strcmp(way, "alone") == 0, is_plain = is_alone || strcmp(way, "plain") == 0;
  parts = is_alone && argc > 3 ? atoi(argv[3]) : ranks;
  const int code = is_plain ? nc_create(argv[1], NC_64BIT_OFFSET, &file)
                            : nc_create_par(argv[1], NC_64BIT_OFFSET, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
  if (code != NC_NOERR) {
    if (rank == 0) printf("create: %d\n", code);
    return MPI_Finalize(), 0;
  }
  define();
  CHECK(nc_enddef(file));
  if (strcmp(way, "collective") == 0) CHECK(nc_var_par_access(file, NC_GLOBAL, NC_COLLECTIVE));
  if (strcmp(way, "independent") == 0) CHECK(nc_var_par_access(file, NC_GLOBAL, NC_INDEPENDENT));
  if (strcmp(way, "independent") == 0 && argc == 3)
    put_independent();
  else
    put_all(is_alone, is_plain);
  CHECK(nc_close(file));
  MPI_Finalize();
  return 0;
}
