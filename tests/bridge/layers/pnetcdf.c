/* SPDX-License-Identifier: Apache-2.0 */
/* What models' own output layers ask of PnetCDF, in their order of calls. Prints what rank 0 gets back.
 *
 *   layers LAYER FILE   LAYER: wrf, smiol, e3sm */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { NX = 24, NY = 20, NZ = 5, RECORDS = 3, WORD = 19, CELLS = 240, MOST_REQUESTS = 8 };

static int rank, ranks, file;

static int part_of(int length, int part, int parts) {
  return length * part / parts;
}

static int dim(const char* name, MPI_Offset length) {
  int number = -1;
  CHECK(ncmpi_def_dim(file, name, length, &number));
  return number;
}

static int var(const char* name, nc_type type, int ndims, const int* dims) {
  int number = -1;
  CHECK(ncmpi_def_var(file, name, type, ndims, dims, &number));
  return number;
}

static void text(int of, const char* name, const char* value) {
  CHECK(ncmpi_put_att_text(file, of, name, (MPI_Offset)strlen(value), value));
}

/* ---- WRF, io_form 11: a classic file, the same calls for every field, definitions again after data ---- */

static void wrf_field(const char* name, int record, int levels, double base, int is_put) {
  const int y = part_of(NY, rank, ranks), ny = part_of(NY, rank + 1, ranks) - y, count_of_all = levels * ny * NX;
  const MPI_Offset start[] = {record, 0, y, 0}, count[] = {1, levels, ny, NX};
  const MPI_Offset start2[] = {record, y, 0}, count2[] = {1, ny, NX};
  float* values = malloc(sizeof(float) * (size_t)(count_of_all + 1));
  int number = -1;
  CHECK(ncmpi_inq_varid(file, name, &number));
  for (int i = 0; i < count_of_all; ++i)
    values[i] = is_put ? (float)(base + i / (ny * NX) * 1000 + (y * NX + i % (ny * NX)) / 8.0) : 0;
  if (is_put)
    CHECK(ncmpi_put_vara_float_all(file, number, levels > 1 ? start : start2, levels > 1 ? count : count2, values));
  else
    CHECK(ncmpi_get_vara_float_all(file, number, levels > 1 ? start : start2, levels > 1 ? count : count2, values));
  if (!is_put) TELL("%s: %.3f %.3f\n", name, values[0], values[count_of_all - 1]);
  free(values);
}

static void wrf_time(int record) {
  int times = -1;
  char word[WORD + 1];
  snprintf(word, sizeof word, "2026-01-01_%02d:00:00", record);
  CHECK(ncmpi_inq_varid(file, "Times", &times));
  CHECK(ncmpi_put_vara_text_all(file, times, (MPI_Offset[]){record, 0}, (MPI_Offset[]){1, WORD}, word));
  wrf_field("T", record, NZ, 10 * record, 1);
  wrf_field("PSFC", record, 1, 3 * record, 1);
}

static void wrf(const char* path) {
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_OFFSET, MPI_INFO_NULL, &file));
  CHECK(ncmpi_set_fill(file, NC_NOFILL, NULL));
  const int t = dim("Time", NC_UNLIMITED), letters = dim("DateStrLen", WORD);
  var("Times", NC_CHAR, 2, (int[]){t, letters});
  const int x = dim("west_east", NX), y = dim("south_north", NY), z = dim("bottom_top", NZ);
  text(NC_GLOBAL, "TITLE", "OUTPUT FROM A MODEL");
  const int field = var("T", NC_FLOAT, 4, (int[]){t, z, y, x}), pressure = var("PSFC", NC_FLOAT, 3, (int[]){t, y, x});
  text(field, "MemoryOrder", "XYZ"), text(pressure, "MemoryOrder", "XY ");
  CHECK(ncmpi_enddef(file));
  wrf_time(0);
  CHECK(ncmpi_redef(file));
  CHECK(ncmpi_put_att_float(file, NC_GLOBAL, "DT", NC_FLOAT, 1, (float[]){60}));
  CHECK(ncmpi_enddef(file));
  wrf_time(1);
  CHECK(ncmpi_sync(file));
  wrf_time(2);
  CHECK(ncmpi_close(file));
  /* A later run goes on with it, and one reads. */
  CHECK(ncmpi_open(MPI_COMM_WORLD, path, NC_WRITE, MPI_INFO_NULL, &file));
  wrf_time(RECORDS);
  CHECK(ncmpi_close(file));
  CHECK(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file));
  wrf_field("T", RECORDS, NZ, 0, 0);
  wrf_field("PSFC", 0, 1, 0, 0);
  CHECK(ncmpi_close(file));
}

/* ---- MPAS: SMIOL, whose I/O tasks alone have the file; puts by an attached buffer where they fit ---- */

static struct {
  MPI_Comm comm;
  int number, count, is_task, is_defining, requests[MOST_REQUESTS], pending;
  MPI_Offset buffer;
} tasks;

static void smiol_define(void) {
  if (!tasks.is_defining) CHECK(ncmpi_redef(file));
  tasks.is_defining = 1;
}

static void smiol_data(void) {
  if (tasks.is_defining) CHECK(ncmpi_enddef(file));
  tasks.is_defining = 0;
}

static void smiol_wait(void) {
  int codes[MOST_REQUESTS];
  CHECK(ncmpi_wait_all(file, tasks.pending, tasks.requests, codes));
  for (int i = 0; i < tasks.pending; ++i) check(codes[i], "a request");
  tasks.pending = 0;
}

/* Every task puts its cells; all put the same of a variable without cells. */
static void smiol_put(const char* name, int record, int levels, int is_of_cells, double base) {
  const int cell = is_of_cells ? part_of(CELLS, tasks.number, tasks.count) : 0;
  const int cells = is_of_cells ? part_of(CELLS, tasks.number + 1, tasks.count) - cell : 1;
  const int skip = record < 0;
  const MPI_Offset start[] = {record, cell, 0}, count[] = {1, cells, levels};
  double* values = malloc(sizeof(double) * (size_t)(cells * levels));
  long most[2] = {(long)sizeof(double) * cells * levels, 0};
  MPI_Offset used = 0;
  int number = -1;
  for (int i = 0; i < cells * levels; ++i) values[i] = base + cell * levels + i;
  smiol_data();
  CHECK(ncmpi_inq_varid(file, name, &number));
  MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_LONG, MPI_MAX, tasks.comm);
  if (most[0] > tasks.buffer) {
    CHECK(ncmpi_put_vara_all(file, number, start + skip, count + skip, values, 0, MPI_DATATYPE_NULL));
  } else {
    CHECK(ncmpi_inq_buffer_usage(file, &used));
    most[1] = (long)used + (long)sizeof(double) * cells * levels;
    MPI_Allreduce(MPI_IN_PLACE, most + 1, 1, MPI_LONG, MPI_MAX, tasks.comm);
    if (most[1] > tasks.buffer || tasks.pending == MOST_REQUESTS) smiol_wait();
    CHECK(ncmpi_bput_vara(file, number, start + skip, count + skip, values, 0, MPI_DATATYPE_NULL,
                          tasks.requests + tasks.pending++));
  }
  free(values);
}

static void smiol_sync(void) {
  smiol_data();
  smiol_wait();
  CHECK(ncmpi_sync(file));
}

static void smiol_get(void) {
  const int cell = part_of(CELLS, tasks.number, tasks.count),
            cells = part_of(CELLS, tasks.number + 1, tasks.count) - cell;
  double* values = malloc(sizeof(double) * (size_t)(cells * NZ + 1));
  int number = -1;
  CHECK(ncmpi_inq_varid(file, "theta", &number));
  CHECK(ncmpi_get_vara_all(file, number, (MPI_Offset[]){2, cell, 0}, (MPI_Offset[]){1, cells, NZ}, values, 0,
                           MPI_DATATYPE_NULL));
  TELL("theta: %.3f %.3f\n", values[0], values[cells * NZ - 1]);
  free(values);
}

static void smiol_file(const char* path) {
  CHECK(ncmpi_create(tasks.comm, path, NC_64BIT_DATA | NC_CLOBBER, MPI_INFO_NULL, &file));
  tasks.is_defining = 1;
  tasks.buffer = 8 * CELLS * NZ / 2;
  CHECK(ncmpi_buffer_attach(file, tasks.buffer));
  smiol_define();
  const int t = dim("Time", NC_UNLIMITED);
  smiol_define();
  const int cell = dim("nCells", CELLS), z = dim("nVertLevels", NZ), wide = dim("wide", 4 * NZ);
  var("theta", NC_DOUBLE, 3, (int[]){t, cell, z});
  var("area", NC_DOUBLE, 1, &cell);
  var("large", NC_DOUBLE, 2, (int[]){cell, wide});
  var("dt", NC_DOUBLE, 1, &t);
  text(NC_GLOBAL, "model_name", "mpas");
  smiol_put("area", -1, 1, 1, 3);
  smiol_put("large", -1, 4 * NZ, 1, 9);
  for (int record = 0; record < RECORDS; ++record) {
    smiol_put("theta", record, NZ, 1, 10000 * record);
    smiol_put("dt", record, 1, 0, record);
    if (record == 0) smiol_define(), text(NC_GLOBAL, "late", "after data");
    if (record == 1) smiol_sync();
  }
  smiol_sync();
  smiol_get();
  CHECK(ncmpi_buffer_detach(file));
  CHECK(ncmpi_close(file));
  CHECK(ncmpi_open(tasks.comm, path, NC_NOWRITE, MPI_INFO_NULL, &file));
  smiol_get();
  CHECK(ncmpi_close(file));
}

static void smiol(const char* path) {
  tasks.is_task = ranks < 3 || rank % 2 == 0;
  MPI_Comm_split(MPI_COMM_WORLD, tasks.is_task, rank, &tasks.comm);
  MPI_Comm_rank(tasks.comm, &tasks.number);
  MPI_Comm_size(tasks.comm, &tasks.count);
  if (tasks.is_task) smiol_file(path);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&tasks.comm);
}

/* ---- E3SM-IO: lists of many short runs for each variable, in the order of memory, of which nobody keeps requests ----
 */

/* Every ranks-th column of each row, from this rank's: a map of cells as E3SM has them. */
static void e3sm_put(int number, int record, int rows, double base, int is_blocking) {
  enum { MOST = NY * NX };
  static MPI_Offset start[MOST][3], count[MOST][3], *starts[MOST], *counts[MOST];
  static double values[MOST];
  int runs = 0;
  for (int y = 0; y < rows; ++y)
    for (int x = rank; x < NX; x += ranks, ++runs) {
      const int skip = record < 0;
      start[runs][0] = record, start[runs][1 - skip] = y, start[runs][2 - skip] = x;
      count[runs][0] = count[runs][1] = count[runs][2] = 1;
      starts[runs] = start[runs], counts[runs] = count[runs];
      values[runs] = base + y * NX + x;
    }
  if (is_blocking)
    CHECK(ncmpi_put_varn_all(file, number, runs, starts, counts, values, -1, MPI_DOUBLE));
  else
    CHECK(ncmpi_iput_varn(file, number, runs, starts, counts, values, -1, MPI_DOUBLE, NULL));
  if (!is_blocking) CHECK(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL)); /* the values are this call's */
}

static void e3sm(const char* path) {
  MPI_Offset put_bytes = 0;
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  const int t = dim("time", NC_UNLIMITED), y = dim("lev", NY), x = dim("ncol", NX), letters = dim("nbnd", 2);
  const int area = var("area", NC_DOUBLE, 2, (int[]){y, x}), field = var("T", NC_FLOAT, 3, (int[]){t, y, x});
  const int wind = var("U", NC_DOUBLE, 3, (int[]){t, y, x}),
            bounds = var("time_bnds", NC_DOUBLE, 2, (int[]){t, letters});
  text(field, "units", "K");
  CHECK(ncmpi_enddef(file));
  e3sm_put(area, -1, NY, 0.5, 0);
  for (int record = 0; record < RECORDS; ++record) {
    const MPI_Offset start[] = {record, 0}, count[] = {rank == 0, 2};
    CHECK(ncmpi_iput_vara(file, bounds, start, count, (double[]){record, record + 1.0}, -1, MPI_DOUBLE, NULL));
    e3sm_put(field, record, NY, 100 * record, 0);
    e3sm_put(wind, record, NY, 7 * record, record == 1);
    CHECK(ncmpi_inq_put_size(file, &put_bytes));
    if (put_bytes <= 0) TELL("nothing was put\n");
  }
  CHECK(ncmpi_close(file));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3 && strcmp(argv[1], "wrf") == 0)
    wrf(argv[2]);
  else if (argc == 3 && strcmp(argv[1], "smiol") == 0)
    smiol(argv[2]);
  else if (argc == 3 && strcmp(argv[1], "e3sm") == 0)
    e3sm(argv[2]);
  else
    return fprintf(stderr, "usage: layers wrf|smiol|e3sm FILE\n"), 2;
  MPI_Finalize();
  return 0;
}
