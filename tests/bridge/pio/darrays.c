/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes by PIO and knows nothing of Weir: frames of some variables, each a distributed array, of blocks
 * that tile the globe. What it took is printed: seconds in all, and those that the model waited in PIO's calls, of the
 * rank that waited most. Then it opens the last file again, reads all of it, and says what that took.
 *
 *   bridge_pio_darrays FILE [io=N] [rearr=box|subset] [frames=N] [vars=N] [mib=N] [files=N] [busy=SECONDS] [iotype=N]
 * [meet=1] [read=0]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pio/interface.h"

enum { most_vars = 16 };
enum { type_int = 4, type_float = 5, type_double = 6 };

static double waited;

static void must(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, "bridge_pio_darrays: %s: %d\n", call, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
/* A call of PIO's, timed. */
#define PIO(call)                      \
  do {                                 \
    const double before = MPI_Wtime(); \
    must(call, #call);                 \
    waited += MPI_Wtime() - before;    \
  } while (0)

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* As much work, however long the machine takes for it. */
static void compute(double seconds) {
  volatile double sum = 0;
  for (const double end = processor_seconds() + seconds; processor_seconds() < end;)
    for (int i = 0; i < 10000; ++i) sum = sum + i;
}

/* The ranks' blocks: as square as their number lets them be. */
static void block_of(int rank, int ranks, int rows, int columns, int* first, int* count) {
  int down = 1;
  for (int d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0) down = d;
  const int across = ranks / down, r = rank / across, c = rank % across;
  first[0] = rows * r / down;
  count[0] = rows * (r + 1) / down - first[0];
  first[1] = columns * c / across;
  count[1] = columns * (c + 1) / across - first[1];
}

static int option(int argc, char** argv, const char* name, int usual) {
  for (int i = 2; i < argc; ++i)
    if (strncmp(argv[i], name, strlen(name)) == 0 && argv[i][strlen(name)] == '=')
      return atoi(argv[i] + strlen(name) + 1);
  return usual;
}

static double busy_seconds(int argc, char** argv) {
  for (int i = 2; i < argc; ++i)
    if (strncmp(argv[i], "busy=", 5) == 0) return atof(argv[i] + 5);
  return 0;
}

static int rearranger(int argc, char** argv) {
  for (int i = 2; i < argc; ++i)
    if (strcmp(argv[i], "rearr=subset") == 0) return PIO_REARR_SUBSET;
  return PIO_REARR_BOX;
}

/* A file of this name, with its definitions. */
static int create(int system, int iotype, const char* name, const int* lengths, int nvars, int* vars) {
  int file, dims[3];
  PIO(PIOc_createfile(system, &file, &iotype, name, 0x0200)); /* 64-bit offsets, clobber */
  PIO(PIOc_def_dim(file, "time", 0, &dims[0]));
  PIO(PIOc_def_dim(file, "y", lengths[0], &dims[1]));
  PIO(PIOc_def_dim(file, "x", lengths[1], &dims[2]));
  for (int v = 0; v < nvars; ++v) {
    char var[16];
    snprintf(var, sizeof var, "v%d", v);
    PIO(PIOc_def_var(file, var, type_float, 3, dims, &vars[v]));
  }
  PIO(PIOc_enddef(file));
  return file;
}

/* Seconds of the slowest rank; what is read is what was written. */
static double read_all(int system, int iotype, const char* name, int decomposition, int elements, const MPI_Offset* map,
                       int nvars, int frames) {
  int file, wrong = 0;
  float* const values = malloc((size_t)elements * sizeof *values);
  MPI_Barrier(MPI_COMM_WORLD);
  double took = MPI_Wtime();
  PIO(PIOc_openfile(system, &file, &iotype, name, 0));
  for (int frame = 0; frame < frames; ++frame)
    for (int v = 0; v < nvars; ++v) {
      PIO(PIOc_setframe(file, v, frame));
      PIO(PIOc_read_darray(file, v, decomposition, elements, values));
      for (int i = 0; i < elements; i += 1021) wrong += values[i] != (float)(map[i] + v + 10 * frame);
    }
  PIO(PIOc_closefile(file));
  took = MPI_Wtime() - took;
  free(values);
  must(wrong, "values read");
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return took;
}

int main(int argc, char** argv) {
  int rank, ranks, system, decomposition, vars[most_vars], first[2], count[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  const int nvars = option(argc, argv, "vars", 4), frames = option(argc, argv, "frames", 4);
  const int io_tasks = option(argc, argv, "io", 1), mib = option(argc, argv, "mib", 8);
  const int files = option(argc, argv, "files", 1), iotype = option(argc, argv, "iotype", PIO_IOTYPE_PNETCDF);
  const int lengths[2] = {256 * mib, 1024};
  const double busy = busy_seconds(argc, argv);
  const int meets = option(argc, argv, "meet", 0);
  must(nvars > most_vars, "vars");
  block_of(rank, ranks, lengths[0], lengths[1], first, count);
  const int elements = count[0] * count[1];
  MPI_Offset* const map = malloc((size_t)elements * sizeof *map);
  float* const values = malloc((size_t)elements * sizeof *values);
  for (int i = 0; i < elements; ++i) {
    map[i] = (MPI_Offset)(first[0] + i / count[1]) * lengths[1] + first[1] + i % count[1] + 1;
    values[i] = (float)map[i];
  }
  MPI_Barrier(MPI_COMM_WORLD);
  must(PIOc_Init_Intracomm(MPI_COMM_WORLD, io_tasks, ranks / io_tasks, 0, rearranger(argc, argv), &system), "init");
  must(PIOc_InitDecomp(system, type_float, 2, lengths, elements, map, &decomposition, NULL, NULL, NULL),
       "decomposition");
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  char name[4096] = "";
  for (int f = 0; f < files; ++f) {
    snprintf(name, sizeof name, files > 1 ? "%s.%d" : "%s", argv[1], f);
    const int file = create(system, iotype, name, lengths, nvars, vars);
    for (int frame = 0; frame < frames; ++frame) {
      compute(busy);
      if (meets) MPI_Barrier(MPI_COMM_WORLD); /* what ranks wait for those that compute longer is then told apart */
      for (int v = 0; v < nvars; ++v) {
        for (int i = 0; i < elements; i += 1021) values[i] = (float)(map[i] + v + 10 * frame);
        PIO(PIOc_setframe(file, vars[v], frame));
        PIO(PIOc_write_darray(file, vars[v], decomposition, elements, values, NULL));
      }
      PIO(PIOc_sync(file));
    }
    PIO(PIOc_closefile(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double took[2] = {MPI_Wtime() - began, waited};
  MPI_Allreduce(MPI_IN_PLACE, took, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("seconds %.4f waited %.4f\n", took[0], took[1]);
  if (option(argc, argv, "read", 1)) {
    const double read = read_all(system, iotype, name, decomposition, elements, map, nvars, frames);
    if (rank == 0) printf("read %.4f\n", read);
  }
  must(PIOc_freedecomp(system, decomposition), "freedecomp");
  must(PIOc_finalize(system), "finalize");
  free(values);
  free(map);
  MPI_Finalize();
  return 0;
}
