/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks define a netCDF-4 file in different ways, in the order in which XIOS calls: coordinates are put between
 * definitions, attributes come after data.
 *
 *   own FILE alone ELEMENTS           nc_create on one rank: what the others are held to
 *   own FILE attributes ELEMENTS      nc_create_par: each rank gives attributes a value, a length, a type, an order of
 *                                     its own, has one more or one less, and changes one alone
 *   own FILE alike ELEMENTS           nc_create_par: all ranks define what rank 0 defines
 *   own FILE KIND [WHEN]              some ranks define something else, and rank 0 prints what calls return on all
 * ranks
 *
 * KIND: length, name, type, chunk, filter, missing, another's: one rank's is another one, or is not there, or is there
 * on no other; first: rank 0 alone defines a variable; dimension: one rank alone a dimension; attribute: one rank alone
 * an attribute WHEN: implicit: nobody calls nc_enddef; later: the file has data before; unended: both; synced: both,
 * and a sync comes next, and no put */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

static int rank, ranks, other, alone, own, file, t, x, coordinate, field, elements;
static double* values;

static void create(const char* path) {
  CHECK(alone ? nc_create(path, NC_NETCDF4, &file)
              : nc_create_par(path, NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
}

static void together(int var) {
  if (!alone) CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
}

/* A random number, or the second of the clock, in a model. */
static void put_own(int var, const char* name) {
  char text[40];
  snprintf(text, sizeof text, "of-%03d", own ? rank : 0);
  CHECK(nc_put_att_text(file, var, name, strlen(text), text));
}

static int put(int var, int record, double base) {
  const size_t first = (size_t)elements * (size_t)rank / (size_t)ranks;
  const size_t count = (size_t)elements * (size_t)(rank + 1) / (size_t)ranks - first;
  const size_t start[] = {(size_t)(record < 0 ? 0 : record), first}, counts[] = {1, count};
  for (size_t i = 0; i < count; ++i) values[i] = base + (double)(first + i) / 3;
  return nc_put_vara_double(file, var, start + (record < 0), counts + (record < 0), values);
}

static void define_first(void) {
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, &t));
  CHECK(nc_def_dim(file, "x", (size_t)elements, &x));
  CHECK(nc_def_var(file, "x", NC_DOUBLE, 1, &x, &coordinate));
  put_own(NC_GLOBAL, "uuid");
}

static void define_field(void) {
  CHECK(nc_def_var(file, "field", NC_FLOAT, 2, (int[]){t, x}, &field));
  put_own(field, "timeStamp");
  const float fill[] = {-1, -2};
  const int differs = own && rank == other;
  CHECK(nc_put_att_float(file, field, "_FillValue", NC_FLOAT, 1, fill + differs));
  CHECK(nc_put_att_text(file, field, "long", differs ? 3000 : 3, (const char*)memset(values, 'a', 3000)));
  if (differs)
    CHECK(nc_put_att_int(file, field, "kind", NC_INT, 1, &rank));
  else
    CHECK(nc_put_att_text(file, field, "kind", 4, "text"));
  if (rank == 0 || !own) CHECK(nc_put_att_text(file, field, "of_rank_0", 1, "a"));
  if (differs) CHECK(nc_put_att_text(file, field, "of_another", 1, "a"));
  for (int i = 0; i < 2; ++i) CHECK(nc_put_att_text(file, field, (i + differs) % 2 == 0 ? "first" : "second", 1, "a"));
}

static void write_attributes(const char* path) {
  char text[40] = "";
  create(path);
  define_first();
  CHECK(nc_enddef(file));
  together(coordinate);
  CHECK(put(coordinate, -1, 5));
  CHECK(nc_redef(file));
  define_field();
  CHECK(nc_enddef(file));
  together(field);
  CHECK(put(field, 0, 100));
  CHECK(nc_redef(file));
  put_own(NC_GLOBAL, "between");
  CHECK(nc_enddef(file));
  CHECK(put(field, 1, 200));
  CHECK(nc_sync(file));
  CHECK(nc_redef(file));
  put_own(coordinate, "after");
  if (own && rank == other) CHECK(nc_put_att_text(file, NC_GLOBAL, "uuid", 7, "changed"));
  CHECK(nc_enddef(file));
  CHECK(put(field, 2, 300));
  CHECK(nc_get_att_text(file, coordinate, "after", text));
  TELL("rank 0 gets %s\n", text);
  CHECK(nc_close(file));
}

/* Prints what a call returns, on all ranks. */
static void print_code(const char* call, int code) {
  int both[] = {code, -code};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank != 0) return;
  if (both[0] == -both[1])
    printf("%s: %d\n", call, code);
  else
    printf("%s: %d to %d\n", call, -both[1], both[0]);
}
#define CODE_OF_ALL(call) print_code(#call, call)

/* Some ranks' variable or dimension is another one. */
static void define_otherwise(const char* kind) {
  int z;
  const int here = rank == other;
#define IS(WORD) (here && strcmp(kind, WORD) == 0)
  CHECK(nc_def_dim(file, "z", IS("length") ? 8 : 7, &z));
  if (IS("missing")) return;
  CHECK(nc_def_var(file, IS("name") ? "other" : "field", IS("type") ? NC_INT : NC_FLOAT, 2, (int[]){t, x}, &field));
  CHECK(nc_def_var_chunking(file, field, NC_CHUNKED, (size_t[]){1, IS("chunk") ? 5 : 6}));
  CHECK(nc_def_var_deflate(file, field, 1, 1, IS("filter") ? 2 : 1));
  int alone_var = -1;
  if (IS("another's") || (rank == 0 && strcmp(kind, "first") == 0))
    CHECK(nc_def_var(file, "alone", NC_INT, 1, &x, &alone_var));
  if (IS("dimension")) CHECK(nc_def_dim(file, "alone", 3, &alone_var));
  if (IS("attribute")) CHECK(nc_put_att_text(file, field, "alone", 1, "a"));
}

static void write_otherwise(const char* path, const char* kind, const char* when) {
  const int synced = strcmp(when, "synced") == 0, unended = synced || strcmp(when, "unended") == 0;
  const int implicit = unended || strcmp(when, "implicit") == 0, later = unended || strcmp(when, "later") == 0;
  create(path);
  define_first();
  if (later) {
    CHECK(nc_enddef(file));
    together(coordinate);
    CHECK(put(coordinate, -1, 5));
    CHECK(nc_sync(file));
    CHECK(nc_redef(file));
  }
  define_otherwise(kind);
  if (!implicit) CODE_OF_ALL(nc_enddef(file));
  together(coordinate);
  if (synced)
    CODE_OF_ALL(nc_sync(file));
  else
    CODE_OF_ALL(put(coordinate, -1, 6));
  CODE_OF_ALL(nc_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) return fprintf(stderr, "usage: own FILE alone|attributes|alike ELEMENTS, FILE KIND [WHEN]\n"), 2;
  alone = strcmp(argv[2], "alone") == 0, own = strcmp(argv[2], "attributes") == 0;
  other = ranks > 2 ? 2 : 1;
  const int defines = alone || own || strcmp(argv[2], "alike") == 0;
  elements = defines ? atoi(argv[3]) : 40;
  values = malloc(sizeof *values * (size_t)(elements > 1000 ? elements : 1000));
  if (defines)
    write_attributes(argv[1]);
  else
    write_otherwise(argv[1], argv[2], argc > 3 ? argv[3] : "");
  free(values);
  MPI_Finalize();
  return 0;
}
