/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes an hourly history file by PIO's calls, in the order of PIO's own examples, and knows nothing of
 * Weir or of means: definitions, a coordinate, then each hour a field by a decomposition and the time as a value.
 *
 *   history FILE IOTYPE HOURS
 */
#include <stdio.h>
#include <stdlib.h>

#include "pio/interface.h"

#define PROGRAM "bridge_pio_history"
static int rank;
#include "checked.h"

enum { rows = 12, columns = 10, cells = rows * columns };
enum { type_float = 5, type_double = 6, text = 2 };

static int ranks, file, decomposition, count;
static int time_var, row_var, field_var;
static MPI_Offset map[cells];

static void put_text(int var, const char* name, const char* value, MPI_Offset length) {
  PIO(PIOc_put_att(file, var, name, text, length, value));
}

static void define(void) {
  int dims[3];
  const float fill = 1e20F;
  PIO(PIOc_def_dim(file, "time", 0, &dims[0]));
  PIO(PIOc_def_dim(file, "row", rows, &dims[1]));
  PIO(PIOc_def_dim(file, "column", columns, &dims[2]));
  PIO(PIOc_def_var(file, "time", type_double, 1, dims, &time_var));
  put_text(time_var, "units", "hours since 1990-01-30", 22);
  put_text(time_var, "calendar", "noleap", 6);
  PIO(PIOc_def_var(file, "row", type_double, 1, &dims[1], &row_var));
  PIO(PIOc_def_var(file, "field", type_float, 3, dims, &field_var));
  PIO(PIOc_put_att(file, field_var, "_FillValue", type_float, 1, &fill));
  PIO(PIOc_enddef(file));
}

/* Some cells are missing at some hours. */
static float value_of(int hour, MPI_Offset cell) {
  return (hour + cell) % 7 == 0 ? 1e20F : (float)(hour % 5) * 0.3F + (float)cell;
}

static void put_hour(int hour) {
  float values[cells];
  const double at = hour;
  for (int i = 0; i < count; ++i) values[i] = value_of(hour, map[i]);
  PIO(PIOc_setframe(file, field_var, hour - 1));
  PIO(PIOc_write_darray(file, field_var, decomposition, count, values, NULL));
  PIO(PIOc_put_vara_double(file, time_var, (MPI_Offset[]){hour - 1}, (MPI_Offset[]){1}, &at));
  if (hour % 6 == 0) PIO(PIOc_sync(file));
}

int main(int argc, char** argv) {
  int system, iotype;
  double row[rows];
  const int lengths[2] = {rows, columns};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  iotype = atoi(argv[2]);
  for (int i = 0; i < rows; ++i) row[i] = 0.5 * i;
  for (int cell = rank; cell < cells; cell += ranks) map[count++] = cell + 1;
  PIO(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, ranks > 1, PIO_REARR_BOX, &system));
  PIO(PIOc_InitDecomp(system, type_float, 2, lengths, count, map, &decomposition, NULL, NULL, NULL));
  PIO(PIOc_createfile(system, &file, &iotype, argv[1], 0));
  define();
  PIO(PIOc_put_vara_double(file, row_var, (MPI_Offset[]){0}, (MPI_Offset[]){rows}, row));
  for (int hour = 1; hour <= atoi(argv[3]); ++hour) put_hour(hour);
  PIO(PIOc_closefile(file));
  PIO(PIOc_freedecomp(system, decomposition));
  PIO(PIOc_finalize(system));
  MPI_Finalize();
  return 0;
}
