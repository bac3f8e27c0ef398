/* SPDX-License-Identifier: Apache-2.0 */
/* What comes later to a netCDF-4 file: definitions after data, and when it is opened again records, values and
 * definitions. Prints what rank 0 is told and gets back.
 *
 *   later FILE define alone PARTS [KIND]   nc_create on one rank, which puts all parts itself: what others are held to
 *   later FILE define together [KIND]      nc_create_par: each rank puts its part
 *   later FILE append alone PARTS          nc_open of a file that is there, to write
 *   later FILE,... append together         nc_open_par
 *   later FILE kept together               what stays of a file with data
 *   later FILE apart together              rank 0 alone changes an attribute
 *
 * KIND: classic (the classic model) or unattached (no dimension scales attached). */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { NY = 21, NX = 16, NZ = 3 };

static int rank, ranks, parts, first, last, file, is_alone, is_classic, is_unattached;
static int t, y, x, field, times, mask;

static void together(int var) {
  if (!is_alone) CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
}

static int row_of(int part) {
  return NY * part / parts;
}

/* Rows of every part, of a record or of a fixed variable. */
static void put_rows(int var, int record, double base) {
  for (int part = first; part < last; ++part) {
    const size_t row = (size_t)row_of(part), rows = (size_t)row_of(part + 1) - row;
    const size_t start[] = {(size_t)(record < 0 ? 0 : record), row, 0}, count[] = {1, rows, NX};
    double values[NY * NX];
    for (size_t i = 0; i < rows * NX; ++i) values[i] = base + (double)(row * NX + i) / 3;
    CHECK(nc_put_vara_double(file, var, start + (record < 0), count + (record < 0), values));
  }
}

static void put_time(int record) {
  CHECK(nc_put_vara_double(file, times, (size_t[]){(size_t)record}, (size_t[]){1}, (double[]){1.5 * record}));
}

static void tell(void) {
  int ndims = 0, nvars = 0, natts = 0;
  size_t records = 0;
  double sum = 0, values[NY * NX];
  CHECK(nc_inq(file, &ndims, &nvars, &natts, NULL));
  CHECK(nc_inq_dimlen(file, t, &records));
  TELL("%d dimensions, %d variables, %d attributes, %zu records\n", ndims, nvars, natts, records);
  CHECK(nc_get_vara_double(file, field, (size_t[]){records - 1, 0, 0}, (size_t[]){1, NY, NX}, values));
  for (int i = 0; i < NY * NX; ++i) sum += values[i];
  TELL("the last record's sum: %.3f\n", sum);
}

static void define_first(void) {
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, &t));
  CHECK(nc_def_dim(file, "y", NY, &y));
  CHECK(nc_def_dim(file, "x", NX, &x));
  CHECK(nc_def_var(file, "time", NC_DOUBLE, 1, &t, &times));
  CHECK(nc_def_var(file, "field", NC_FLOAT, 3, (int[]){t, y, x}, &field));
  CHECK(nc_def_var_chunking(file, field, NC_CHUNKED, (size_t[]){1, 8, NX}));
  CHECK(nc_def_var_deflate(file, field, 1, 1, 2));
  CHECK(nc_def_var(file, "mask", NC_SHORT, 2, (int[]){y, x}, &mask));
  CHECK(nc_def_var_fill(file, mask, NC_FILL, (short[]){-5}));
  CHECK(nc_put_att_text(file, field, "units", 1, "K"));
  CHECK(nc_put_att_text(file, NC_GLOBAL, "title", 5, "first"));
  CHECK(nc_enddef(file));
  together(times), together(field), together(mask);
}

/* A dimension, variables of each kind, attributes of what is new and of what is there. */
static void define_more(const char* suffix, int* record_var, int* fixed_var) {
  int z, scalar, left;
  char name[40];
  if (is_classic) CHECK(nc_redef(file));
  snprintf(name, sizeof name, "z%s", suffix);
  CHECK(nc_def_dim(file, name, NZ, &z));
  snprintf(name, sizeof name, "wind%s", suffix);
  CHECK(nc_def_var(file, name, NC_FLOAT, 3, (int[]){t, y, x}, record_var));
  CHECK(nc_def_var_chunking(file, *record_var, NC_CHUNKED, (size_t[]){1, NY, 8}));
  CHECK(nc_def_var_deflate(file, *record_var, 0, 1, 1));
  CHECK(nc_put_att_float(file, *record_var, "_FillValue", NC_FLOAT, 1, (float[]){-1e30f}));
  snprintf(name, sizeof name, "depth%s", suffix);
  CHECK(nc_def_var(file, name, NC_DOUBLE, 2, (int[]){y, x}, fixed_var));
  snprintf(name, sizeof name, "number%s", suffix);
  CHECK(nc_def_var(file, name, NC_INT, 0, NULL, &scalar));
  snprintf(name, sizeof name, "left%s", suffix);
  CHECK(nc_def_var(file, name, NC_BYTE, 2, (int[]){z, x}, &left));
  CHECK(nc_rename_var(file, left, strcat(name, "_out")));
  CHECK(nc_put_att_text(file, field, "units", 14, "degree_Celsius"));
  CHECK(nc_put_att_int(file, times, "added", NC_INT, 2, (int[]){3, 4}));
  snprintf(name, sizeof name, "history%s", suffix);
  CHECK(nc_put_att_text(file, NC_GLOBAL, name, 6, "longer"));
  CHECK(nc_put_att_text(file, *fixed_var, "gone", 1, "a"));
  CHECK(nc_del_att(file, *fixed_var, "gone"));
  if (is_classic) CHECK(nc_enddef(file));
  together(*record_var), together(*fixed_var);
  CHECK(nc_put_var_int(file, scalar, (int[]){7})); /* by each rank, of its own access */
}

static int create(const char* path) {
  const int mode = NC_NETCDF4 | (is_classic ? NC_CLASSIC_MODEL : 0) | (is_unattached ? NC_NODIMSCALE_ATTACH : 0);
  return is_alone ? nc_create(path, mode, &file) : nc_create_par(path, mode, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
}

static void define(const char* path) {
  int wind, depth, late;
  CHECK(create(path));
  define_first();
  put_rows(mask, -1, 5);
  for (int record = 0; record < 2; ++record) put_rows(field, record, 100 * record), put_time(record);
  CHECK(nc_sync(file));
  define_more("", &wind, &depth);
  tell();
  put_rows(wind, 1, 1000);
  put_rows(depth, -1, 2000);
  for (int record = 2; record < 4; ++record) put_rows(field, record, 100 * record), put_rows(wind, record, 7);
  tell();
  if (is_classic) CHECK(nc_redef(file));
  CHECK(nc_def_var(file, "late", NC_FLOAT, 2, (int[]){t, x}, &late)); /* nothing of it is put */
  CHECK(nc_put_att_text(file, wind, "units", 3, "m/s"));
  if (is_classic) CHECK(nc_enddef(file));
  CHECK(nc_close(file));
}

static void find(void) {
  CHECK(nc_inq_dimid(file, "time", &t));
  CHECK(nc_inq_dimid(file, "y", &y));
  CHECK(nc_inq_dimid(file, "x", &x));
  CHECK(nc_inq_varid(file, "time", &times));
  CHECK(nc_inq_varid(file, "field", &field));
  CHECK(nc_inq_varid(file, "mask", &mask));
}

static void tell_storage(void) {
  int storage = 0, set[4] = {0}, fill = 0, format = 0, kind = 0, mode = 0;
  size_t chunk[3] = {0};
  short value = 0;
  CHECK(nc_inq_var_chunking(file, field, &storage, chunk));
  CHECK(nc_inq_var_deflate(file, field, set, set + 1, set + 2));
  CHECK(nc_inq_var_fill(file, mask, &fill, &value));
  CHECK(nc_inq_var_endian(file, mask, set + 3));
  CHECK(nc_inq_format(file, &format));
  CHECK(nc_inq_format_extended(file, &kind, &mode));
  TELL("storage %d of %zu %zu %zu, %d %d %d, fill %d %d, endian %d, format %d, %d\n", storage, chunk[0], chunk[1],
       chunk[2], set[0], set[1], set[2], fill, value, set[3], format, kind);
}

/* Calls that netCDF refuses of a file with data. */
static void wrong_definitions(void) {
  if (is_classic) CHECK(nc_redef(file));
  CODE(nc_def_var_deflate(file, mask, 0, 1, 1));
  CODE(nc_def_var_chunking(file, field, NC_CHUNKED, ((size_t[]){1, 2, 2})));
  CODE(nc_def_var_fill(file, mask, NC_FILL, ((short[]){1})));
  CODE(nc_def_dim(file, "y", 3, &(int){0}));
  CODE(nc_def_var(file, "field", NC_INT, 1, &x, &(int){0}));
  CODE(nc_rename_var(file, 99, "a"));
  CODE(nc_del_att(file, mask, "none"));
  if (is_classic) CHECK(nc_enddef(file));
}

/* Some rows of what is there, in two calls that overlap; nobody puts the others. */
static void overwrite_parts(void) {
  double values[NY * NX];
  const int puts = is_alone || rank == ranks - 1;
  for (int i = 0; i < NY * NX; ++i) values[i] = -i;
  const size_t none[] = {0, 0, 0};
  CHECK(nc_put_vara_double(file, field, (size_t[]){0, 3, 2}, puts ? (size_t[]){1, 9, 5} : none, values));
  CHECK(nc_put_vara_double(file, field, (size_t[]){0, 5, 4}, puts ? (size_t[]){1, 9, 9} : none, values));
  CHECK(nc_put_vars_double(file, mask, (size_t[]){1, 1}, puts ? (size_t[]){5, 4} : none, (ptrdiff_t[]){2, 3}, values));
  put_rows(field, 1, 4000);
  CHECK(nc_put_vara_double(file, field, (size_t[]){1, 20, 15}, puts ? (size_t[]){1, 1, 1} : none, values));
}

static void append(const char* path) {
  int wind, depth;
  size_t records = 0;
  const int code =
      is_alone ? nc_open(path, NC_WRITE, &file) : nc_open_par(path, NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
  if (code != NC_NOERR) {
    TELL("open: %d\n", code);
    return;
  }
  int format = 0;
  CHECK(nc_inq_format(file, &format));
  is_classic = format == NC_FORMAT_NETCDF4_CLASSIC;
  find();
  tell_storage();
  together(times), together(field), together(mask);
  tell();
  wrong_definitions();
  CHECK(nc_inq_dimlen(file, t, &records));
  for (int record = (int)records; record < (int)records + 2; ++record) put_rows(field, record, 50), put_time(record);
  overwrite_parts();
  tell();
  define_more("_more", &wind, &depth);
  put_rows(wind, (int)records + 1, 30);
  put_rows(depth, -1, 40);
  tell();
  CHECK(nc_close(file));
}

/* Names, attributes and fill values of what has data. */
static void keep(const char* path) {
  CHECK(create(path));
  define_first();
  put_rows(field, 0, 1);
  CHECK(nc_sync(file));
  CODE(nc_rename_var(file, field, "other"));
  CODE(nc_rename_dim(file, x, "other"));
  CODE(nc_rename_att(file, field, "units", "other"));
  CODE(nc_del_att(file, field, "units"));
  CODE(nc_put_att_short(file, mask, "_FillValue", NC_SHORT, 1, ((short[]){1})));
  CODE(nc_put_att_text(file, field, "units", 1, "C"));
  put_rows(field, 1, 2);
  CHECK(nc_close(file));
}

static void define_apart(const char* path) {
  CHECK(create(path));
  define_first();
  put_rows(field, 0, 1);
  CHECK(nc_sync(file));
  if (rank == 0) CHECK(nc_put_att_text(file, field, "units", 1, "C"));
  CODE(nc_put_var1_double(file, field, ((size_t[]){1, 0, 0}), (double[]){1}));
  CODE(nc_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 4)
    return fprintf(stderr,
                   "usage: later FILE[,FILE...] define|append|kept|apart alone PARTS|together [classic|unattached]\n"),
           2;
  is_alone = strcmp(argv[3], "alone") == 0;
  is_classic = strcmp(argv[argc - 1], "classic") == 0;
  is_unattached = strcmp(argv[argc - 1], "unattached") == 0;
  parts = is_alone && argc > 4 ? atoi(argv[4]) : ranks;
  first = is_alone ? 0 : rank, last = is_alone ? parts : rank + 1;
  if (strcmp(argv[2], "define") == 0)
    define(argv[1]);
  else if (strcmp(argv[2], "append") == 0)
    for (char* path = strtok(argv[1], ","); path != NULL; path = strtok(NULL, ",")) append(path);
  else if (strcmp(argv[2], "kept") == 0)
    keep(argv[1]);
  else
    define_apart(argv[1]);
  MPI_Finalize();
  return 0;
}
