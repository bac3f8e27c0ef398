/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes compressed netCDF-4 by PIO and knows nothing of Weir: definitions in two steps, values, arrays
 * with holes and in other types than the file's, a value of a record in pieces, and what it gets of them before the
 * close. packed FILE IOTYPE           what it is told is the same without the bridge packed FILE IOTYPE refused   what
 * Weir does not write packed FILE IOTYPE differs   rank 1 wants another compression than the others
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pio/interface.h"

#define PROGRAM "bridge_pio_packed"
static int rank;
#include "checked.h"

enum { rows = 12, columns = 10, cells = rows * columns };
enum { type_int = 4, type_float = 5, type_double = 6, global = -1, keeping = 4 /* NC_NOCLOBBER */ };

int PIOc_get_vara_double(int file, int var, const MPI_Offset* start, const MPI_Offset* count, double* values);

static int ranks, level = 4;

struct parts {
  int dealt, holed, whole, count; /* decompositions, and the elements of each here */
  MPI_Offset map[cells];
};

static void decompose(int system, struct parts* parts) {
  const int lengths[2] = {rows, columns};
  MPI_Offset holed[cells], all[cells];
  parts->count = 0;
  for (int cell = rank; cell < cells; cell += ranks) {
    holed[parts->count] = cell % 5 == 0 ? 0 : cell + 1;
    all[parts->count] = cell % 3 + 1; /* ranks hold the same */
    parts->map[parts->count++] = cell + 1;
  }
  const int count = parts->count;
  PIO(PIOc_InitDecomp(system, type_double, 2, lengths, count, parts->map, &parts->dealt, NULL, NULL, NULL));
  PIO(PIOc_InitDecomp(system, type_double, 2, lengths, count, holed, &parts->holed, NULL, NULL, NULL));
  parts->whole = -1;
  if (ranks > 1) PIO(PIOc_InitDecomp(system, type_int, 2, lengths, count, all, &parts->whole, NULL, NULL, NULL));
}

static void fill(double* values, const struct parts* parts, double base) {
  for (int i = 0; i < parts->count; ++i) values[i] = base + 0.5 * (double)parts->map[i];
}

enum { time_var, temp, holed, mask, depth, late, vars };

static void define(int file, int* var) {
  int dims[3];
  const float missing = -99;
  const MPI_Offset chunk[2] = {4, 5};
  PIO(PIOc_def_dim(file, "time", 0, &dims[0]));
  PIO(PIOc_def_dim(file, "y", rows, &dims[1]));
  PIO(PIOc_def_dim(file, "x", columns, &dims[2]));
  PIO(PIOc_def_var(file, "time", type_double, 1, dims, &var[time_var]));
  PIO(PIOc_def_var(file, "temp", type_float, 3, dims, &var[temp]));
  PIO(PIOc_def_var_deflate(file, var[temp], 1, 1, level));
  PIO(PIOc_put_att(file, var[temp], "_FillValue", type_float, 1, &missing));
  PIO(PIOc_def_var(file, "holed", type_double, 3, dims, &var[holed]));
  PIO(PIOc_def_var(file, "mask", type_int, 2, dims + 1, &var[mask]));
  PIO(PIOc_def_var_chunking(file, var[mask], 0, chunk));
  PIO(PIOc_def_var(file, "depth", type_double, 1, dims + 1, &var[depth]));
  PIO(PIOc_put_att(file, global, "title", 2, 6, "packed"));
  const char own[2] = {'a' + (char)rank, 0};
  PIO(PIOc_put_att(file, global, "own", 2, 1, own));
  PIO(PIOc_enddef(file));
}

static void put_depths(int file, int var) {
  double depths[rows];
  for (int i = 0; i < rows; ++i) depths[i] = 10.0 * i;
  /* In two calls, and all of it once more. */
  PIO(PIOc_put_vara_double(file, var, (MPI_Offset[]){0}, (MPI_Offset[]){5}, depths));
  PIO(PIOc_put_vara_double(file, var, (MPI_Offset[]){5}, (MPI_Offset[]){rows - 5}, depths + 5));
  depths[3] = -3;
  PIO(PIOc_put_vara_double(file, var, (MPI_Offset[]){0}, (MPI_Offset[]){rows}, depths));
}

static void write_record(int file, const int* var, const struct parts* parts, int record) {
  double values[2 * cells];
  const MPI_Offset start = record, one = 1;
  const double time = 0.5 * record;
  fill(values, parts, 1000.0 * record);
  PIO(PIOc_setframe(file, var[temp], record));
  PIO(PIOc_write_darray(file, var[temp], parts->dealt, parts->count, values, NULL));
  PIO(PIOc_put_vara_double(file, var[time_var], &start, &one, &time));
  PIO(PIOc_setframe(file, var[holed], record));
  PIO(PIOc_write_darray(file, var[holed], parts->holed, parts->count, values, NULL));
}

static void show(int file, int var, const struct parts* parts, int record, const char* name) {
  double values[cells] = {0}, sums[2] = {0, 0}, column[rows];
  if (record >= 0) PIO(PIOc_setframe(file, var, record));
  PIO(PIOc_read_darray(file, var, parts->dealt, parts->count, values));
  for (int i = 0; i < parts->count; ++i) {
    const double value = values[i] > 1e30 ? 0.25 : values[i]; /* a fill value */
    sums[0] += value;
    sums[1] += value * (double)parts->map[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const MPI_Offset start[3] = {record, 0, 2}, count[3] = {1, rows, 1};
  const int fixed = record < 0;
  PIO(PIOc_get_vara_double(file, var, start + fixed, count + fixed, column));
  if (rank == 0) printf("%s %d: %.1f %.1f, %.1f %.1f\n", name, record, sums[0], sums[1], column[1], column[rows - 1]);
}

static void show_length(int file) {
  MPI_Offset records = 0;
  PIO(PIOc_inq_dimlen(file, 0, &records));
  if (rank == 0) printf("%lld records\n", (long long)records);
}

static void put_mask(int file, int var, const struct parts* parts) {
  double values[cells];
  for (int i = 0; i < parts->count; ++i) values[i] = (double)(parts->map[i] % 7);
  PIO(PIOc_write_darray(file, var, parts->dealt, parts->count, values, NULL));
}

static void write_all(int system, const char* name, int iotype, const struct parts* parts) {
  int file, var[vars], dims[2] = {1, 2};
  double values[cells];
  PIO(PIOc_createfile(system, &file, &iotype, name, 0));
  define(file, var);
  put_depths(file, var[depth]);
  put_mask(file, var[mask], parts);
  for (int record = 0; record < 2; ++record) write_record(file, var, parts, record);
  PIO(PIOc_sync(file));
  show_length(file);
  show(file, var[temp], parts, 1, "temp");
  show(file, var[mask], parts, -1, "mask");
  PIO(PIOc_redef(file));
  PIO(PIOc_def_var(file, "late", type_double, 2, dims, &var[late]));
  PIO(PIOc_def_var_deflate(file, var[late], 0, 1, 2));
  PIO(PIOc_put_att(file, var[mask], "units", 2, 1, "1"));
  PIO(PIOc_enddef(file));
  fill(values, parts, 0.25);
  PIO(PIOc_write_darray(file, var[late], parts->dealt, parts->count, values, NULL));
  for (int record = 2; record < 4; ++record) write_record(file, var, parts, record);
  fill(values, parts, -1);
  PIO(PIOc_setframe(file, var[temp], 1)); /* once more */
  PIO(PIOc_write_darray(file, var[temp], parts->dealt, parts->count, values, NULL));
  PIO(PIOc_sync(file));
  show_length(file);
  show(file, var[holed], parts, 3, "holed");
  PIO(PIOc_closefile(file));
}

static void read_all(int system, const char* name, int iotype, const struct parts* parts) {
  int file;
  PIO(PIOc_openfile(system, &file, &iotype, name, 0));
  for (int record = 0; record < 4; ++record) show(file, temp, parts, record, "temp");
  show(file, late, parts, -1, "late");
  PIO(PIOc_closefile(file));
}

static void refuse(int system, const char* name, int iotype, const struct parts* parts) {
  int file, var[vars], numbers[cells];
  double values[cells];
  PIO(PIOc_createfile(system, &file, &iotype, name, 0));
  define(file, var);
  fill(values, parts, 0);
  for (int i = 0; i < parts->count; ++i) numbers[i] = (int)((parts->map[i] - 1) % 3);
  TELL(PIOc_write_darray(file, var[mask], parts->whole, parts->count, numbers, NULL));
  TELL(PIOc_write_darray(file, var[temp], parts->dealt, parts->count, values, NULL) != 0);
  TELL(PIOc_write_darray(file, 4711, parts->dealt, parts->count, values, NULL) != 0);
  TELL(PIOc_write_darray(file, var[mask], 4711, parts->count, values, NULL) != 0);
  TELL(PIOc_put_vara_double(file, 4711, (MPI_Offset[]){0}, (MPI_Offset[]){1}, values) != 0);
  PIO(PIOc_sync(file));
  show(file, var[mask], parts, -1, "by PIO");
  put_mask(file, var[mask], parts);
  TELL(PIOc_put_vara_int(file, var[mask], (MPI_Offset[]){0, 0}, (MPI_Offset[]){1, 1}, numbers));
  TELL(PIOc_closefile(file));
  PIO(PIOc_openfile(system, &file, &iotype, name, 0));
  show(file, mask, parts, -1, "mask");
  PIO(PIOc_closefile(file));
  TELL(PIOc_createfile(system, &file, &iotype, name, keeping));
}

static void differ(int system, const char* name, int iotype, const struct parts* parts) {
  int file, var[vars];
  double values[cells];
  level = rank == 1 ? 5 : 4;
  PIO(PIOc_createfile(system, &file, &iotype, name, 0));
  define(file, var);
  fill(values, parts, 0);
  PIO(PIOc_setframe(file, var[temp], 0));
  for (int time = 0; time < 2; ++time)
    TELL(PIOc_write_darray(file, var[temp], parts->dealt, parts->count, values, NULL));
  TELL(PIOc_put_vara_double(file, var[depth], (MPI_Offset[]){0}, (MPI_Offset[]){1}, values));
  TELL(PIOc_sync(file));
  TELL(PIOc_closefile(file));
}

int main(int argc, char** argv) {
  int system;
  struct parts parts;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int iotype = atoi(argv[2]);
  PIO(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, ranks > 1, PIO_REARR_BOX, &system));
  PIO(PIOc_set_iosystem_error_handling(system, PIO_RETURN_ERROR, NULL));
  decompose(system, &parts);
  if (argc > 3 && strcmp(argv[3], "refused") == 0) {
    refuse(system, argv[1], iotype, &parts);
  } else if (argc > 3 && strcmp(argv[3], "differs") == 0) {
    differ(system, argv[1], iotype, &parts);
  } else {
    write_all(system, argv[1], iotype, &parts);
    read_all(system, argv[1], iotype, &parts);
  }
  if (parts.whole >= 0) PIO(PIOc_freedecomp(system, parts.whole));
  PIO(PIOc_freedecomp(system, parts.holed));
  PIO(PIOc_freedecomp(system, parts.dealt));
  PIO(PIOc_finalize(system));
  MPI_Finalize();
  return 0;
}
