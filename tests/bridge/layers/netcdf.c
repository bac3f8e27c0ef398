/* SPDX-License-Identifier: Apache-2.0 */
/* What models' own output layers ask of parallel netCDF-4, in their order of calls. Prints what rank 0 gets back.
 *
 *   layers LAYER FILE [compressed|plain [WORK]]   LAYER: fms, ufs, wrf, fesom, xios, e3sm
 *
 * WORK: passes over 64 KiB that each rank computes before a record; the seconds of the slowest rank are then printed.
 * LARGE makes a level of 720 by 360 points. ufs makes a file a record, FILE, FILE.1, ...; xios makes FILE.atm and
 * FILE.oce by the ranks of two communicators, and FILE.alone by rank 0, by serial calls. */
#include <math.h>
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

#ifdef LARGE
enum { NX = 720, NY = 360, NZ = 24, RECORDS = 4, WORD = 19 };
#else
enum { NX = 24, NY = 20, NZ = 5, RECORDS = 3, WORD = 19 };
#endif

static int rank, ranks, file, is_compressed;
static long work;

/* A time step: all ranks wait for the last one. */
static void compute(void) {
  static double busy[8192];
  double sum = 0;
  for (long pass = 0; pass < work; ++pass)
    for (int i = 0; i < 8192; ++i) busy[i] = 0.999 * busy[i] + 0.001;
  if (work > 0) MPI_Allreduce(&busy[rank % 8192], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int part_of(int length, int part, int parts) {
  return length * part / parts;
}

/* A rank's box of a grid that is cut along both dimensions: two columns of ranks, where their count is even. */
struct box {
  int y, ny, x, nx;
};

static struct box box_of(void) {
  const int columns = ranks % 2 == 0 ? 2 : 1, rows = ranks / columns;
  const int row = rank / columns, column = rank % columns;
  struct box box = {part_of(NY, row, rows), 0, part_of(NX, column, columns), 0};
  box.ny = part_of(NY, row + 1, rows) - box.y, box.nx = part_of(NX, column + 1, columns) - box.x;
  return box;
}

/* A smooth field, whose last bits do not compress; different for each element, record and variable. */
static double value(double base, int z, int y, int x) {
  static double rows[NY], columns[NX];
  if (rows[1] == 0) {
    for (int i = 0; i < NY; ++i) rows[i] = 30 * sin(0.02 * i);
    for (int i = 0; i < NX; ++i) columns[i] = 1 + cos(0.01 * i);
  }
  return base + z * 100 + rows[y] * columns[x];
}

/* Of a box of all levels. */
static double* values_of(const struct box* box, int levels, double base) {
  double* values = malloc(sizeof(double) * (size_t)(levels * box->ny * box->nx + 1));
  int at = 0;
  for (int z = 0; z < levels; ++z)
    for (int y = box->y; y < box->y + box->ny; ++y)
      for (int x = box->x; x < box->x + box->nx; ++x) values[at++] = value(base, z, y, x);
  return values;
}

static int create(const char* path, int mode, MPI_Comm comm) {
  return nc_create_par(path, NC_NETCDF4 | NC_MPIIO | mode, comm, MPI_INFO_NULL, &file);
}

static int dim(const char* name, size_t length) {
  int number = -1;
  CHECK(nc_def_dim(file, name, length, &number));
  return number;
}

static int var(const char* name, nc_type type, int ndims, const int* dims) {
  int number = -1;
  CHECK(nc_def_var(file, name, type, ndims, dims, &number));
  return number;
}

static void text(int of, const char* name, const char* value) {
  CHECK(nc_put_att_text(file, of, name, strlen(value), value));
}

static void collective(int of) {
  CHECK(nc_var_par_access(file, of, NC_COLLECTIVE));
}

/* ---- FMS: fms2_io with use_netcdf_mpi and use_collective, diag_manager with use_collective_writes ---- */

/* A file is put into its mode before each call, whichever it is in. */
static void fms_mode(int define) {
  const int code = define ? nc_redef(file) : nc__enddef(file, 16384, 4, 0, 4);
  if (code != NC_NOERR && code != (define ? NC_EINDEFINE : NC_ENOTINDEFINE)) check(code, "mode");
}

static int fms_variable(const char* name, nc_type type, int ndims, const int* dims, const size_t* chunk) {
  fms_mode(1);
  const int number = var(name, type, ndims, dims);
  if (chunk != NULL) CHECK(nc_def_var_chunking(file, number, NC_CHUNKED, chunk));
  if (is_compressed && ndims > 0) CHECK(nc_def_var_deflate(file, number, 1, 1, 3));
  collective(number);
  fms_mode(1);
  text(number, "units", "none");
  return number;
}

static void fms_put(int number, int record, int levels, const struct box* box, double base) {
  const size_t start[] = {(size_t)record, 0, (size_t)box->y, (size_t)box->x};
  const size_t count[] = {1, (size_t)levels, (size_t)box->ny, (size_t)box->nx};
  const size_t start2[] = {start[0], start[2], start[3]}, count2[] = {1, count[2], count[3]};
  double* values = values_of(box, levels, base);
  fms_mode(0);
  CHECK(nc_put_vara_double(file, number, levels > 1 ? start : start2, levels > 1 ? count : count2, values));
  free(values);
}

static void fms_read(const char* path, const struct box* box) {
  int field = -1;
  const size_t start[] = {1, 0, (size_t)box->y, (size_t)box->x};
  const size_t count[] = {1, NZ, (size_t)box->ny, (size_t)box->nx};
  double *wanted = values_of(box, NZ, 100), *found = values_of(box, NZ, 0);
  CHECK(nc_open_par(path, NC_NOWRITE | NC_MPIIO, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_inq_varid(file, "temp", &field));
  collective(field);
  CHECK(nc_get_vara_double(file, field, start, count, found));
  if (memcmp(wanted, found, sizeof(double) * NZ * count[2] * count[3]) != 0)
    printf("rank %d reads other values\n", rank), fflush(stdout);
  CHECK(nc_close(file));
  free(wanted), free(found);
}

static void fms(const char* path) {
  MPI_Comm tile;
  MPI_Comm_dup(MPI_COMM_WORLD, &tile);
  CHECK(create(path, NC_CLOBBER, tile));
  const struct box box = box_of();
  fms_mode(1);
  const int t = dim("time", NC_UNLIMITED), z = dim("level", NZ), y = dim("lat", NY), x = dim("lon", NX);
  const size_t chunk[] = {1, 2, (size_t)(NY / 2), NX}, chunk2[] = {1, NY, NX};
  const int lon = fms_variable("lon", NC_DOUBLE, 1, &x, NULL), lat = fms_variable("lat", NC_DOUBLE, 1, &y, NULL);
  const int level = fms_variable("level", NC_FLOAT, 1, &z, NULL), time = fms_variable("time", NC_DOUBLE, 1, &t, NULL);
  const int temp = fms_variable("temp", NC_DOUBLE, 4, (int[]){t, z, y, x}, chunk);
  const int ps = fms_variable("ps", NC_FLOAT, 3, (int[]){t, y, x}, chunk2);
  const int total = fms_variable("total", NC_FLOAT, 1, &t, NULL),
            profile = fms_variable("profile", NC_DOUBLE, 2, (int[]){t, z}, NULL);
  fms_mode(1);
  text(NC_GLOBAL, "title", "collective writes");
  fms_mode(0);
  /* Ranks of a column hold the same part of the axis, and each puts it. */
  double axis[NX + NY + NZ];
  for (int i = 0; i < NX + NY + NZ; ++i) axis[i] = i / 4.0;
  CHECK(nc_put_vara_double(file, lon, (size_t[]){(size_t)box.x}, (size_t[]){(size_t)box.nx}, axis + box.x));
  CHECK(nc_put_vara_double(file, lat, (size_t[]){(size_t)box.y}, (size_t[]){(size_t)box.ny}, axis + box.y));
  CHECK(nc_put_vara_double(file, level, (size_t[]){0}, (size_t[]){NZ}, axis));
  for (int record = 0; record < RECORDS; ++record) {
    compute();
    fms_mode(0);
    CHECK(nc_put_vara_double(file, time, (size_t[]){(size_t)record}, (size_t[]){1}, (double[]){record / 2.0}));
    CHECK(nc_put_vara_double(file, total, (size_t[]){(size_t)record}, (size_t[]){1}, (double[]){record + 0.5}));
    CHECK(nc_put_vara_double(file, profile, (size_t[]){(size_t)record, 0}, (size_t[]){1, NZ}, axis + record));
    fms_put(temp, record, NZ, &box, 100 * record);
    fms_put(ps, record, 1, &box, record);
  }
  CHECK(nc_close(file));
  MPI_Comm_free(&tile);
  fms_read(path, &box);
}

/* ---- UFS: the write component, a file an output time, NC_NODIMSCALE_ATTACH, all variables collective ---- */

static int ufs_field(const char* name, int ndims, const int* dims, const size_t* chunk) {
  const int number = var(name, NC_FLOAT, ndims, dims);
  if (is_compressed) {
    CHECK(nc_def_var_chunking(file, number, NC_CHUNKED, chunk));
    CHECK(nc_def_var_deflate(file, number, 1, 1, 1));
    if (ndims == 4) CHECK(nc_def_var_quantize(file, number, NC_QUANTIZE_BITGROOM, 5));
  }
  collective(number);
  text(number, "long_name", name);
  CHECK(nc_put_att_float(file, number, "missing_value", NC_FLOAT, 1, (float[]){9.99e20f}));
  CHECK(nc_put_att_float(file, number, "_FillValue", NC_FLOAT, 1, (float[]){9.99e20f}));
  return number;
}

static void ufs_time(const char* path, int hour) {
  const struct box box = box_of();
  const size_t start[] = {0, 0, (size_t)box.y, (size_t)box.x};
  const size_t count[] = {1, NZ, (size_t)box.ny, (size_t)box.nx};
  CHECK(create(path, NC_CLOBBER | NC_NODIMSCALE_ATTACH, MPI_COMM_WORLD));
  CHECK(nc_set_fill(file, NC_NOFILL, NULL));
  const int x = dim("grid_xt", NX), y = dim("grid_yt", NY), letters = dim("nchars", 20);
  const int z = dim("pfull", NZ), level = var("pfull", NC_DOUBLE, 1, &z);
  collective(level);
  text(level, "units", "mb");
  const int t = dim("time", NC_UNLIMITED), time = var("time", NC_DOUBLE, 1, &t);
  collective(time);
  text(time, "units", "hours since 2026-01-01");
  const int xt = var("grid_xt", NC_DOUBLE, 1, &x), yt = var("grid_yt", NC_DOUBLE, 1, &y);
  const int iso = var("time_iso", NC_CHAR, 2, (int[]){t, letters});
  text(iso, "_Encoding", "UTF-8");
  const int lon = var("lon", NC_DOUBLE, 2, (int[]){y, x}), lat = var("lat", NC_DOUBLE, 2, (int[]){y, x});
  for (int* each = (int[]){xt, lon, yt, lat, iso, -1}; *each >= 0; ++each) collective(*each);
  text(NC_GLOBAL, "source", "a model");
  CHECK(nc_put_att_longlong(file, NC_GLOBAL, "ncnsto", NC_INT64, 1, (long long[]){9}));
  CHECK(nc_put_att_double(file, NC_GLOBAL, "ak", NC_DOUBLE, 3, (double[]){0, 1.5, 2.25}));
  const int temp = ufs_field("tmp", 4, (int[]){t, z, y, x}, (size_t[]){1, 1, NY, NX / 2});
  const int pressure = ufs_field("pressfc", 3, (int[]){t, y, x}, (size_t[]){1, NY / 2, NX});
  CHECK(nc_enddef(file));
  double *field = values_of(&box, NZ, hour), axis[NX + NY];
  for (int i = 0; i < NX + NY; ++i) axis[i] = i * 0.25;
  CHECK(nc_put_var_double(file, level, axis + 2));
  CHECK(nc_put_vara_double(file, time, (size_t[]){0}, (size_t[]){1}, (double[]){hour}));
  CHECK(nc_put_vara_double(file, lon, start + 2, count + 2, field));
  CHECK(nc_put_var_double(file, xt, axis));
  CHECK(nc_put_vara_double(file, lat, start + 2, count + 2, field));
  CHECK(nc_put_var_double(file, yt, axis));
  CHECK(nc_put_vara_text(file, iso, (size_t[]){0, 0}, (size_t[]){1, 20}, "2026-01-01T00:00:00Z"));
  CHECK(nc_put_vara_double(file, temp, start, count, field));
  CHECK(nc_put_vara_double(file, pressure, start + 1, (size_t[]){1, count[2], count[3]}, field));
  CHECK(nc_close(file));
  free(field);
}

static void ufs(const char* path) {
  for (int record = 0; record < RECORDS; ++record) {
    char one[300];
    snprintf(one, sizeof one, record > 0 ? "%s.%d" : "%s", path, record);
    compute();
    ufs_time(one, 6 * record);
  }
}

/* ---- WRF, io_form 13: the classic model, access set before each put, definitions again after data ---- */

static void wrf_put(int number, int record, int levels, double base) {
  const struct box box = box_of();
  const size_t start[] = {(size_t)record, 0, (size_t)box.y, (size_t)box.x};
  const size_t count[] = {1, (size_t)levels, (size_t)box.ny, (size_t)box.nx};
  double* values = values_of(&box, levels, base);
  float* reals = malloc(sizeof(float) * (size_t)(levels * box.ny * box.nx + 1));
  for (int i = 0; i < levels * box.ny * box.nx; ++i) reals[i] = (float)values[i];
  collective(number);
  if (levels > 1)
    CHECK(nc_put_vara_float(file, number, start, count, reals));
  else
    CHECK(nc_put_vara_float(file, number, (size_t[]){start[0], start[2], start[3]}, (size_t[]){1, count[2], count[3]},
                            reals));
  free(values), free(reals);
}

static void wrf(const char* path) {
  int fields[4];
  CHECK(nc_set_chunk_cache(4 << 20, 37, 0.5f));
  CHECK(create(path, NC_CLASSIC_MODEL, MPI_COMM_WORLD));
  const int t = dim("Time", NC_UNLIMITED), letters = dim("DateStrLen", WORD);
  const int times = var("Times", NC_CHAR, 2, (int[]){t, letters});
  const int x = dim("west_east", NX), y = dim("south_north", NY), z = dim("bottom_top", NZ);
  text(NC_GLOBAL, "TITLE", "OUTPUT FROM A MODEL");
  CHECK(nc_put_att_int(file, NC_GLOBAL, "GRID_ID", NC_INT, 1, (int[]){1}));
  for (int i = 0; i < 4; ++i) {
    const int ndims = i < 2 ? 4 : 3;
    fields[i] = var((const char*[]){"U", "T", "PSFC", "T2"}[i], NC_FLOAT, ndims,
                    ndims == 4 ? (int[]){t, z, y, x} : (int[]){t, y, x});
    if (is_compressed) {
      CHECK(nc_def_var_chunking(file, fields[i], NC_CHUNKED,
                                ndims == 4 ? (size_t[]){1, NZ, NY / 2, NX / 2} : (size_t[]){1, NY, NX}));
      CHECK(nc_def_var_deflate(file, fields[i], 1, 1, 2));
    }
    CHECK(nc_put_att_int(file, fields[i], "FieldType", NC_INT, 1, (int[]){104}));
    text(fields[i], "MemoryOrder", ndims == 4 ? "XYZ" : "XY ");
  }
  if (is_compressed) CHECK(nc_set_fill(file, NC_NOFILL, NULL));
  CHECK(nc_enddef(file));
  for (int record = 0; record < RECORDS; ++record) {
    compute();
    char word[WORD + 1];
    snprintf(word, sizeof word, "2026-01-01_%02d:00:00", record);
    collective(times);
    CHECK(nc_put_vara_text(file, times, (size_t[]){(size_t)record, 0}, (size_t[]){1, WORD}, word));
    for (int i = 0; i < 4; ++i) wrf_put(fields[i], record, i < 2 ? NZ : 1, 100 * i + record);
    if (record > 0) continue;
    CHECK(nc_redef(file));
    CHECK(nc_put_att_float(file, NC_GLOBAL, "DT", NC_FLOAT, 1, (float[]){60}));
    CHECK(nc_enddef(file));
  }
  CHECK(nc_close(file));
}

/* ---- FESOM2: a file is made, closed and opened again; writers of an unstructured grid, some with nothing ---- */

static void fesom_append(const char* path, int count, double base) {
  int field = -1, time = -1, t = -1;
  size_t records = 0;
  CHECK(nc_open_par(path, NC_WRITE | NC_MPIIO, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_inq_dimid(file, "time", &t));
  CHECK(nc_inq_dimlen(file, t, &records));
  CHECK(nc_inq_varid(file, "time", &time));
  CHECK(nc_inq_varid(file, "temp", &field));
  collective(field), collective(time);
  TELL("%zu records\n", records);
  /* The last rank holds no nodes. */
  const int writers = ranks > 1 ? ranks - 1 : 1, block = (NX * NY + writers - 1) / writers, first = rank * block;
  const int nodes = rank >= writers ? 0 : first + block > NX * NY ? NX * NY - first : block;
  float* values = malloc(sizeof(float) * (size_t)(NZ * block));
  for (size_t record = records; record < records + (size_t)count; ++record) {
    compute();
    for (int i = 0; i < NZ * nodes; ++i)
      values[i] = (float)value(base + (double)record, i / nodes, (first + i % nodes) / NX, (first + i % nodes) % NX);
    CHECK(nc_put_vara_double(file, time, (size_t[]){record}, (size_t[]){1}, (double[]){(double)record * 86400}));
    CHECK(nc_put_vara_float(file, field, (size_t[]){record, 0, (size_t)(nodes > 0 ? first : 0)},
                            (size_t[]){1, NZ, (size_t)nodes}, values));
  }
  free(values);
  CHECK(nc_close(file));
}

static void fesom(const char* path) {
  const int writers = ranks > 1 ? ranks - 1 : 1, block = (NX * NY + writers - 1) / writers;
  const int code = nc_open_par(path, NC_WRITE | NC_MPIIO, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
  TELL("no file yet: %d\n", code);
  CHECK(create(path, NC_CLASSIC_MODEL, MPI_COMM_WORLD));
  const int z = dim("nz1", NZ), depth = var("nz1", NC_DOUBLE, 1, &z), nodes = dim("nod2", NX * NY);
  const int t = dim("time", NC_UNLIMITED), time = var("time", NC_DOUBLE, 1, &t);
  const int field = var("temp", NC_FLOAT, 3, (int[]){t, z, nodes});
  text(time, "units", "seconds since 2026-01-01");
  CHECK(nc_def_var_chunking(file, field, NC_CHUNKED, (size_t[]){1, 2, (size_t)block}));
  CHECK(nc_set_var_chunk_cache(file, field, 1 << 20, 101, 1));
  if (is_compressed) CHECK(nc_def_var_deflate(file, field, 1, 1, 1));
  CHECK(nc_put_att_float(file, field, "_FillValue", NC_FLOAT, 1, (float[]){NC_FILL_FLOAT}));
  CHECK(nc_put_att_int(file, NC_GLOBAL, "fesom_mesh", NC_INT, 1, (int[]){7}));
  CHECK(nc_enddef(file));
  collective(field), collective(time);
  double axis[NZ];
  for (int i = 0; i < NZ; ++i) axis[i] = 2.5 * i;
  CHECK(nc_put_var_double(file, depth, axis)); /* by each rank, of its own access */
  CHECK(nc_close(file));
  fesom_append(path, RECORDS - 1, 0);
  fesom_append(path, 1, 5);
}

/* ---- XIOS: servers with a communicator a file, definitions between puts, scalars of each server's own access ---- */

struct servers {
  MPI_Comm comm;
  int number, count;
};

/* Without fill, in one chunk, as XIOS has every variable of netCDF-4. */
static int xios_variable(const char* name, nc_type type, int ndims, const int* dims, const size_t* chunk) {
  const int number = var(name, type, ndims, dims);
  CHECK(nc_def_var_chunking(file, number, ndims > 0 ? NC_CHUNKED : NC_CONTIGUOUS, ndims > 0 ? chunk : NULL));
  CHECK(nc_def_var_fill(file, number, NC_NOFILL, NULL));
  return number;
}

static void xios_put(const struct servers* servers, int number, int record, double base) {
  /* The last of several servers holds nothing. */
  const int holders = servers->count > 1 ? servers->count - 1 : 1;
  struct box box = {NY, 0, 0, NX};
  if (servers->number < holders) {
    box.y = part_of(NY, servers->number, holders);
    box.ny = part_of(NY, servers->number + 1, holders) - box.y;
  } else {
    box.y = 0;
  }
  double* values = values_of(&box, 1, base);
  const size_t start[] = {(size_t)(record < 0 ? 0 : record), (size_t)box.y, 0}, count[] = {1, (size_t)box.ny, NX};
  if (servers->count > 1) collective(number);
  CHECK(nc_put_vara_double(file, number, start + (record < 0), count + (record < 0), values));
  free(values);
}

static void xios_record(const struct servers* servers, int time, int bounds, int field, int record) {
  const double day = record * 86400.0;
  if (servers->count > 1) collective(time), collective(bounds);
  CHECK(nc_put_vara_double(file, time, (size_t[]){(size_t)record}, (size_t[]){1}, &day));
  CHECK(
      nc_put_vara_double(file, bounds, (size_t[]){(size_t)record, 0}, (size_t[]){1, 2}, (double[]){day, day + 86400}));
  xios_put(servers, field, record, 500 * record);
}

static void xios_file(const char* path, const struct servers* servers) {
  if (servers->count > 1)
    CHECK(create(path, 0, servers->comm));
  else
    CHECK(nc_create(path, NC_NETCDF4, &file));
  text(NC_GLOBAL, "Conventions", "CF-1.6");
  const int bounds = dim("axis_nbounds", 2), x = dim("lon", NX), y = dim("lat", NY);
  const int lat = xios_variable("nav_lat", NC_FLOAT, 2, (int[]){y, x}, (size_t[]){NY, NX});
  text(lat, "units", "degrees_north");
  CHECK(nc_enddef(file));
  xios_put(servers, lat, -1, -40);
  CHECK(nc_redef(file));
  const int z = dim("deptht", NZ), depth = xios_variable("deptht", NC_FLOAT, 1, &z, (size_t[]){NZ});
  text(depth, "positive", "down");
  CHECK(nc_enddef(file));
  if (servers->count > 1) collective(depth);
  double depths[NZ];
  for (int i = 0; i < NZ; ++i) depths[i] = 2.5 * i;
  CHECK(nc_put_vara_double(file, depth, (size_t[]){0}, (size_t[]){NZ}, depths));
  CHECK(nc_redef(file));
  const int scalar = xios_variable("height", NC_DOUBLE, 0, NULL, NULL);
  text(scalar, "units", "m");
  CHECK(nc_enddef(file));
  if (servers->count > 1) CHECK(nc_var_par_access(file, scalar, NC_INDEPENDENT));
  CHECK(nc_put_var_double(file, scalar, (double[]){10}));
  CHECK(nc_redef(file));
  const int t = dim("time_counter", NC_UNLIMITED);
  const int field = xios_variable("sst", NC_FLOAT, 3, (int[]){t, y, x}, (size_t[]){1, NY, NX});
  if (is_compressed) CHECK(nc_def_var_deflate(file, field, 1, 1, 2));
  CHECK(nc_put_att_float(file, field, "_FillValue", NC_FLOAT, 1, (float[]){1e20f}));
  text(field, "coordinates", "time_centered nav_lat");
  const int time = var("time_counter", NC_DOUBLE, 1, &t),
            time_bounds = var("time_counter_bounds", NC_DOUBLE, 2, (int[]){t, bounds});
  text(time, "calendar", "gregorian");
  CHECK(nc_enddef(file));
  for (int record = 0; record < RECORDS; ++record) {
    xios_record(servers, time, time_bounds, field, record);
    if (record == 1) CHECK(nc_sync(file));
  }
  CHECK(nc_close(file));
}

/* A later run finds the last times, and goes on. */
static void xios_append(const char* path, const struct servers* servers) {
  int time = -1, time_bounds = -1, field = -1, t = -1;
  size_t records = 0;
  double last[2 * RECORDS] = {0};
  if (servers->count > 1)
    CHECK(nc_open_par(path, NC_NETCDF4 | NC_MPIIO | NC_WRITE, servers->comm, MPI_INFO_NULL, &file));
  else
    CHECK(nc_open(path, NC_NETCDF4 | NC_WRITE, &file));
  CHECK(nc_inq_varid(file, "time_counter", &time));
  CHECK(nc_inq_varid(file, "time_counter_bounds", &time_bounds));
  CHECK(nc_inq_varid(file, "sst", &field));
  CHECK(nc_inq_unlimdim(file, &t));
  CHECK(nc_inq_dimlen(file, t, &records));
  if (servers->count > 1) collective(time_bounds);
  CHECK(nc_get_vara_double(file, time_bounds, (size_t[]){0, 0}, (size_t[]){records, 2}, last));
  TELL("%zu records, the last ends at %g\n", records, last[2 * records - 1]);
  xios_record(servers, time, time_bounds, field, (int)records);
  CHECK(nc_close(file));
}

static void xios(const char* path) {
  char own[300], alone[300];
  struct servers servers, single = {MPI_COMM_SELF, 0, 1};
  const int is_first = rank < (ranks + 1) / 2;
  snprintf(own, sizeof own, "%s.%s", path, is_first ? "atm" : "oce");
  snprintf(alone, sizeof alone, "%s.alone", path);
  MPI_Comm_split(MPI_COMM_WORLD, is_first, rank, &servers.comm);
  MPI_Comm_rank(servers.comm, &servers.number);
  MPI_Comm_size(servers.comm, &servers.count);
  if (rank == 0) xios_file(alone, &single);
  xios_file(own, &servers);
  xios_append(own, &servers);
  if (rank == 0) xios_append(alone, &single);
  MPI_Comm_free(&servers.comm);
}

/* ---- E3SM-IO: all ranks put an element of a record, then each its cells, run by run and level by level ---- */

static int e3sm_variable(const char* name, nc_type type, int ndims, const int* dims) {
  int unlimited = -1;
  size_t chunk[3];
  const int number = var(name, type, ndims, dims);
  for (int d = 0; d < ndims; ++d) CHECK(nc_inq_dimlen(file, dims[d], chunk + d));
  CHECK(nc_inq_unlimdim(file, &unlimited));
  if (dims[0] != unlimited) return number;
  chunk[0] = 1;
  CHECK(nc_def_var_chunking(file, number, NC_CHUNKED, chunk));
  text(number, "units", "none");
  return number;
}

static void e3sm_extend(int number, int record) {
  const size_t last[] = {(size_t)record, 0, 0};
  collective(number);
  CHECK(nc_put_var1(file, number, last, (double[]){0}));
  CHECK(nc_var_par_access(file, number, NC_INDEPENDENT));
}

/* Every ranks-th two cells of each level; a record of -1: a variable without. */
static void e3sm_put(int number, int record, int levels, double base) {
  const int skip = record < 0;
  for (int z = 0; z < levels; ++z)
    for (int cell = 2 * rank; cell < NX * NY; cell += 2 * ranks) {
      const size_t start[] = {(size_t)record, (size_t)z, (size_t)cell}, count[] = {1, 1, 2};
      CHECK(nc_put_vara_double(file, number, start + skip, count + skip,
                               (double[]){base + z * 1000 + cell, base + z * 1000 + cell + 1}));
    }
}

static void e3sm(const char* path) {
  CHECK(create(path, NC_CLOBBER | NC_NODIMSCALE_ATTACH, MPI_COMM_WORLD));
  CHECK(nc_set_fill(file, NC_NOFILL, NULL));
  text(NC_GLOBAL, "source", "a model");
  const int t = dim("time", NC_UNLIMITED), z = dim("lev", NZ), cell = dim("ncol", NX * NY);
  const int area = e3sm_variable("area", NC_DOUBLE, 2, (int[]){z, cell});
  const int time = e3sm_variable("time", NC_DOUBLE, 1, &t);
  const int field = e3sm_variable("T", NC_FLOAT, 3, (int[]){t, z, cell});
  const int wind = e3sm_variable("U", NC_DOUBLE, 3, (int[]){t, z, cell});
  e3sm_put(area, -1, NZ, 0.5);
  for (int record = 0; record < RECORDS; ++record) {
    compute();
    e3sm_extend(time, record), e3sm_extend(field, record), e3sm_extend(wind, record);
    if (rank == 0) CHECK(nc_put_vara_double(file, time, (size_t[]){(size_t)record}, (size_t[]){1}, (double[]){record}));
    e3sm_put(field, record, NZ, 10000 * record);
    e3sm_put(wind, record, NZ, 7 * record);
  }
  CHECK(nc_close(file));
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(const char*);
  } layers[] = {{"fms", fms}, {"ufs", ufs}, {"wrf", wrf}, {"fesom", fesom}, {"xios", xios}, {"e3sm", e3sm}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  is_compressed = argc > 3 && strcmp(argv[3], "compressed") == 0;
  size_t layer = 0;
  while (argc > 2 && layer < sizeof layers / sizeof layers[0] && strcmp(argv[1], layers[layer].name) != 0) ++layer;
  if (argc < 3 || layer == sizeof layers / sizeof layers[0])
    return fprintf(stderr, "usage: layers fms|ufs|wrf|fesom|xios|e3sm FILE [compressed|plain [WORK]]\n"), 2;
  work = argc > 4 ? atol(argv[4]) : 0;
  const double began = MPI_Wtime();
  layers[layer].run(argv[2]);
  double took = MPI_Wtime() - began, slowest = 0;
  MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (work > 0) TELL("seconds %.3f\n", slowest);
  MPI_Finalize();
  return 0;
}
