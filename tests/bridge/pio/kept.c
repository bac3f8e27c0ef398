/* SPDX-License-Identifier: Apache-2.0 */
/* A model that says by PIO's calls how its variables are kept in a netCDF-4 file, and knows nothing of Weir: rounded to
 * so many digits or bits, packed by zstd, both, and neither any more. Prints what it is told, of wrong calls too, and
 * sums of what it reads again.
 *
 *   kept FILE IOTYPE           quantization
 *   kept FILE IOTYPE zstd      with zstd, where netCDF has it
 */
#include <stdio.h>
#include <stdlib.h>

#include "pio/interface.h"

#define PROGRAM "bridge_pio_kept"
static int rank;
#include "checked.h"

enum { rows = 24, columns = 15, cells = rows * columns, records = 2, holes = 7 };
enum { type_int = 4, type_float = 5, type_double = 6 };
enum { groom, granular, rounded, undone, counts, late, variables };

static const char* const names[variables] = {"groom", "granular", "rounded", "undone", "counts", "late"};
static const int types[variables] = {type_float, type_double, type_float, type_double, type_int, type_double};

static int ranks, file, var[variables], with_zstd;

struct part {
  int number, count;
  MPI_Offset map[cells];
};
static struct part parts[type_double + 1]; /* by the type of arrays, which is that of their variables */

/* Cells dealt out one by one; of doubles each seventh is of nobody. */
static void decompose(int system, int type) {
  struct part* const part = &parts[type];
  const int lengths[2] = {rows, columns};
  part->count = 0;
  for (int cell = rank; cell < cells; cell += ranks)
    part->map[part->count++] = type == type_double && cell % holes == 3 ? 0 : cell + 1;
  PIO(PIOc_InitDecomp(system, type, 2, lengths, part->count, part->map, &part->number, NULL, NULL, NULL));
}

static void keep(void) {
  PIO(PIOc_def_var_quantize(file, var[groom], 1, 3));
  PIO(PIOc_def_var_deflate(file, var[groom], 1, 1, 2));
  PIO(PIOc_def_var_quantize(file, var[granular], 2, 5));
  PIO(PIOc_def_var_quantize(file, var[rounded], 3, 9));
  PIO(PIOc_def_var_quantize(file, var[undone], 1, 2));
  PIO(PIOc_def_var_quantize(file, var[undone], 0, 0));
  if (!with_zstd) return;
  PIO(PIOc_def_var_zstandard(file, var[granular], 3));
  PIO(PIOc_def_var_zstandard(file, var[rounded], 19));
  PIO(PIOc_def_var_deflate(file, var[rounded], 1, 0, 0)); /* shuffle alone */
  PIO(PIOc_def_var_zstandard(file, var[counts], -5));
}

static void keep_wrong(void) {
  TELL(PIOc_def_var_quantize(file, var[counts], 1, 3));
  TELL(PIOc_def_var_quantize(file, var[groom], 9, 3));
  TELL(PIOc_def_var_quantize(file, var[groom], 1, 0));
  TELL(PIOc_def_var_quantize(file, var[groom], 1, 8));
  TELL(PIOc_def_var_quantize(file, var[rounded], 3, 24));
  TELL(PIOc_def_var_quantize(file, 4711, 1, 3));
  if (!with_zstd) return;
  TELL(PIOc_def_var_zstandard(file, var[counts], 23));
  TELL(PIOc_def_var_zstandard(file, 4711, 3));
}

static void define(void) {
  int dims[3];
  PIO(PIOc_def_dim(file, "time", 0, &dims[0]));
  PIO(PIOc_def_dim(file, "y", rows, &dims[1]));
  PIO(PIOc_def_dim(file, "x", columns, &dims[2]));
  for (int v = 0; v < late; ++v) PIO(PIOc_def_var(file, names[v], types[v], 3, dims, &var[v]));
  keep_wrong();
  keep();
  PIO(PIOc_enddef(file));
}

static void write_part(int v, int record) {
  const struct part* const part = &parts[types[v]];
  double doubles[cells];
  float floats[cells];
  int ints[cells];
  for (int i = 0; i < part->count; ++i) {
    doubles[i] = (1000.0 + record) / 7 * (double)part->map[i] - 20000;
    floats[i] = (float)doubles[i];
    ints[i] = (int)part->map[i] / 4 + record;
  }
  void* const values = types[v] == type_int ? ints : types[v] == type_float ? (void*)floats : doubles;
  if (v != late) PIO(PIOc_setframe(file, var[v], record));
  PIO(PIOc_write_darray(file, var[v], part->number, part->count, values, NULL));
}

/* A record by values, rounded likewise. */
static void put_record(int v) {
  double values[cells];
  for (int i = 0; i < cells; ++i) values[i] = 3.14159265 / (i + 1);
  PIO(PIOc_put_vara_double(file, var[v], (MPI_Offset[]){records, 0, 0}, (MPI_Offset[]){1, rows, columns}, values));
}

/* A variable that comes after data, and how others may be kept no more. */
static void define_late(void) {
  const int dims[2] = {1, 2};
  PIO(PIOc_redef(file));
  TELL(PIOc_def_var_quantize(file, var[undone], 1, 3));
  PIO(PIOc_def_var(file, names[late], types[late], 2, dims, &var[late]));
  PIO(PIOc_def_var_quantize(file, var[late], 3, 20));
  if (with_zstd) PIO(PIOc_def_var_zstandard(file, var[late], 1));
  PIO(PIOc_enddef(file));
}

static void read_again(int v, int record) {
  const struct part* const part = &parts[type_double];
  double values[cells] = {0}, sums[2] = {0, 0};
  if (v != late) PIO(PIOc_setframe(file, var[v], record));
  PIO(PIOc_read_darray(file, var[v], part->number, part->count, values));
  for (int i = 0; i < part->count; ++i)
    if (part->map[i] > 0) sums[0] += values[i], sums[1] += values[i] / (double)part->map[i];
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %d: %.4f %.4f\n", names[v], record, sums[0], sums[1]);
}

static void run(int system, const char* name, int iotype) {
  PIO(PIOc_createfile(system, &file, &iotype, name, 0));
  define();
  for (int v = 0; v < late; ++v) write_part(v, 0);
  put_record(groom);
  PIO(PIOc_sync(file));
  define_late();
  for (int v = 0; v < late; ++v) write_part(v, 1);
  write_part(late, 0);
  PIO(PIOc_closefile(file));
  PIO(PIOc_openfile(system, &file, &iotype, name, 0));
  for (int v = 0; v < variables; ++v)
    for (int record = 0; record < (v == late ? 1 : records) && types[v] == type_double; ++record) read_again(v, record);
  PIO(PIOc_closefile(file));
}

int main(int argc, char** argv) {
  int system;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  with_zstd = argc > 3;
  PIO(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, ranks > 1, PIO_REARR_BOX, &system));
  PIO(PIOc_set_iosystem_error_handling(system, PIO_RETURN_ERROR, NULL));
  for (int type = type_int; type <= type_double; ++type) decompose(system, type);
  run(system, argv[1], atoi(argv[2]));
  for (int type = type_int; type <= type_double; ++type) PIO(PIOc_freedecomp(system, parts[type].number));
  PIO(PIOc_finalize(system));
  MPI_Finalize();
  return 0;
}
