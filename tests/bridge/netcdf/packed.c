/* SPDX-License-Identifier: Apache-2.0 */
/* A netCDF-4 file with all that def_var calls set, put in every form. Prints what rank 0 is told and gets back.
 *
 *   packed FILE alone PARTS [classic]   nc_create on one rank, which puts all parts itself: what the others are held to
 *   packed FILE together [classic]      nc_create_par: each rank puts its part
 *   packed FILE wrong alone|together    calls that netCDF refuses, and its codes
 *   packed FILE refused                 calls that netCDF takes and Weir does not
 *   packed FILE read                    nc_open_par
 *   packed FILE ends                    the ways in which a file ends, and one that never does; zstd */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

enum { NY = 23, NX = 17, ROWS = 520, WIDTH = 600, RECORDS = 3, TYPES = 11 };

static int rank, ranks, parts, first, last, file, is_alone, is_classic;
static int dims[5], x_var, time_var, field, rounded, mask, mapped, large, name_var, scalar, typed[TYPES];

static const nc_type types[TYPES] = {NC_BYTE,  NC_CHAR,   NC_SHORT, NC_INT,   NC_FLOAT, NC_DOUBLE,
                                     NC_UBYTE, NC_USHORT, NC_UINT,  NC_INT64, NC_UINT64};

static int start_of(int part, int length) {
  return (int)((long)length * part / parts);
}

static void together(int var) {
  if (!is_alone) CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
}

static void define_dims(void) {
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, dims));
  CHECK(nc_def_dim(file, "y", NY, dims + 1));
  CHECK(nc_def_dim(file, "x", NX, dims + 2));
  CHECK(nc_def_dim(file, "row", ROWS, dims + 3));
  CHECK(nc_def_dim(file, "column", WIDTH, dims + 4));
  CHECK(nc_def_var(file, "x", NC_DOUBLE, 1, dims + 2, &x_var));
  CHECK(nc_put_att_text(file, NC_GLOBAL, "title", 4, "test"));
}

static void define_filters(void) {
  CHECK(nc_def_var(file, "field", NC_FLOAT, 3, dims, &field));
  CHECK(nc_def_var_chunking(file, field, NC_CHUNKED, (size_t[]){2, 8, NX}));
  CHECK(nc_def_var_deflate(file, field, 1, 1, 3));
  CHECK(nc_put_att_float(file, field, "_FillValue", NC_FLOAT, 1, (float[]){-1e20f}));
  CHECK(nc_def_var(file, "rounded", NC_FLOAT, 3, dims, &rounded));
  if (!is_classic) CHECK(nc_def_var_quantize(file, rounded, NC_QUANTIZE_GRANULARBR, 3)); /* netCDF 4.9.0 fails then */
  CHECK(nc_def_var_deflate(file, rounded, 0, 1, 1));
  CHECK(nc_def_var_chunking(file, rounded, NC_CHUNKED, (size_t[]){1, NY, NX}));
  CHECK(nc_def_var(file, "mask", NC_BYTE, 2, dims + 1, &mask));
  CHECK(nc_def_var_fletcher32(file, mask, NC_FLETCHER32));
  CHECK(nc_def_var_fill(file, mask, NC_FILL, (signed char[]){-5}));
  CHECK(nc_def_var(file, "mapped", NC_INT, 2, dims + 1, &mapped));
  CHECK(nc_def_var_endian(file, mapped, NC_ENDIAN_LITTLE));
  CHECK(nc_def_var(file, "large", NC_FLOAT, 2, dims + 3, &large));
  CHECK(nc_def_var_chunking(file, large, NC_CONTIGUOUS, NULL));
}

static void define_types(void) {
  for (int i = 0; i < TYPES; ++i) {
    char name[NC_MAX_NAME + 1] = "of_";
    if (is_classic && types[i] > NC_DOUBLE) continue;
    CHECK(nc_inq_type(file, types[i], name + 3, NULL));
    CHECK(nc_def_var(file, name, types[i], 2, dims + 1, typed + i));
    if (types[i] == NC_CHAR) continue;
    CHECK(nc_put_att_double(file, typed[i], "valid_range", types[i], 2, (double[]){3, 7}));
    CHECK(nc_put_att_int(file, NC_GLOBAL, name, types[i], 1, (int[]){i}));
  }
  CHECK(nc_def_var(file, "name", NC_CHAR, 1, dims + 2, &name_var));
  CHECK(nc_def_var(file, "scalar", NC_DOUBLE, 0, NULL, &scalar));
  CHECK(nc_rename_var(file, scalar, "number"));
  CHECK(nc_def_var(file, "time", NC_DOUBLE, 1, dims, &time_var));
}

/* As UFS does: a coordinate is put, and definitions go on. */
static void put_coordinate(void) {
  double x[NX];
  for (int i = 0; i < NX; ++i) x[i] = 0.5 * i;
  CHECK(nc_enddef(file));
  together(x_var);
  CHECK(nc_put_var_double(file, x_var, x));
  if (is_classic) CHECK(nc_redef(file));
  CHECK(nc_put_att_text(file, x_var, "units", 1, "m"));
}

static void tell_definitions(void) {
  int format = 0, ndims = 0, nvars = 0, natts = 0, unlimited = 0, storage = 0, set[3] = {0};
  size_t chunk[3] = {0};
  CHECK(nc_inq(file, &ndims, &nvars, &natts, &unlimited));
  CHECK(nc_inq_format(file, &format));
  TELL("format %d: %d dimensions, %d variables, %d attributes, unlimited %d\n", format, ndims, nvars, natts, unlimited);
  CHECK(nc_inq_var_chunking(file, field, &storage, chunk));
  CHECK(nc_inq_var_deflate(file, field, set, set + 1, set + 2));
  TELL("field: storage %d of %zu %zu %zu, %d %d %d\n", storage, chunk[0], chunk[1], chunk[2], set[0], set[1], set[2]);
  CHECK(nc_inq_var_quantize(file, rounded, set, set + 1));
  CHECK(nc_inq_var_fletcher32(file, mask, set + 2));
  TELL("rounded: %d %d; mask: %d", set[0], set[1], set[2]);
  signed char fill = 0;
  CHECK(nc_inq_var_fill(file, mask, set, &fill));
  CHECK(nc_inq_var_endian(file, mapped, set + 1));
  CHECK(nc_inq_format_extended(file, set + 2, NULL));
  TELL(", fill %d %d; endian %d; extended %d\n", set[0], fill, set[1], set[2]);
}

static void put_fields(int part, int record) {
  const int y = start_of(part, NY);
  const size_t start[] = {(size_t)record, (size_t)y, 0}, count[] = {1, (size_t)(start_of(part + 1, NY) - y), NX};
  double values[NY * NX];
  for (size_t i = 0; i < count[1] * NX; ++i) values[i] = 1000.125 * record + (double)(start[1] * NX + i) / 7;
  CHECK(nc_put_vara_double(file, field, start, count, values));
  CHECK(nc_put_vara_double(file, rounded, start, count, values));
}

/* Every second column in one call, the others transposed in memory. */
static void put_strides(int part) {
  const int y = start_of(part, NY), ny = start_of(part + 1, NY) - y;
  const size_t start[] = {(size_t)y, 0}, count[] = {(size_t)ny, (NX + 1) / 2};
  const size_t start2[] = {(size_t)y, 1}, count2[] = {(size_t)ny, NX / 2};
  const ptrdiff_t stride[] = {1, 2}, map[] = {1, ny > 0 ? ny : 1};
  short even[NY * NX];
  long long odd[NY * NX];
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < NX; ++i) {
      if (i % 2 == 0) even[j * ((NX + 1) / 2) + i / 2] = (short)((y + j) * NX + i);
      if (i % 2 == 1) odd[i / 2 * ny + j] = (y + j) * NX + i;
    }
  CHECK(nc_put_vars_short(file, mapped, start, count, stride, even));
  CHECK(nc_put_varm_longlong(file, mapped, start2, count2, stride, map, odd));
}

static void put_types(int part) {
  const int y = start_of(part, NY);
  const size_t start[] = {(size_t)y, 0}, count[] = {(size_t)(start_of(part + 1, NY) - y), NX};
  float values[NY * NX];
  char text[NY * NX];
  for (size_t i = 0; i < count[0] * NX; ++i)
    values[i] = (float)((start[0] * NX + i) % 100), text[i] = (char)('a' + i % 26);
  for (int i = 0; i < TYPES; ++i) {
    if (is_classic && types[i] > NC_DOUBLE) continue;
    if (types[i] == NC_CHAR)
      CHECK(nc_put_vara_text(file, typed[i], start, count, text));
    else
      CHECK(nc_put_vara_float(file, typed[i], start, count, values));
  }
}

static void put_large(int part) {
  static float values[ROWS * WIDTH];
  const int y = start_of(part, ROWS);
  const size_t start[] = {(size_t)y, 0}, count[] = {(size_t)(start_of(part + 1, ROWS) - y), WIDTH};
  for (size_t i = 0; i < count[0] * WIDTH; ++i) values[i] = (float)(start[0] * WIDTH + i);
  CHECK(nc_put_vara_float(file, large, start, count, values));
}

static void get_back(void) {
  double sum = 0, values[NY * NX] = {0};
  size_t length = 0;
  CHECK(nc_inq_dimlen(file, dims[0], &length));
  CHECK(nc_get_vara_double(file, field, (size_t[]){length - 1, 0, 0}, (size_t[]){1, NY, NX}, values));
  for (int i = 0; i < NY * NX; ++i) sum += values[i];
  TELL("%zu records, the last one of sum %.3f\n", length, sum);
  CHECK(nc_get_vars_double(file, mapped, (size_t[]){0, 1}, (size_t[]){NY, 3}, (ptrdiff_t[]){1, 5}, values));
  TELL("mapped: %g %g %g\n", values[0], values[1], values[NY * 3 - 1]);
}

static void put_all(void) {
  for (int part = first; part < last; ++part) put_large(part);
  for (int part = first; part < last; ++part) put_strides(part);
  for (int part = first; part < last; ++part) put_types(part);
  if (is_alone || rank == 0) CHECK(nc_put_var1_double(file, scalar, NULL, (double[]){2.5}));
  CHECK(nc_put_vara_text(file, name_var, (size_t[]){0}, (size_t[]){5}, "ocean"));
  for (int record = 0; record < RECORDS; ++record) {
    for (int part = first; part < last; ++part) put_fields(part, record);
    if (is_alone || rank == ranks - 1)
      CHECK(nc_put_vara_int(file, time_var, (size_t[]){(size_t)record}, (size_t[]){1}, (int[]){record}));
    if (record == 0) CHECK(nc_sync(file));
    if (record == 1) get_back();
  }
  CHECK(nc_put_vara_double(file, field, (size_t[]){RECORDS + 1, 0, 0},
                           (size_t[]){1, NY, is_alone || rank == 0 ? NX : 0}, (double[NY * NX]){4}));
  get_back();
}

static int create(const char* path, int mode) {
  return is_alone ? nc_create(path, mode, &file) : nc_create_par(path, mode, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
}

static void write_file(const char* path) {
  CHECK(create(path, NC_NETCDF4 | (is_classic ? NC_CLASSIC_MODEL : 0)));
  define_dims();
  put_coordinate();
  define_filters();
  define_types();
  if (is_classic) CHECK(nc_enddef(file));
  for (int i = 0; i < TYPES; ++i)
    if (!is_classic || types[i] <= NC_DOUBLE) together(typed[i]);
  together(large), together(mapped), together(name_var), together(field), together(rounded);
  put_all();
  tell_definitions();
  CHECK(nc_close(file));
}

static void wrong_definitions(void) {
  int var = -1, dim = -1;
  CODE(nc_def_dim(file, "y", NY, &dim));
  CODE(nc_def_dim(file, "a/b", NY, &dim));
  CODE(nc_def_var(file, "field", NC_FLOAT, 3, dims, &var));
  CODE(nc_def_var(file, "none", NC_FLOAT, 1, (int[]){77}, &var));
  CODE(nc_def_var_deflate(file, mapped, 0, 1, 10));
  CODE(nc_def_var_deflate(file, mapped, 0, 1, -1));
  CODE(nc_def_var_deflate(file, 99, 0, 1, 1));
  CODE(nc_def_var_chunking(file, mapped, NC_CHUNKED, ((size_t[]){NY + 1, NX})));
  CODE(nc_def_var_chunking(file, mapped, NC_CHUNKED, ((size_t[]){0, NX})));
  CODE(nc_def_var_chunking(file, field, NC_CONTIGUOUS, NULL));
  CODE(nc_def_var_chunking(file, 99, NC_CHUNKED, ((size_t[]){1, 1})));
  CODE(nc_def_var_quantize(file, mapped, NC_QUANTIZE_BITGROOM, 3));
  CODE(nc_def_var_quantize(file, rounded, NC_QUANTIZE_BITGROOM, 9));
  CODE(nc_def_var_fletcher32(file, 99, NC_FLETCHER32));
  CODE(nc_def_var_endian(file, mapped, 7));
  CODE(nc_put_att_int(file, mapped, "_FillValue", NC_FLOAT, 1, (int[]){1}));
  CODE(nc_put_att_int(file, 99, "a", NC_FLOAT, 1, (int[]){1}));
  CODE(nc_put_att_int(file, mapped, "a", NC_BYTE, 1, (int[]){1000}));
  CODE(nc_del_att(file, mapped, "none"));
  CODE(nc_rename_var(file, mapped, "field"));
  CODE(nc_inq_var_deflate(file, 99, NULL, NULL, NULL));
}

static void wrong_data(void) {
  double values[NY * NX + 1] = {0};
  CHECK(nc_enddef(file));
  together(mapped), together(typed[1]), together(mask);
  CODE(nc_enddef(file));
  CODE(nc_def_var_deflate(file, mapped, 0, 1, 1));
  CODE(nc_put_vara_double(file, 99, (size_t[]){0, 0}, (size_t[]){1, 1}, values));
  CODE(nc_put_vara_double(file, mapped, (size_t[]){NY, 0}, (size_t[]){1, 1}, values));
  CODE(nc_put_vara_double(file, mapped, (size_t[]){NY, 0}, (size_t[]){0, 1}, values));
  CODE(nc_put_vara_double(file, mapped, (size_t[]){NY + 1, 0}, (size_t[]){0, 1}, values));
  CODE(nc_put_vara_double(file, mapped, (size_t[]){NY - 1, 0}, (size_t[]){2, 1}, values));
  CODE(nc_put_vars_double(file, mapped, (size_t[]){0, 0}, (size_t[]){2, 2}, ((ptrdiff_t[]){0, 1}), values));
  CODE(nc_put_vars_double(file, mapped, (size_t[]){0, 0}, (size_t[]){2, 2}, ((ptrdiff_t[]){-1, 1}), values));
  CODE(nc_put_vars_double(file, mapped, (size_t[]){0, 0}, (size_t[]){2, 2}, ((ptrdiff_t[]){NY, 1}), values));
  CODE(nc_put_vara_double(file, mapped, NULL, (size_t[]){1, 1}, values));
  CODE(nc_put_vara_double(file, typed[1], (size_t[]){0, 0}, (size_t[]){1, 1}, values));
  CODE(nc_put_vara_text(file, mapped, (size_t[]){0, 0}, (size_t[]){1, 1}, "a"));
  values[0] = 1e12, values[1] = 300;
  CODE(nc_put_vara_double(file, mapped, (size_t[]){0, 0}, (size_t[]){NY, NX}, values));
  CODE(nc_put_vara_double(file, mask, (size_t[]){0, 0}, (size_t[]){NY, NX}, values));
  CODE(nc_get_vara_double(file, mapped, (size_t[]){NY, 0}, (size_t[]){1, 1}, values));
  CODE(nc_get_vara_double(file, field, (size_t[]){0, 0, 0}, (size_t[]){1, 1, 1}, values));
}

static void refused(void) {
  int number = -1;
  CODE(nc_def_grp(file, "group", &number));
  CODE(nc_def_dim(file, "more", NC_UNLIMITED, &number));
  CODE(nc_def_var(file, "words", NC_STRING, 1, dims + 1, &number));
  CODE(nc_def_var(file, "turned", NC_FLOAT, 2, ((int[]){dims[1], dims[0]}), &number));
  CODE(nc_put_att_string(file, NC_GLOBAL, "words", 1, (const char*[]){"a"}));
  CODE(nc_def_enum(file, NC_BYTE, "enum", &number));
  CODE(nc_def_var_endian(file, mapped, NC_ENDIAN_BIG));
  CODE(nc_def_var_filter(file, mapped, 307, 1, (unsigned[]){9}));
  size_t chunk[3];
  CHECK(nc_def_var_chunking(file, field, NC_CHUNKED, (size_t[]){4, 8, NX}));
  CHECK(nc_inq_var_chunking(file, field, NULL, chunk));
  TELL("chunks of %zu %zu %zu\n", chunk[0], chunk[1], chunk[2]);
  CHECK(nc_enddef(file));
  together(mapped);
  CODE(nc_get_var_int(file, x_var, (int[NX]){0}));
  CHECK(nc_sync(file));
  CODE(nc_rename_var(file, mapped, "late"));
  const size_t half = (size_t)(rank % 2);
  CODE(nc_put_vara_int(file, mapped, (size_t[]){0, half}, (size_t[]){NY, NX - half}, (int[NY * NX]){0}));
}

static void read_file(const char* path) {
  int var = -1;
  double sum = 0;
  static float values[ROWS * WIDTH];
  CHECK(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_inq_varid(file, "large", &var));
  CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
  const size_t row = (size_t)start_of(rank, ROWS), end = (size_t)start_of(rank + 1, ROWS);
  CHECK(nc_get_vara_float(file, var, (size_t[]){row, 0}, (size_t[]){end - row, WIDTH}, values));
  for (size_t i = 0; i < (end - row) * WIDTH; ++i) sum += values[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  TELL("large: sum %.0f\n", sum);
  CODE(nc_var_par_access(file, 99, NC_COLLECTIVE));
  CODE(nc_put_var_float(file, var, values));
  CHECK(nc_close(file));
}

static void begin_small(const char* path, int* var) {
  int x = -1;
  CHECK(nc_create_par(path, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_def_dim(file, "x", NX, &x));
  CHECK(nc_def_var(file, "v", NC_INT, 1, &x, var));
  CHECK(nc_def_var(file, "w", NC_INT, 1, &x, &mapped));
}

static void end_files(const char* path) {
  int var = -1, sum = 0, values[NX];
  size_t count = 0;
  unsigned level = 0;
  char name[NC_MAX_NAME + 1];
  for (int i = 0; i < NX; ++i) values[i] = i;
  begin_small(path, &var);
  CODE(nc_abort(file));
  TELL("a file: %s\n", access(path, F_OK) == 0 ? "yes" : "no");
  begin_small(path, &var);
  if (rank == ranks - 1) CHECK(nc_put_var_int(file, var, values));
  MPI_Barrier(MPI_COMM_WORLD);
  CODE(nc_abort(file));
  TELL("a file: %s\n", access(path, F_OK) == 0 ? "yes" : "no");
  CODE(nc_create_par(path, NC_NETCDF4 | NC_NOCLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  begin_small(path, &var);
  CHECK(nc_def_var_filter(file, var, 32015, 1, (unsigned[]){3}));
  CHECK(nc_inq_var_filter_info(file, var, 32015, &count, &level));
  CODE(nc_var_par_access(file, var, NC_INDEPENDENT));
  CHECK(nc_put_vara_int(file, var, (size_t[]){0}, (size_t[]){rank == 0 ? NX : 0}, values));
  memset(values, 0, sizeof values);
  CHECK(nc_get_var_int(file, var, values));
  for (int i = 0; i < NX; ++i) sum += values[i];
  CHECK(nc_inq_path(file, NULL, name));
  TELL("%s: sum %d, filter of %zu value(s), the first %u\n", name, sum, count, level);
  if (rank == ranks - 1) CHECK(nc_put_vara_int(file, mapped, (size_t[]){3}, (size_t[]){2}, (int[]){10, 20}));
}

/* The last rank alone puts, and then all ranks put the same variable together. */
static void switched(const char* path) {
  int var = -1, values[NX];
  begin_small(path, &var);
  CHECK(nc_enddef(file));
  for (int i = 0; i < NX; ++i) values[i] = 5;
  CHECK(nc_var_par_access(file, mapped, NC_COLLECTIVE));
  CHECK(nc_put_var_int(file, mapped, values));
  CHECK(nc_sync(file));
  CHECK(nc_put_var_int(file, mapped, values));
  for (int i = 0; i < NX; ++i) values[i] = 7;
  if (rank == ranks - 1) {
    CHECK(nc_var_par_access(file, mapped, NC_INDEPENDENT));
    CHECK(nc_put_vara_int(file, mapped, (size_t[]){1}, (size_t[]){NX - 2}, values));
    CHECK(nc_var_par_access(file, mapped, NC_COLLECTIVE));
  }
  CHECK(nc_put_vara_int(file, mapped, (size_t[]){0}, (size_t[]){rank == 0 ? 2 : 0}, (int[]){9, 9}));
  CHECK(nc_close(file));
}

static void misuse(const char* path, const char* way) {
  is_alone = strcmp(way, "alone") == 0;
  const int code = create(path, NC_NETCDF4);
  TELL("create: %d\n", code);
  if (code != NC_NOERR) return;
  define_dims();
  define_filters();
  define_types();
  if (strcmp(way, "refused") == 0) {
    refused();
  } else {
    wrong_definitions();
    wrong_data();
  }
  CODE(nc_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3)
    return fprintf(stderr, "usage: packed FILE alone PARTS|together|wrong WAY|refused|read|ends|switched [classic]\n"),
           2;
  const char* const way = argv[2];
  is_alone = strcmp(way, "alone") == 0;
  is_classic = strcmp(argv[argc - 1], "classic") == 0;
  parts = is_alone && argc > 3 ? atoi(argv[3]) : ranks;
  first = is_alone ? 0 : rank, last = is_alone ? parts : rank + 1;
  if (strcmp(way, "read") == 0)
    read_file(argv[1]);
  else if (strcmp(way, "ends") == 0)
    end_files(argv[1]);
  else if (strcmp(way, "switched") == 0)
    switched(argv[1]);
  else if (is_alone || strcmp(way, "together") == 0)
    write_file(argv[1]);
  else
    misuse(argv[1], argc > 3 ? argv[3] : way);
  MPI_Finalize();
  return 0;
}
