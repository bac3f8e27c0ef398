/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes and reads by PIO, knows nothing of Weir, and frees decompositions while a file is open that it
 * has written by them: others take their place, of another shape and of other parts. Codes of calls that name one that
 * is no more are printed, and of a record that is not there.
 *
 *   bridge_pio_decompositions FILE
 */
#include <stdio.h>
#include <stdlib.h>

#include "pio/interface.h"

enum { rows = 9, columns = 8, cells = rows * columns, type_double = 6, records = 3 };

static int rank, ranks;

static void must(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, "bridge_pio_decompositions: %s: %d\n", call, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define PIO(call) must(call, #call)

struct part {
  int number, count;
  MPI_Offset map[cells];
};

/* Elements dealt out one by one, from that of `turn` ranks further on; of the array, or of its transpose. */
static void decompose(int system, int turn, int transposed, struct part* part) {
  const int lengths[2] = {transposed ? columns : rows, transposed ? rows : columns};
  part->count = 0;
  for (int cell = (rank + turn) % ranks; cell < cells; cell += ranks) part->map[part->count++] = cell + 1;
  PIO(PIOc_InitDecomp(system, type_double, 2, lengths, part->count, part->map, &part->number, NULL, NULL, NULL));
}

static int write_part(int file, int var, const struct part* part, double base) {
  double values[cells];
  for (int i = 0; i < part->count; ++i) values[i] = base + (double)part->map[i];
  return PIOc_write_darray(file, var, part->number, part->count, values, NULL);
}

static void print_code(const char* what, int code) {
  if (rank == 0) printf("%s: %d\n", what, code);
}

static void write_file(int system, const char* name) {
  int file, dims[3], turned[3], vars[2], iotype = PIO_IOTYPE_PNETCDF;
  struct part part;
  PIO(PIOc_createfile(system, &file, &iotype, name, 0));
  PIO(PIOc_def_dim(file, "time", 0, &dims[0]));
  PIO(PIOc_def_dim(file, "y", rows, &dims[1]));
  PIO(PIOc_def_dim(file, "x", columns, &dims[2]));
  turned[0] = dims[0], turned[1] = dims[2], turned[2] = dims[1];
  PIO(PIOc_def_var(file, "plain", type_double, 3, dims, &vars[0]));
  PIO(PIOc_def_var(file, "turned", type_double, 3, turned, &vars[1]));
  PIO(PIOc_enddef(file));
  for (int record = 0; record < records; ++record)
    for (int v = 0; v < 2; ++v) {
      decompose(system, record, v, &part);
      PIO(PIOc_setframe(file, vars[v], record));
      PIO(write_part(file, vars[v], &part, 100 * record + 1000 * v));
      PIO(PIOc_freedecomp(system, part.number)); /* nothing has been synchronised */
    }
  print_code("written by a freed one", write_part(file, vars[0], &part, 0));
  PIO(PIOc_closefile(file));
}

static void read_file(int system, const char* name) {
  int file, iotype = PIO_IOTYPE_PNETCDF;
  struct part part;
  PIO(PIOc_openfile(system, &file, &iotype, name, 0));
  for (int record = 0; record <= records; ++record) {
    double values[cells] = {0}, wrong = 0;
    decompose(system, 2 * record, 0, &part);
    PIO(PIOc_setframe(file, 0, record));
    const int code = PIOc_read_darray(file, 0, part.number, part.count, values);
    for (int i = 0; i < part.count; ++i) wrong += values[i] != (double)(part.map[i] + 100 * record);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && code == 0) printf("record %d: %.0f wrong\n", record, wrong);
    if (code != 0) print_code("no such record", code);
    PIO(PIOc_freedecomp(system, part.number));
    print_code("read by a freed one", PIOc_read_darray(file, 0, part.number, part.count, values));
  }
  PIO(PIOc_closefile(file));
}

int main(int argc, char** argv) {
  int system;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  PIO(PIOc_Init_Intracomm(MPI_COMM_WORLD, 1, 1, 0, PIO_REARR_BOX, &system));
  PIO(PIOc_set_iosystem_error_handling(system, PIO_RETURN_ERROR, NULL));
  write_file(system, argv[1]);
  read_file(system, argv[1]);
  PIO(PIOc_finalize(system));
  MPI_Finalize();
  return 0;
}
