/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes by PIO and knows nothing of Weir: fixed variables and records, holes, orders of elements that are
 * not the file's, two decompositions in a file, double into float, several variables in one call, PIO's own puts
 * between them, a definition after data, a second opening, a system of some of the ranks. Last it opens the file to
 * read: by all decompositions and one whose parts overlap, into other types. What it reads, and the codes of calls
 * that PIO refuses, are printed.
 *
 *   bridge_pio_model FILE [io=N] [rearr=subset] [error=LENGTH]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pio/interface.h"

enum { rows = 12, columns = 10, cells = rows * columns, clobber = 0, writing = 1 };
enum { type_int = 4, type_float = 5, type_double = 6 };

static int rank, ranks;

static void must(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, "bridge_pio_model: %s: %d\n", call, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define PIO(call) must(call, #call)

static int option(int argc, char** argv, const char* name, int usual) {
  for (int i = 2; i < argc; ++i)
    if (strncmp(argv[i], name, strlen(name)) == 0) return atoi(argv[i] + strlen(name));
  return usual;
}

/* Elements of this rank, dealt out one by one, counted from 1; each fifth one is a hole if asked for. The last rank's
 * come in descending order. */
static int deal(MPI_Offset* map, int holes) {
  int count = 0;
  for (int cell = rank; cell < cells; cell += ranks) map[count++] = holes && cell % 5 == 0 ? 0 : cell + 1;
  for (int i = 0; rank == ranks - 1 && i < count / 2; ++i) {
    const MPI_Offset other = map[count - 1 - i];
    map[count - 1 - i] = map[i];
    map[i] = other;
  }
  return count;
}

static void fill(double* values, const MPI_Offset* map, int count, double base) {
  for (int i = 0; i < count; ++i) values[i] = base + (double)map[i];
}

struct parts {
  int dealt, holed, boxed; /* decompositions */
  int count, box_count;
  MPI_Offset map[cells], box_map[cells];
};

static void decompose(int system, struct parts* parts) {
  const int lengths[2] = {rows, columns};
  MPI_Offset holed[cells];
  parts->count = deal(parts->map, 0);
  deal(holed, 1);
  PIO(PIOc_InitDecomp(system, type_double, 2, lengths, parts->count, parts->map, &parts->dealt, NULL, NULL, NULL));
  PIO(PIOc_InitDecomp(system, type_double, 2, lengths, parts->count, holed, &parts->holed, NULL, NULL, NULL));
  const long start[2] = {rows * rank / ranks, 0}, end = rows * (rank + 1) / ranks, count[2] = {end - start[0], columns};
  PIO(PIOc_InitDecomp_bc(system, type_int, 2, lengths, start, count, &parts->boxed));
  parts->box_count = (int)(count[0] * columns);
  for (int i = 0; i < parts->box_count; ++i) parts->box_map[i] = start[0] * columns + i + 1;
}

static void write_record(int file, const int* vars, const struct parts* parts, int record) {
  double values[2 * cells];
  int numbers[cells];
  const MPI_Offset start = record, one = 1;
  const double time = 0.5 * record;
  const int frames[2] = {record, record};
  PIO(PIOc_put_vara_double(file, vars[0], &start, &one, &time));
  fill(values, parts->map, parts->count, 1000.0 * record);
  PIO(PIOc_setframe(file, vars[1], record));
  PIO(PIOc_write_darray(file, vars[1], parts->dealt, parts->count, values, NULL));
  PIO(PIOc_setframe(file, vars[2], record));
  PIO(PIOc_write_darray(file, vars[2], parts->holed, parts->count, values, NULL));
  for (int i = 0; i < parts->box_count; ++i) numbers[i] = (int)parts->box_map[i] + record;
  if (record == 0)
    PIO(PIOc_setframe(file, vars[3], 0));
  else
    PIO(PIOc_advanceframe(file, vars[3]));
  PIO(PIOc_write_darray(file, vars[3], parts->boxed, parts->box_count, numbers, NULL));
  fill(values + parts->count, parts->map, parts->count, -1000.0 * record);
  for (int v = 4; v < 6; ++v) PIO(PIOc_setframe(file, vars[v], record)); /* else PIO takes them for no records */
  PIO(PIOc_write_darray_multi(file, vars + 4, parts->dealt, 2, parts->count, values, frames, NULL, record % 2 == 1));
}

static void show(int file, int var, int decomposition, const struct parts* parts, int record, const char* name) {
  double values[cells] = {0}, sums[2] = {0, 0};
  if (record >= 0) PIO(PIOc_setframe(file, var, record));
  PIO(PIOc_read_darray(file, var, decomposition, parts->count, values));
  for (int i = 0; i < parts->count; ++i) {
    sums[0] += values[i];
    sums[1] += values[i] * (double)parts->map[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %d: %.1f %.1f\n", name, record, sums[0], sums[1]);
}

static void show_records(int file) {
  MPI_Offset records = 0;
  PIO(PIOc_inq_dimlen(file, 0, &records));
  if (rank == 0) printf("%lld records\n", (long long)records);
}

static void define(int file, int* vars) {
  int dims[3];
  const float missing = -99;
  PIO(PIOc_def_dim(file, "time", 0, &dims[0]));
  PIO(PIOc_def_dim(file, "y", rows, &dims[1]));
  PIO(PIOc_def_dim(file, "x", columns, &dims[2]));
  PIO(PIOc_def_var(file, "time", type_double, 1, dims, &vars[0]));
  PIO(PIOc_def_var(file, "dealt", type_float, 3, dims, &vars[1]));
  PIO(PIOc_def_var(file, "holed", type_double, 3, dims, &vars[2]));
  PIO(PIOc_def_var(file, "boxed", type_int, 3, dims, &vars[3]));
  PIO(PIOc_def_var(file, "first", type_double, 3, dims, &vars[4]));
  PIO(PIOc_def_var(file, "second", type_double, 3, dims, &vars[5]));
  PIO(PIOc_def_var(file, "depth", type_double, 2, dims + 1, &vars[6]));
  PIO(PIOc_put_att(file, vars[1], "_FillValue", type_float, 1, &missing));
  PIO(PIOc_enddef(file));
}

static void write_first(int system, const char* name, const struct parts* parts) {
  int file, vars[8], iotype = PIO_IOTYPE_PNETCDF, dims[2] = {1, 2};
  double values[cells];
  PIO(PIOc_createfile(system, &file, &iotype, name, clobber));
  define(file, vars);
  fill(values, parts->map, parts->count, 0.25);
  /* PIO has not written this value yet when the array comes that it is a part of. */
  PIO(PIOc_put_vara_double(file, vars[6], (MPI_Offset[]){1, 1}, (MPI_Offset[]){1, 1}, &values[0]));
  PIO(PIOc_write_darray(file, vars[6], parts->dealt, parts->count, values, NULL));
  for (int record = 0; record < 3; ++record) write_record(file, vars, parts, record);
  PIO(PIOc_sync(file));
  show_records(file);
  show(file, vars[1], parts->dealt, parts, 1, "dealt");
  show(file, vars[6], parts->dealt, parts, -1, "depth");
  PIO(PIOc_redef(file));
  PIO(PIOc_def_var(file, "late", type_double, 2, dims, &vars[7]));
  PIO(PIOc_enddef(file));
  PIO(PIOc_write_darray(file, vars[7], parts->dealt, parts->count, values, NULL));
  write_record(file, vars, parts, 3);
  PIO(PIOc_closefile(file));
}

/* Records that only arrays make: PIO writes none of them by itself. */
static void write_again(int system, const char* name, const struct parts* parts) {
  int file, iotype = PIO_IOTYPE_PNETCDF;
  double values[cells];
  PIO(PIOc_openfile(system, &file, &iotype, name, writing));
  for (int record = 4; record < 6; ++record) {
    fill(values, parts->map, parts->count, 7.0 * record);
    PIO(PIOc_setframe(file, 1, record));
    PIO(PIOc_write_darray(file, 1, parts->dealt, parts->count, values, NULL));
    PIO(PIOc_sync(file));
    show_records(file);
    show(file, 1, parts->dealt, parts, record, "dealt");
  }
  PIO(PIOc_closefile(file));
}

static void refused(int system, const char* name, const struct parts* parts) {
  int file, iotype = PIO_IOTYPE_PNETCDF;
  double values[cells];
  PIO(PIOc_openfile(system, &file, &iotype, name, writing));
  PIO(PIOc_setframe(file, 1, 0));
  fill(values, parts->map, parts->count, 0);
  const int codes[] = {PIOc_write_darray(file, 1, 4711, parts->count, values, NULL),
                       PIOc_write_darray(file, 1, parts->dealt, parts->count - 1, values, NULL),
                       PIOc_write_darray(file, 4711, parts->dealt, parts->count, values, NULL)};
  if (rank == 0) printf("refused: %d %d %d\n", codes[0], codes[1], codes[2]);
  PIO(PIOc_write_darray(file, 1, parts->dealt, parts->count, values, NULL));
  PIO(PIOc_closefile(file));
}

/* Every other rank has a file of its system. */
static void write_half(const char* name) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 0) {
    int system, decomposition, file, dim, var, iotype = PIO_IOTYPE_PNETCDF, mine, all;
    char other[4096];
    MPI_Comm_rank(half, &mine);
    MPI_Comm_size(half, &all);
    const int length = 8 * all;
    MPI_Offset map[8];
    float values[8];
    for (int i = 0; i < 8; ++i) map[i] = mine + i * all, values[i] = (float)map[i];
    snprintf(other, sizeof other, "%s.half", name);
    PIO(PIOc_Init_Intracomm(half, 1, 1, 0, PIO_REARR_BOX, &system));
    PIO(PIOc_init_decomp(system, type_float, 1, &length, 8, map, &decomposition, 0, NULL, NULL));
    PIO(PIOc_createfile(system, &file, &iotype, other, clobber));
    PIO(PIOc_def_dim(file, "n", length, &dim));
    PIO(PIOc_def_var(file, "n", type_float, 1, &dim, &var));
    PIO(PIOc_enddef(file));
    PIO(PIOc_write_darray(file, var, decomposition, 8, values, NULL));
    PIO(PIOc_closefile(file));
    PIO(PIOc_freedecomp(system, decomposition));
    PIO(PIOc_finalize(system));
  }
  MPI_Comm_free(&half);
}

/* What this rank got, holes and all, and the code. Elements count by where they are in the buffer too. */
static void print_read(const char* name, int frame, int code, const double* values, int count) {
  double sums[2] = {0, 0};
  for (int i = 0; i < count && code == 0; ++i) {
    const double value = values[i] > 1e30 ? 0.25 : values[i]; /* a fill value */
    sums[0] += value;
    sums[1] += value * (i + 1 + cells * rank);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %d: %d %.1f %.1f\n", name, frame, code, sums[0], sums[1]);
}

static void read_doubles(int file, int var, int decomposition, int count, int frame, const char* name) {
  double values[cells];
  for (int i = 0; i < cells; ++i) values[i] = -7; /* PIO leaves some holes as they are */
  if (frame >= 0) PIO(PIOc_setframe(file, var, frame));
  const int code = PIOc_read_darray(file, var, decomposition, count, values);
  print_read(name, frame, code, values, count);
}

static void read_ints(int file, int var, int decomposition, int count, int frame, const char* name) {
  int numbers[cells] = {0};
  double values[cells];
  PIO(PIOc_setframe(file, var, frame));
  const int code = PIOc_read_darray(file, var, decomposition, count, numbers);
  for (int i = 0; i < count; ++i) values[i] = numbers[i];
  print_read(name, frame, code, values, count);
}

/* Each rank's rows and a row of its neighbours. */
static int decompose_with_halo(int system, int* count) {
  const int lengths[2] = {rows, columns};
  const int first = rows * rank / ranks, last = rows * (rank + 1) / ranks;
  const int from = first > 0 ? first - 1 : 0, to = last < rows ? last + 1 : rows;
  const int subset = PIO_REARR_SUBSET; /* the only one that PIO reads such parts by */
  int halo;
  MPI_Offset map[cells];
  *count = (to - from) * columns;
  for (int i = 0; i < *count; ++i) map[i] = from * columns + i + 1;
  PIO(PIOc_InitDecomp_ReadOnly(system, type_double, 2, lengths, *count, map, &halo, &subset, NULL, NULL));
  return halo;
}

static void read_file(int system, const char* name, const struct parts* parts, int iotype) {
  int file, halo_count;
  const int halo = decompose_with_halo(system, &halo_count);
  PIO(PIOc_openfile(system, &file, &iotype, name, 0));
  read_doubles(file, 1, parts->dealt, parts->count, -1, "no frame");
  for (int frame = 0; frame < 6; frame += 3) read_doubles(file, 1, parts->dealt, parts->count, frame, "dealt");
  read_doubles(file, 2, parts->dealt, parts->count, 2, "all of holed");
  read_doubles(file, 2, parts->holed, parts->count, 2, "holed");
  read_doubles(file, 3, parts->dealt, parts->count, 1, "boxed as doubles");
  read_ints(file, 3, parts->boxed, parts->box_count, 3, "boxed");
  read_ints(file, 4, parts->boxed, parts->box_count, 1, "doubles as ints");
  PIO(PIOc_advanceframe(file, 4));
  read_doubles(file, 4, halo, halo_count, -1, "halo");
  read_doubles(file, 6, parts->dealt, parts->count, -1, "depth");
  read_doubles(file, 4711, parts->dealt, parts->count, -1, "no variable");
  read_doubles(file, 1, 4711, parts->count, -1, "no decomposition");
  read_doubles(file, 5, parts->holed, parts->count, 0, "second");
  PIO(PIOc_closefile(file));
  PIO(PIOc_freedecomp(system, halo));
}

int main(int argc, char** argv) {
  int system, subset = 0;
  struct parts parts;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = 2; i < argc; ++i) subset = subset || strcmp(argv[i], "rearr=subset") == 0;
  const int io_tasks = option(argc, argv, "io=", 1);
  PIO(PIOc_Init_Intracomm(MPI_COMM_WORLD, io_tasks, ranks / io_tasks, ranks > 1,
                          subset ? PIO_REARR_SUBSET : PIO_REARR_BOX, &system));
  PIO(PIOc_set_iosystem_error_handling(system, PIO_RETURN_ERROR, NULL));
  decompose(system, &parts);
  write_first(system, argv[1], &parts);
  read_file(system, argv[1], &parts, PIO_IOTYPE_PNETCDF);
  read_file(system, argv[1], &parts, PIO_IOTYPE_NETCDF);
  write_again(system, argv[1], &parts);
  refused(system, argv[1], &parts);
  /* Of the last records only one variable has been written, and the file ends before they do. */
  read_file(system, argv[1], &parts, PIO_IOTYPE_PNETCDF);
  PIO(PIOc_freedecomp(system, parts.boxed));
  PIO(PIOc_freedecomp(system, parts.holed));
  PIO(PIOc_freedecomp(system, parts.dealt));
  PIO(PIOc_finalize(system));
  write_half(argv[1]);
  MPI_Finalize();
  return 0;
}
