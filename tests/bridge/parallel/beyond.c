/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel netCDF-4 files with what Weir's files have not. Prints what rank 0 is told and gets back.
 *
 *   beyond FILE CASE   CASE: grow, types, strings, groups, order, filter, plugin ID|szip PARAMETER..., partly, late,
 * deep, attributes, opened (FILE is there), after, differing, left (open), refused; refused_plain: FILE is of nc_create
 * by every rank */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_par.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { NX = 12, NY = 10, RECORDS = 3 };

static int rank, ranks, file, x = 2, y = 1, t = 0, field;

static int start_of(int part, int length) {
  return length * part / ranks;
}

/* While another file has a lower number, which is free later; and the program frees what it gave. */
static void create(const char* path, int mode) {
  int before = -1;
  MPI_Info info;
  MPI_Comm comm;
  CHECK(nc_create("before.nc", NC_DISKLESS, &before));
  MPI_Info_create(&info);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(nc_create_par(path, NC_NETCDF4 | mode, comm, info, &file));
  MPI_Info_free(&info);
  MPI_Comm_free(&comm);
  CHECK(nc_close(before));
}

static void collective(int var) {
  CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
}

/* What a file of Weir's has: chunks, filters, fill values, a fill mode, numbers of every definition. */
static void define_plain(void) {
  int without = -1;
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, &t));
  CHECK(nc_def_dim(file, "y", NY, &y));
  CHECK(nc_def_dim(file, "x", NX, &x));
  CHECK(nc_put_att_text(file, NC_GLOBAL, "title", 4, "test"));
  CHECK(nc_def_var(file, "field", NC_FLOAT, 3, ((int[]){t, y, x}), &field));
  CHECK(nc_def_var_chunking(file, field, NC_CHUNKED, ((size_t[]){1, NY / 2, NX})));
  CHECK(nc_def_var_deflate(file, field, 1, 1, 2));
  CHECK(nc_put_att_float(file, field, "_FillValue", NC_FLOAT, 1, (float[]){-9}));
  CHECK(nc_def_var(file, "without", NC_INT, 1, &x, &without));
  CHECK(nc_def_var_fill(file, without, NC_NOFILL, NULL));
  CHECK(nc_put_att_text(file, without, "units", 1, "m"));
}

static void put_field(int record) {
  const int first = start_of(rank, NY), last = start_of(rank + 1, NY);
  float values[NY * NX];
  for (int i = 0; i < (last - first) * NX; ++i) values[i] = (float)(record * 1000 + first * NX + i);
  CHECK(nc_put_vara_float(file, field, ((size_t[]){(size_t)record, (size_t)first, 0}),
                          ((size_t[]){1, (size_t)(last - first), NX}), values));
}

/* By one rank; all ask of the variable first: netCDF-C 4.10 over HDF5 2 waits for them where it has not read it yet. */
static void put_without(void) {
  int without = -1, ndims = 0;
  CHECK(nc_inq_varid(file, "without", &without));
  CHECK(nc_inq_varndims(file, without, &ndims));
  if (rank == 0) CHECK(nc_put_var_float(file, without, (float[NX]){1, 2, 3}));
}

static void tell(int of) {
  int ndims = 0, nvars = 0, natts = 0, unlimited = 0, count = 0, all[NC_MAX_DIMS];
  size_t length = 0;
  char path[NC_MAX_NAME + 1];
  CHECK(nc_inq(of, &ndims, &nvars, &natts, &unlimited));
  CHECK(nc_inq_unlimdims(of, &count, all));
  TELL("%d dimensions, %d variables, %d attributes, unlimited %d of %d:", ndims, nvars, natts, unlimited, count);
  for (int i = 0; i < count; ++i) {
    CHECK(nc_inq_dimlen(of, all[i], &length));
    TELL(" %zu", length);
  }
  CHECK(nc_inq_path(of, NULL, path));
  TELL(", in %s\n", path);
}

/* Stations come, and records come, each by puts; one dimension that grows is a variable's last. */
static void grow(void) {
  int stations = -1, observed = -1, names = -1, turned = -1;
  define_plain();
  collective(field);
  CHECK(nc_def_dim(file, "station", NC_UNLIMITED, &stations));
  CHECK(nc_def_var(file, "observed", NC_DOUBLE, 2, ((int[]){t, stations}), &observed));
  CHECK(nc_def_var(file, "number", NC_INT, 1, &stations, &names));
  CHECK(nc_def_var(file, "turned", NC_SHORT, 2, ((int[]){x, stations}), &turned));
  CHECK(nc_def_var_chunking(file, turned, NC_CHUNKED, ((size_t[]){NX, 4})));
  CHECK(nc_enddef(file));
  collective(observed), collective(names), collective(turned);
  tell(file);
  for (int step = 0; step < RECORDS; ++step) {
    const size_t first = (size_t)(step * ranks + rank);
    put_field(step);
    CHECK(nc_put_vara_double(file, observed, ((size_t[]){(size_t)step, first}), ((size_t[]){1, 1}),
                             (double[]){step + rank / 8.0}));
    CHECK(nc_put_vara_int(file, names, &first, ((size_t[]){1}), (int[]){(int)first}));
    CHECK(nc_put_vara_int(file, turned, ((size_t[]){(size_t)(rank % NX), first}), ((size_t[]){1, 1}), (int[]){step}));
    tell(file);
  }
  double last = 0;
  CHECK(nc_sync(file));
  CHECK(nc_get_vara_double(file, observed, ((size_t[]){1, (size_t)ranks}), ((size_t[]){1, 1}), &last));
  TELL("the second record begins with %g\n", last);
}

struct place {
  double latitude;
  int level;
};

static void types(void) {
  int compound = -1, colour = -1, opaque = -1, list = -1, places = -1, colours = -1, blobs = -1, fields = 0;
  size_t bytes = 0;
  char name[NC_MAX_NAME + 1];
  define_plain();
  collective(field);
  CHECK(nc_def_compound(file, sizeof(struct place), "place", &compound));
  CHECK(nc_insert_compound(file, compound, "latitude", offsetof(struct place, latitude), NC_DOUBLE));
  CHECK(nc_insert_compound(file, compound, "level", offsetof(struct place, level), NC_INT));
  CHECK(nc_def_enum(file, NC_BYTE, "colour", &colour));
  CHECK(nc_insert_enum(file, colour, "red", (signed char[]){1}));
  CHECK(nc_insert_enum(file, colour, "blue", (signed char[]){2}));
  CHECK(nc_def_opaque(file, 3, "blob", &opaque));
  CHECK(nc_def_vlen(file, "list", NC_INT, &list));
  CHECK(nc_def_var(file, "places", compound, 1, &x, &places));
  CHECK(nc_def_var(file, "colours", colour, 1, &x, &colours));
  CHECK(nc_def_var(file, "blobs", opaque, 1, &x, &blobs));
  CHECK(nc_put_att(file, field, "origin", compound, 1, &((struct place){1.5, 3})));
  CHECK(nc_enddef(file));
  collective(places), collective(colours), collective(blobs);
  CHECK(nc_inq_compound(file, compound, name, &bytes, NULL));
  CHECK(nc_inq_compound_nfields(file, compound, (size_t*)&bytes));
  CHECK(nc_inq_typeids(file, &fields, NULL));
  TELL("%s of %zu fields, one of %d types\n", name, bytes, fields);
  const size_t first = (size_t)start_of(rank, NX), count = (size_t)start_of(rank + 1, NX) - first;
  struct place mine[NX];
  signed char tones[NX];
  char bits[3 * NX];
  memset(mine, 0, sizeof mine);
  for (size_t i = 0; i < count; ++i) {
    mine[i].latitude = (double)(first + i) / 2, mine[i].level = (int)(first + i);
    tones[i] = (signed char)(1 + (first + i) % 2);
    memset(bits + 3 * i, (int)(first + i), 3);
  }
  CHECK(nc_put_vara(file, places, &first, &count, mine));
  CHECK(nc_put_vara(file, colours, &first, &count, tones));
  CHECK(nc_put_vara(file, blobs, &first, &count, bits));
  for (int record = 0; record < RECORDS; ++record) put_field(record);
  tell(file);
}

static void strings(void) {
  int names = -1;
  char* back[NX] = {NULL};
  define_plain();
  collective(field);
  CHECK(nc_def_var(file, "names", NC_STRING, 1, &x, &names));
  CHECK(nc_put_att_string(file, names, "kinds", 2, ((const char*[]){"long", ""})));
  CHECK(nc_enddef(file));
  collective(names);
  CODE(nc_put_vara_string(file, names, ((size_t[]){0}), ((size_t[]){1}), ((const char*[]){"first"})));
  CODE(nc_get_vara_string(file, names, ((size_t[]){0}), ((size_t[]){1}), back));
  TELL("%s\n", back[0] ? back[0] : "none");
  nc_free_string(1, back);
  for (int record = 0; record < RECORDS; ++record) put_field(record);
  tell(file);
}

static void groups(void) {
  int group = -1, parent = -1, inner = -1, depth = -1;
  define_plain();
  collective(field);
  CHECK(nc_def_grp(file, "ice", &group));
  CHECK(nc_def_dim(group, "layer", 2, &depth));
  CHECK(nc_def_var(group, "area", NC_INT, 2, ((int[]){depth, x}), &inner));
  CHECK(nc_inq_grp_parent(group, &parent));
  TELL("the parent is %s\n", parent == file ? "the file" : "another");
  CHECK(nc_enddef(file));
  CHECK(nc_put_var1_int(group, inner, ((size_t[]){(size_t)(rank % 2), (size_t)(rank % NX)}), &rank));
  for (int record = 0; record < RECORDS; ++record) put_field(record);
  tell(file), tell(group);
}

static void order(void) {
  int turned = -1;
  define_plain();
  CHECK(nc_def_var(file, "turned", NC_INT, 2, ((int[]){x, t}), &turned));
  CHECK(nc_def_var_endian(file, turned, NC_ENDIAN_BIG));
  CHECK(nc_enddef(file));
  collective(field), collective(turned);
  for (int record = 0; record < RECORDS; ++record) {
    put_field(record);
    CHECK(nc_put_vara_int(file, turned, ((size_t[]){(size_t)(rank % NX), (size_t)record}), ((size_t[]){1, 1}), &rank));
  }
  tell(file);
}

/* A filter that HDF5 finds by its plugin path (filter.c), on two variables. */
static void filter(void) {
  int more = -1;
  unsigned ids[4], mask = 0;
  size_t count = 0;
  define_plain();
  CHECK(nc_def_var(file, "turned", NC_SHORT, 2, ((int[]){t, x}), &more));
  CHECK(nc_def_var_chunking(file, more, NC_CHUNKED, ((size_t[]){1, NX})));
  CODE(nc_def_var_filter(file, more, 40124, 0, NULL));
  CHECK(nc_def_var_filter(file, more, 40123, 1, (unsigned[]){5}));
  CHECK(nc_def_var_filter(file, field, 40123, 0, NULL));
  CHECK(nc_enddef(file));
  CHECK(nc_inq_var_filter_info(file, more, 40123, &count, &mask));
  CHECK(nc_inq_var_filter_ids(file, field, &count, ids));
  TELL("a mask of %u, and field has %zu filters\n", mask, count);
  collective(field), collective(more);
  for (int record = 0; record < RECORDS; ++record) {
    put_field(record);
    CHECK(nc_put_vara_int(file, more, ((size_t[]){(size_t)record, 0}), ((size_t[]){1, rank == 0 ? NX : 0}),
                          (int[NX]){1, 2, 3}));
  }
  tell(file);
}

/* A filter of which only the number and the parameters are known, on a variable that has no other one. */
static void plugin(int words, char** word) {
  unsigned parameters[16] = {0};
  int packed = -1, length = words - 1 < 16 ? words - 1 : 16;
  for (int i = 0; i < length; ++i) parameters[i] = (unsigned)strtoul(word[1 + i], NULL, 10);
  define_plain();
  CHECK(nc_def_var(file, "packed", NC_FLOAT, 3, ((int[]){t, y, x}), &packed));
  CHECK(nc_def_var_chunking(file, packed, NC_CHUNKED, ((size_t[]){1, NY, NX})));
  if (strcmp(word[0], "szip") == 0)
    CODE(nc_def_var_szip(file, packed, NC_SZIP_NN, (int)parameters[0]));
  else
    CODE(nc_def_var_filter(file, packed, (unsigned)strtoul(word[0], NULL, 10), (size_t)length, parameters));
  CHECK(nc_enddef(file));
  collective(field), collective(packed);
  for (int record = 0; record < RECORDS; ++record) {
    const int first = start_of(rank, NY), last = start_of(rank + 1, NY);
    float values[NY * NX];
    for (int i = 0; i < (last - first) * NX; ++i) values[i] = (float)record + (float)(first * NX + i) / 16;
    put_field(record);
    CHECK(nc_put_vara_float(file, packed, ((size_t[]){(size_t)record, (size_t)first, 0}),
                            ((size_t[]){1, (size_t)(last - first), NX}), values));
  }
  tell(file);
}

/* A filter that one rank does not find: no rank uses it, and the file is Weir's. */
static void partly(void) {
  size_t count = 0;
  define_plain();
  CODE(nc_def_var_filter(file, field, 40123, 0, NULL));
  CODE(nc_def_var_filter(file, field, 40124, 0, NULL));
  CHECK(nc_inq_var_filter_ids(file, field, &count, NULL));
  TELL("field has %zu filters\n", count);
  CHECK(nc_enddef(file));
  collective(field);
  for (int record = 0; record < RECORDS; ++record) put_field(record);
  tell(file);
}

/* The file has a little data when the definition comes: of all ranks, of one, of another type; and definitions of which
 * some have ended, and some have not. */
static void late(void) {
  int alone = -1, scalar = -1, later = -1, names = -1;
  define_plain();
  CHECK(nc_def_var(file, "alone", NC_SHORT, 1, &x, &alone));
  CHECK(nc_def_var(file, "scalar", NC_DOUBLE, 0, NULL, &scalar));
  CHECK(nc_enddef(file));
  collective(field);
  for (int record = 0; record < 2; ++record) put_field(record);
  if (rank == ranks - 1) {
    CHECK(nc_put_vars_int(file, alone, ((size_t[]){1}), ((size_t[]){3}), ((ptrdiff_t[]){2}), ((int[]){7, 8, 9})));
    CHECK(nc_put_vara_int(file, alone, ((size_t[]){6}), ((size_t[]){2}), ((int[]){10, 11})));
    CHECK(nc_put_vara_int(file, alone, ((size_t[]){8}), ((size_t[]){1}), ((int[]){12})));
    CHECK(nc_put_vara_short(file, alone, ((size_t[]){9}), ((size_t[]){1}), ((short[]){13})));
    CHECK(nc_put_vara_int(file, alone, ((size_t[]){3}), ((size_t[]){1}), ((int[]){14})));
  }
  if (rank == 0) CHECK(nc_put_var_int(file, scalar, (int[]){4}));
  CHECK(nc_redef(file));
  CHECK(nc_put_att_text(file, field, "units", 1, "K"));
  CHECK(nc_def_var(file, "later", NC_BYTE, 1, &x, &later));
  CHECK(nc_def_var(file, "names", NC_STRING, 1, &x, &names));
  CHECK(nc_def_var_deflate(file, later, 0, 1, 5));
  CODE(nc_def_var_deflate(file, field, 0, 1, 5));
  CHECK(nc_enddef(file));
  put_field(2);
  tell(file);
}

/* A file that is there gets a group. */
static void opened(const char* path) {
  int group = -1, more = -1;
  CHECK(nc_open_par(path, NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_inq_varid(file, "field", &field));
  collective(field);
  put_field(0);
  CHECK(nc_def_dim(file, "depth", 4, &more));
  CHECK(nc_def_grp(file, "ice", &group));
  CHECK(nc_def_var(group, "area", NC_INT, 2, ((int[]){more, x}), &more));
  put_field(1);
  tell(file), tell(group);
}

/* Weir has written the file when the definition comes. */
static void after(void) {
  int more = -1;
  define_plain();
  CHECK(nc_enddef(file));
  collective(field);
  put_field(0);
  CHECK(nc_sync(file));
  CODE(nc_def_dim(file, "more", NC_UNLIMITED, &more));
  put_field(1);
  tell(file);
}

/* Chunks of half of x and y and all levels: file order crosses all of a record. */
static void deep(void) {
  enum { LEVELS = 16, SIDE = 128 };
  int z = -1, north = -1, east = -1, var = -1;
  define_plain();
  CHECK(nc_def_dim(file, "z", LEVELS, &z));
  CHECK(nc_def_dim(file, "north", SIDE, &north));
  CHECK(nc_def_dim(file, "east", SIDE, &east));
  CHECK(nc_def_var(file, "deep", NC_FLOAT, 4, ((int[]){t, z, north, east}), &var));
  CHECK(nc_def_var_chunking(file, var, NC_CHUNKED, ((size_t[]){1, LEVELS, SIDE / 2, SIDE / 2})));
  CHECK(nc_def_var_deflate(file, var, 1, 1, 1));
  CHECK(nc_enddef(file));
  collective(field), collective(var);
  static float values[LEVELS * SIDE * SIDE];
  const int first = start_of(rank, SIDE), rows = start_of(rank + 1, SIDE) - first;
  for (int record = 0; record < RECORDS; ++record) {
    for (int i = 0; i < LEVELS * rows * SIDE; ++i) values[i] = (float)(record + i % (rows * SIDE) + first * SIDE);
    put_field(record);
    CHECK(nc_put_vara_float(file, var, ((size_t[]){(size_t)record, 0, (size_t)first, 0}),
                            ((size_t[]){1, LEVELS, (size_t)rows, SIDE}), values));
  }
  tell(file);
}

/* One rank defines what the others do not. */
static void differing(void) {
  int more = -1;
  define_plain();
  if (rank == ranks - 1) CODE(nc_def_dim(file, "more", NC_UNLIMITED, &more));
  CODE(nc_enddef(file));
}

/* The configuration keeps the file from netCDF. Its records have times, for streams. */
static void refused(void) {
  int group = -1, time = -1;
  define_plain();
  CHECK(nc_def_var(file, "time", NC_DOUBLE, 1, &t, &time));
  CHECK(nc_put_att_text(file, time, "units", 21, "days since 2000-01-01"));
  CODE(nc_def_grp(file, "ice", &group));
  CODE(nc_def_grp(file, "sea", &group));
  CHECK(nc_enddef(file));
  collective(field), collective(time);
  for (int record = 0; record < RECORDS; ++record) {
    CHECK(nc_put_var1_double(file, time, ((size_t[]){(size_t)record}), (double[]){(record + 1) / 2.0}));
    put_field(record);
  }
  tell(file);
}

static void attributes(void) {
  size_t count = 0;
  char* back[3] = {NULL};
  define_plain();
  collective(field);
  CHECK(nc_put_att_string(file, NC_GLOBAL, "authors", 3, ((const char*[]){"one", "", "another"})));
  CHECK(nc_put_att_string(file, field, "long_name", 1, ((const char*[]){"a field"})));
  CHECK(nc_enddef(file));
  for (int record = 0; record < RECORDS; ++record) put_field(record);
  CHECK(nc_put_att_string(file, field, "comment", 1, ((const char*[]){"after data"})));
  CHECK(nc_inq_attlen(file, NC_GLOBAL, "authors", &count));
  CHECK(nc_get_att_string(file, NC_GLOBAL, "authors", back));
  TELL("%zu authors, the last one is %s\n", count, back[2]);
  nc_free_string(3, back);
  tell(file);
}

/* The program ends without a close, and with puts that nothing has brought to storage. */
static void leave(void) {
  define_plain();
  CHECK(nc_enddef(file));
  collective(field);
  put_field(0);
  CHECK(nc_sync(file));
  for (int record = 1; record < RECORDS; ++record) put_field(record);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) return fprintf(stderr, "usage: beyond FILE CASE\n"), 2;
  const char* const which = argv[2];
  if (strcmp(which, "refused_plain") == 0)
    CHECK(nc_create(argv[1], NC_NETCDF4 | NC_CLOBBER, &file));
  else if (strcmp(which, "opened") != 0)
    create(argv[1], NC_CLOBBER);
  if (strcmp(which, "grow") == 0) grow();
  if (strcmp(which, "types") == 0) types();
  if (strcmp(which, "strings") == 0) strings();
  if (strcmp(which, "groups") == 0) groups();
  if (strcmp(which, "order") == 0) order();
  if (strcmp(which, "filter") == 0) filter();
  if (strcmp(which, "plugin") == 0 && argc > 3) plugin(argc - 3, argv + 3);
  if (strcmp(which, "partly") == 0) partly();
  if (strcmp(which, "late") == 0) late();
  if (strcmp(which, "opened") == 0) opened(argv[1]);
  if (strcmp(which, "after") == 0) after();
  if (strcmp(which, "deep") == 0) deep();
  if (strcmp(which, "differing") == 0) differing();
  if (strcmp(which, "attributes") == 0) attributes();
  if (strcmp(which, "left") == 0) leave();
  if (strncmp(which, "refused", 7) == 0) refused();
  if (strcmp(which, "differing") != 0 && strcmp(which, "refused_plain") != 0) put_without();
  if (strcmp(which, "left") != 0) CODE(nc_close(file));
  MPI_Finalize();
  return 0;
}
