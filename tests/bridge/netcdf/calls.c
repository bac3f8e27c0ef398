/* SPDX-License-Identifier: Apache-2.0 */
/* netCDF's calls, all those that concern classic files, with good and with bad arguments; rank 0 prints each answer.
 * Made by every rank in the same order, on one file:
 *
 *   calls FILE FORMAT plain         nc_create: without the bridge on one rank, or through it on any number
 *   calls FILE FORMAT collective     nc_create_par, then nc_var_par_access
 *
 * FORMAT is 1, 2 or 5. Every rank puts a part of the long dimension and reads the whole; the file that is left, and
 * what is printed, depend on neither the ranks nor the way. */
#include "netcdf/calls.hpp"

#include <mpi.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls_asked.h"

enum { LONG = 24, SHORT = 3 };

static int ranks, short_dim;

static void create(const char* path, int format, const char* way) {
  const int mode = NC_CLOBBER | (format == 5 ? NC_64BIT_DATA : format == 2 ? NC_64BIT_OFFSET : 0);
  if (strcmp(way, "plain") == 0) {
    TELL(nc_create("/no-such-folder/file.nc", NC_CLOBBER, &file));
    TELL(nc_create("conflict.nc", NC_64BIT_DATA | NC_64BIT_OFFSET, &file));
    MUST(nc_create(path, mode, &file));
  } else {
    MUST(nc_create_par(path, mode, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  }
}

static void define_refused(void) {
  int id = -1;
  TELL(nc_def_dim(file, "t", NC_UNLIMITED, &id));
  TELL(nc_def_dim(file, "long", 4, &id));
  TELL(nc_def_dim(file, "a/b", 4, &id));
  TELL(nc_def_dim(file, "", 4, &id));
  TELL(nc_def_var(file, "no_type", 99, 0, NULL, &id));
  TELL(nc_def_var(file, "string", NC_STRING, 0, NULL, &id));
  TELL(nc_def_var(file, "no_dim", NC_INT, 1, &(int){77}, &id));
  TELL(nc_def_var(file, "late_record", NC_INT, 2, ((int[]){long_dim, t_dim}), &id));
  TELL(nc_def_grp(file, "group", &id));
  TELL(nc_def_compound(file, 8, "compound", &id));
  TELL(nc_def_vlen(file, "vlen", NC_INT, &id));
  TELL(nc_def_enum(file, NC_INT, "enum", &id));
  TELL(nc_def_opaque(file, 8, "opaque", &id));
  TELL(nc_insert_compound(file, 40, "field", 0, NC_INT));
  TELL(nc_insert_array_compound(file, 40, "field", 0, NC_INT, 1, &(int){2}));
  TELL(nc_insert_enum(file, 40, "member", &(int){2}));
  TELL(nc_rename_grp(file, "group"));
  TELL(nc_inq_grp_ncid(file, "group", &id));
  TELL(nc_inq_grp_full_ncid(file, "/group", &id));
  TELL(nc_redef(file));
}

/* A variable a type, of records if its number is even. */
static const struct {
  const char* name;
  nc_type type;
  int oldest_format;
} kinds[] = {{"byte", NC_BYTE, 1},   {"char", NC_CHAR, 1},     {"short", NC_SHORT, 1},  {"int", NC_INT, 1},
             {"float", NC_FLOAT, 1}, {"double", NC_DOUBLE, 1}, {"ubyte", NC_UBYTE, 5},  {"ushort", NC_USHORT, 5},
             {"uint", NC_UINT, 5},   {"int64", NC_INT64, 5},   {"uint64", NC_UINT64, 5}};

static void define(int format) {
  MUST(nc_def_dim(file, "t", NC_UNLIMITED, &t_dim));
  MUST(nc_def_dim(file, "long", LONG, &long_dim));
  MUST(nc_def_dim(file, "short", SHORT, &short_dim));
  define_refused();
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
    int var = -1;
    if (kinds[k].oldest_format > format) continue;
    MUST(nc_def_var(file, kinds[k].name, kinds[k].type, 3, (int[]){k % 2 ? short_dim : t_dim, short_dim, long_dim},
                    &var));
    ++nvars;
  }
  int scalar;
  MUST(nc_def_var(file, "scalar", NC_DOUBLE, 0, NULL, &scalar));
  const size_t here[] = {0, 0, 0};
  TELL(nc_put_var1_double(file, 0, here, &(double){1}));
  TELL(nc_def_var_deflate(file, 0, 1, 1, 1));
  TELL(nc_def_var_fletcher32(file, 0, 1));
  TELL(nc_def_var_chunking(file, 0, NC_CHUNKED, here));
  TELL(nc_def_var_endian(file, 0, NC_ENDIAN_BIG));
  TELL(nc_set_var_chunk_cache(file, 0, 1, 1, 0.5F));
  TELL(nc_get_var_chunk_cache(file, 0, NULL, NULL, NULL));
  TELL(nc_def_var_filter(file, 0, 1, 0, NULL));
  TELL(nc_def_var_szip(file, 0, 32, 8));
  TELL(nc_def_var_quantize(file, 0, 1, 3));
  TELL(nc_inq_filter_avail(file, 1));
  signed char fill = 0;
  TELL(nc_def_var_fill(file, 0, NC_FILL, &(signed char){-9}));
  TELL(nc_def_var_fill(file, 77, NC_FILL, NULL));
  TELL(nc_inq_var_fill(file, 0, NULL, &fill));
  SAY("  %d\n", fill);
}

/* Every form in every type of memory, into every numeric variable: values that fit all types. */
static void put_as(int var, int is_record, const char* type_word, int turn) {
  const size_t rows = is_record ? 2 : SHORT;
  const size_t begin = (size_t)(LONG * rank / ranks) / 2 * 2,
               end = rank + 1 == ranks ? LONG : (size_t)(LONG * (rank + 1) / ranks) / 2 * 2;
  const size_t width = end - begin;
#define X(word, c_type, NUMBER)                                                                 \
  if (strcmp(type_word, #word) == 0) {                                                          \
    c_type values[SHORT * SHORT * LONG];                                                        \
    const size_t start[] = {0, 0, begin}, count[] = {rows, SHORT, width}, one[] = {1, 2, 5};    \
    const size_t half[] = {rows, 2, width / 2}, mirrored[] = {rows, 1, width};                  \
    const ptrdiff_t stride[] = {1, 2, 2}, map[] = {(ptrdiff_t)width, 1, 1};                     \
    for (size_t i = 0; i < rows * SHORT * LONG; ++i) values[i] = (c_type)(1 + (turn + i) % 90); \
    if (!is_record) MUST(nc_put_var_##word(file, var, values));                                 \
    for (size_t i = 0; i < rows * SHORT * width; ++i)                                           \
      values[i] = (c_type)(1 + (turn + i / width * 7 + begin + i % width) % 100);               \
    MUST(nc_put_vara_##word(file, var, start, count, values));                                  \
    for (size_t i = 0; i < rows * 2 * (width / 2); ++i) values[i] = (c_type)(50 + turn % 20);   \
    MUST(nc_put_vars_##word(file, var, start, half, stride, values));                           \
    MUST(nc_put_varm_##word(file, var, start, mirrored, NULL, map, values));                    \
    MUST(nc_sync(file));                                                                        \
    MPI_Barrier(MPI_COMM_WORLD);                                                                \
    MUST(nc_put_var1_##word(file, var, one, &(const c_type){99}));                              \
    MUST(nc_sync(file));                                                                        \
    MPI_Barrier(MPI_COMM_WORLD);                                                                \
  }
  WEIR_NETCDF_TYPES(X)
#undef X
}

static void get_as(int var, int is_record, const char* type_word) {
  const size_t rows = is_record ? 2 : SHORT;
#define X(word, c_type, NUMBER)                                                                         \
  if (strcmp(type_word, #word) == 0) {                                                                  \
    c_type values[SHORT * SHORT * LONG], one = 0;                                                       \
    const size_t start[] = {0, 0, 0}, count[] = {rows, SHORT, LONG}, half[] = {rows, 2, LONG / 2};      \
    const ptrdiff_t stride[] = {1, 2, 2}, map[] = {1, (ptrdiff_t)rows, (ptrdiff_t)rows * SHORT};        \
    double sums[5] = {0, 0, 0, 0, 0};                                                                   \
    MUST(nc_get_vara_##word(file, var, start, count, values));                                          \
    for (size_t i = 0; i < rows * SHORT * LONG; ++i) sums[0] += (double)(i % 31) * (double)values[i];   \
    MUST(nc_get_vars_##word(file, var, start, half, stride, values));                                   \
    for (size_t i = 0; i < rows * LONG; ++i) sums[1] += (double)(i % 31) * (double)values[i];           \
    MUST(nc_get_varm_##word(file, var, start, count, NULL, map, values));                               \
    for (size_t i = 0; i < rows * SHORT * LONG; ++i) sums[2] += (double)(i % 31) * (double)values[i];   \
    MUST(nc_get_var_##word(file, var, values));                                                         \
    for (size_t i = 0; i < rows * SHORT * LONG; ++i) sums[3] += (double)(i % 31) * (double)values[i];   \
    MUST(nc_get_var1_##word(file, var, (size_t[]){1, 2, 5}, &one));                                     \
    SAY("var %d as %s: %g %g %g %g %g\n", var, #word, sums[0], sums[1], sums[2], sums[3], (double)one); \
  }
  WEIR_NETCDF_TYPES(X)
#undef X
}

static void put_and_get(void) {
  static const char* const words[] = {
#define X(word, c_type, NUMBER) #word,
      WEIR_NETCDF_TYPES(X)
#undef X
  };
  const int count = sizeof words / sizeof *words;
  for (int var = 0; var < nvars; ++var)
    for (int w = 0; w < count; ++w)
      if ((w == 0) == (var == 1)) put_as(var, var % 2 == 0, words[w], var * count + w);
  const double pi = 3.25;
  MUST(nc_put_var_double(file, nvars, &pi));
  MUST(nc_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  for (int var = 0; var < nvars; ++var)
    for (int w = 0; w < count; ++w)
      if ((w == 0) == (var == 1)) get_as(var, var % 2 == 0, words[w]);
}

/* Calls without a type take the variable's. */
static void put_and_get_untyped(void) {
  int values[SHORT * SHORT * LONG], back[SHORT * SHORT * LONG];
  const int var = 3;
  const size_t start[] = {0, 0, 0}, count[] = {SHORT, SHORT, LONG}, one[] = {0, 1, 2},
               half[] = {SHORT, SHORT, LONG / 2};
  const ptrdiff_t stride[] = {1, 1, 2}, map[] = {SHORT * LONG, LONG, 1};
  for (int i = 0; i < SHORT * SHORT * LONG; ++i) values[i] = i * 3;
  MUST(nc_put_var(file, var, values));
  MUST(nc_put_vara(file, var, start, count, values));
  MUST(nc_put_varm(file, var, start, count, NULL, map, values));
  MUST(nc_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(nc_put_var1(file, var, one, &(int){-5}));
  MUST(nc_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(nc_get_var(file, var, back));
  MUST(nc_get_var1(file, var, one, back));
  SAY("untyped: %d %d\n", back[0], back[SHORT * SHORT * LONG - 1]);
  MUST(nc_get_vara(file, var, start, count, back));
  MUST(nc_get_vars(file, var, start, half, stride, back));
  SAY("untyped: %d %d\n", back[1], back[SHORT * SHORT * LONG / 2 - 1]);
  MUST(nc_put_vars(file, var, start, half, stride, back));
  MUST(nc_get_varm(file, var, start, count, NULL, map, back));
  SAY("untyped: %d\n", back[26]);
}

static void refused_data(void) {
  const size_t at[] = {0, 0, 0}, beyond[] = {0, 0, LONG + 1}, one[] = {1, 1, 1}, wide[] = {1, 1, LONG + 1};
  const ptrdiff_t zero[] = {1, 1, 0};
  float values[LONG + 1] = {1};
  char letters[LONG + 1] = "a";
  char* string = NULL;
  TELL(nc_put_vara_float(file, 0, beyond, one, values));
  TELL(nc_put_vara_float(file, 0, at, wide, values));
  TELL(nc_put_vars_float(file, 0, at, one, zero, values));
  TELL(nc_put_vara_text(file, 0, at, one, letters));
  TELL(nc_put_vara_float(file, 1, at, one, values));
  TELL(nc_put_vara_float(file, 77, at, one, values));
  TELL(nc_put_vara_float(file, 0, NULL, one, values));
  TELL(nc_get_vara_float(file, 0, beyond, one, values));
  TELL(nc_get_vara_float(file, 3, at, wide, values));
  TELL(nc_get_vars_float(file, 3, at, one, zero, values));
  TELL(nc_get_vara_text(file, 0, at, one, letters));
  TELL(nc_get_vara_float(file, 1, at, one, values));
  TELL(nc_get_vara_float(file, 77, at, one, values));
  TELL(nc_get_vara_float(file, 0, (size_t[]){9, 0, 0}, one, values));
  TELL(nc_get_var1_string(file, 1, at, &string));
  TELL(nc_put_vara_int(file, 0, at, one, (int[]){1000}));
  MUST(nc_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  MUST(nc_put_vara_int(file, 0, at, one, (int[]){100}));
  TELL(nc_enddef(file));
  TELL(nc_def_dim(file, "late", 3, NULL));
}

static void redefine(void) {
  int var = -1;
  TELL(nc_redef(file));
  TELL(nc_sync(file));
  TELL(nc_rename_dim(file, short_dim, "renamed_dim"));
  TELL(nc_rename_var(file, 0, "renamed_variable"));
  TELL(nc_rename_var(file, 1, "renamed_variable"));
  MUST(nc_def_var(file, "late", NC_FLOAT, 1, &long_dim, &var));
  MUST(nc_put_att_text(file, var, "units", 1, "m"));
  TELL(nc__enddef(file, 200, 4, 0, 4));
  float values[LONG];
  for (int i = 0; i < LONG; ++i) values[i] = (float)i / 4;
  MUST(nc_put_var_float(file, var, values));
  TELL(nc_put_att_text(file, var, "units", 1, "k"));
  TELL(nc_rename_var(file, 0, "renamed_variably"));
  TELL(nc_rename_var(file, 0, "a_name_that_is_longer"));
}

static void reopen(const char* path, const char* way) {
  const int closed = file;
  int mode = -1;
  MUST(nc_close(file));
  TELL(nc_inq(closed, NULL, NULL, NULL, NULL));
  TELL(nc_close(closed));
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(way, "plain") == 0) TELL(nc_create(path, NC_NOCLOBBER, &file));
  MUST(strcmp(way, "plain") == 0 ? nc_open(path, NC_NOWRITE, &file)
                                 : nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  TELL(nc_redef(file));
  TELL(nc_put_att_text(file, NC_GLOBAL, "title", 4, "text"));
  TELL(nc_set_fill(file, NC_NOFILL, &mode));
  get_as(0, 1, "int");
  MUST(nc_close(file));
  MUST(strcmp(way, "plain") == 0 ? nc_open(path, NC_WRITE, &file)
                                 : nc_open_par(path, NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  if (strcmp(way, "collective") == 0) MUST(nc_var_par_access(file, NC_GLOBAL, NC_COLLECTIVE));
  put_as(2, 1, "double", 5);
  get_as(2, 1, "double");
  MUST(nc_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) return fprintf(stderr, "usage: calls FILE FORMAT plain|collective\n"), 2;
  create(argv[1], atoi(argv[2]), argv[3]);
  define(atoi(argv[2]));
  set_attributes();
  ask_attributes();
  ask();
  int mode = -1;
  TELL(nc_set_fill(file, NC_NOFILL, NULL));
  TELL(nc_set_fill(file, NC_FILL, &mode));
  TELL(nc_set_fill(file, 77, &mode));
  TELL(nc_set_fill(file, NC_NOFILL, NULL));
  SAY("  %d\n", mode);
  MUST(nc_enddef(file));
  if (strcmp(argv[3], "collective") == 0) MUST(nc_var_par_access(file, NC_GLOBAL, NC_COLLECTIVE));
  put_and_get();
  put_and_get_untyped();
  refused_data();
  redefine();
  ask();
  reopen(argv[1], argv[3]);
  MPI_Finalize();
  return 0;
}
