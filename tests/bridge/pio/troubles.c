/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes by PIO, one rank of which does not come: at createfile, at the first array, at the first one of
 * another decomposition, or where the file is read. The others print the code that they get there, and at the next
 * call, and end the program. Or all come, and the rank is PIO's I/O task: they print the codes of two syncs.
 *
 *   bridge_pio_troubles FILE RANK create|first|second|read|sync pnetcdf|netcdf4 ends|returns
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../late_rank.h"
#include "pio/interface.h"

enum { columns = 5, type_int = 4 };

static void must(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, "bridge_pio_troubles: %s: %d\n", call, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define PIO(call) must(call, #call)

static int decompose(int system, int rows) {
  const int lengths[2] = {rows * ranks, columns};
  int decomposition;
  MPI_Offset map[2 * columns];
  for (int i = 0; i < rows * columns; ++i) map[i] = rank * rows * columns + i + 1;
  PIO(PIOc_InitDecomp(system, type_int, 2, lengths, rows * columns, map, &decomposition, NULL, NULL, NULL));
  return decomposition;
}

int main(int argc, char** argv) {
  int system, file, dims[4], vars[2], values[2 * columns];
  MPI_Init(&argc, &argv);
  if (argc < 6) MPI_Abort(MPI_COMM_WORLD, 2);
  choose_late(atoi(argv[2]));
  int iotype = strcmp(argv[4], "netcdf4") == 0 ? PIO_IOTYPE_NETCDF4P : PIO_IOTYPE_PNETCDF;
  for (int i = 0; i < 2 * columns; ++i) values[i] = rank;
  const int syncs = strcmp(argv[3], "sync") == 0;
  PIO(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, syncs ? late : 0, PIO_REARR_BOX, &system));
  if (strcmp(argv[5], "returns") == 0) PIO(PIOc_set_iosystem_error_handling(system, PIO_RETURN_ERROR, NULL));
  const int one = decompose(system, 1), two = decompose(system, 2);
  stay_away(strcmp(argv[3], "create") == 0);
  const int made = PIOc_createfile(system, &file, &iotype, argv[1], 0);
  if (made != 0) end(made, PIOc_createfile(system, &file, &iotype, argv[1], 0));
  PIO(PIOc_def_dim(file, "one", ranks, &dims[0]));
  PIO(PIOc_def_dim(file, "two", 2 * ranks, &dims[1]));
  PIO(PIOc_def_dim(file, "x", columns, &dims[2]));
  PIO(PIOc_def_dim(file, "time", 0, &dims[3]));
  PIO(PIOc_def_var(file, "first", type_int, 3, (int[]){dims[3], dims[0], dims[2]}, &vars[0]));
  PIO(PIOc_def_var(file, "second", type_int, 2, (int[]){dims[1], dims[2]}, &vars[1]));
  PIO(PIOc_enddef(file));
  stay_away(strcmp(argv[3], "first") == 0);
  PIO(PIOc_setframe(file, vars[0], 0));
  const int first = PIOc_write_darray(file, vars[0], one, columns, values, NULL);
  if (first != 0) end(first, PIOc_sync(file));
  if (syncs) {
    others = MPI_COMM_WORLD;
    const int code = PIOc_sync(file);
    end(code, PIOc_sync(file));
  }
  stay_away(strcmp(argv[3], "second") == 0);
  const int second = PIOc_write_darray(file, vars[1], two, 2 * columns, values, NULL);
  if (second != 0 || strcmp(argv[3], "read") != 0) end(second, PIOc_sync(file));
  PIO(PIOc_closefile(file));
  PIO(PIOc_openfile(system, &file, &iotype, argv[1], 0));
  stay_away(1);
  const int got = PIOc_read_darray(file, vars[1], two, 2 * columns, values);
  end(got, PIOc_read_darray(file, vars[1], two, 2 * columns, values));
}
