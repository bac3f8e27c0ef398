/* SPDX-License-Identifier: Apache-2.0 */
/* What a file's life costs under the bridge, beside PnetCDF's own in the same job: it is created, four variables are
 * defined and put, and it is closed. Both ways take turns, file by file: one by PnetCDF's names, and so through a
 * bridge that is preloaded, the other by addresses in PnetCDF's library, and past it.
 *
 *   files FOLDER [FILES [BYTES]]      default: 40 files of a million bytes, a quarter of each rank where there are 4
 *
 * Prints medians a file, of the slowest rank: milliseconds, processor milliseconds of all ranks, and how often a rank
 * calls MPI to talk to others. The first file of each way is told by itself: what starts with it is not paid again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../check.h"

enum { VARIABLES = 4, MOST_FILES = 10000 };

typedef struct {
  __typeof__(&ncmpi_create) create;
  __typeof__(&ncmpi_def_dim) def_dim;
  __typeof__(&ncmpi_def_var) def_var;
  __typeof__(&ncmpi_enddef) enddef;
  __typeof__(&ncmpi_put_vara_float_all) put;
  __typeof__(&ncmpi_close) close;
} calls_t;

typedef struct {
  double seconds, processor_seconds, calls;
} cost_t;

static int rank, ranks;
static long calls_of_mpi;

/* The program's own names come first: it counts what both libraries call. */
#define COUNTED(name, parameters, arguments) \
  int name parameters {                      \
    ++calls_of_mpi;                          \
    return P##name arguments;                \
  }
COUNTED(MPI_Allreduce, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (s, r, n, t, o, c))
COUNTED(MPI_Iallreduce, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request* q),
        (s, r, n, t, o, c, q))
COUNTED(MPI_Bcast, (void* b, int n, MPI_Datatype t, int o, MPI_Comm c), (b, n, t, o, c))
COUNTED(MPI_Ibcast, (void* b, int n, MPI_Datatype t, int o, MPI_Comm c, MPI_Request* q), (b, n, t, o, c, q))
COUNTED(MPI_Barrier, (MPI_Comm c), (c))
COUNTED(MPI_Ibarrier, (MPI_Comm c, MPI_Request* q), (c, q))
COUNTED(MPI_Allgather, (const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c),
        (s, n, t, r, m, u, c))
COUNTED(MPI_Iallgather,
        (const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c, MPI_Request* q),
        (s, n, t, r, m, u, c, q))
COUNTED(MPI_Iallgatherv,
        (const void* s, int n, MPI_Datatype t, void* r, const int* m, const int* d, MPI_Datatype u, MPI_Comm c,
         MPI_Request* q),
        (s, n, t, r, m, d, u, c, q))
COUNTED(MPI_Comm_dup, (MPI_Comm c, MPI_Comm* d), (c, d))
COUNTED(MPI_Comm_idup, (MPI_Comm c, MPI_Comm* d, MPI_Request* q), (c, d, q))
COUNTED(MPI_Comm_split, (MPI_Comm c, int color, int key, MPI_Comm* d), (c, color, key, d))
COUNTED(MPI_File_open, (MPI_Comm c, const char* p, int m, MPI_Info i, MPI_File* f), (c, p, m, i, f))
COUNTED(MPI_File_close, (MPI_File * f), (f))
COUNTED(MPI_File_sync, (MPI_File f), (f))
COUNTED(MPI_File_set_size, (MPI_File f, MPI_Offset s), (f, s))
COUNTED(MPI_File_set_view, (MPI_File f, MPI_Offset d, MPI_Datatype e, MPI_Datatype t, const char* r, MPI_Info i),
        (f, d, e, t, r, i))
COUNTED(MPI_File_write_at_all, (MPI_File f, MPI_Offset o, const void* b, int n, MPI_Datatype t, MPI_Status* s),
        (f, o, b, n, t, s))

static int find_library(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  const char* slash = strrchr(info->dlpi_name, '/');
  if (slash == NULL || strncmp(slash, "/libpnetcdf.so", 14) != 0) return 0;
  *(void**)found = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  return 1;
}
#define PAST(name) (__extension__(__typeof__(&name)) dlsym(library, #name))

static calls_t calls_past_a_bridge(void) {
  void* library = NULL;
  dl_iterate_phdr(find_library, &library);
  const calls_t calls = {
      PAST(ncmpi_create), PAST(ncmpi_def_dim), PAST(ncmpi_def_var), PAST(ncmpi_enddef), PAST(ncmpi_put_vara_float_all),
      PAST(ncmpi_close)};
  return calls;
}

static double processor_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void live(const calls_t* nc, const char* path, const float* values, MPI_Offset width) {
  int file, dim, vars[VARIABLES];
  const MPI_Offset begin = width * rank;
  CHECK(nc->create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  CHECK(nc->def_dim(file, "x", width * ranks, &dim));
  for (int v = 0; v < VARIABLES; ++v) {
    char name[8];
    snprintf(name, sizeof name, "v%d", v);
    CHECK(nc->def_var(file, name, NC_FLOAT, 1, &dim, &vars[v]));
  }
  CHECK(nc->enddef(file));
  for (int v = 0; v < VARIABLES; ++v) CHECK(nc->put(file, vars[v], &begin, &width, values));
  CHECK(nc->close(file));
}

static cost_t cost_of(const calls_t* nc, const char* path, const float* values, MPI_Offset width) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime(), worked = processor_seconds();
  calls_of_mpi = 0;
  live(nc, path, values, width);
  const double mine[3] = {MPI_Wtime() - began, processor_seconds() - worked, (double)calls_of_mpi};
  cost_t cost;
  PMPI_Allreduce(&mine[0], &cost.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  PMPI_Allreduce(&mine[1], &cost.processor_seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  PMPI_Allreduce(&mine[2], &cost.calls, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) remove(path);
  return cost;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
/* Of the files after the first; `at`: which of a cost's numbers. */
static double median(const cost_t* costs, int files, size_t at) {
  static double sorted[MOST_FILES];
  for (int i = 1; i < files; ++i) sorted[i - 1] = *(const double*)((const char*)&costs[i] + at);
  qsort(sorted, (size_t)files - 1, sizeof *sorted, by_size);
  return sorted[(files - 1) / 2];
}
static void show(const char* way, const cost_t* costs, int files) {
  printf("%-22s %10.2f %10.2f %14.2f %12.0f\n", way, 1e3 * costs[0].seconds,
         1e3 * median(costs, files, offsetof(cost_t, seconds)),
         1e3 * median(costs, files, offsetof(cost_t, processor_seconds)),
         median(costs, files, offsetof(cost_t, calls)));
}

int main(int argc, char** argv) {
  static cost_t costs[2][MOST_FILES];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int files = argc > 2 ? atoi(argv[2]) : 40;
  const MPI_Offset bytes = argc > 3 ? atoll(argv[3]) : 1000000;
  if (argc < 2 || files < 2 || files > MOST_FILES) {
    fprintf(stderr, "files FOLDER [FILES [BYTES]]: where it may make files, at least 2, and remove them\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const MPI_Offset width = bytes / VARIABLES / (MPI_Offset)sizeof(float) / ranks;
  float* const values = calloc((size_t)width + 1, sizeof *values);
  const calls_t ways[2] = {
      calls_past_a_bridge(),
      {ncmpi_create, ncmpi_def_dim, ncmpi_def_var, ncmpi_enddef, ncmpi_put_vara_float_all, ncmpi_close}};
  char path[2][400];
  snprintf(path[0], sizeof path[0], "%s/files_past.nc", argv[1]);
  snprintf(path[1], sizeof path[1], "%s/files_through.nc", argv[1]);
  for (int i = 0; i < files; ++i)
    for (int turn = 0; turn < 2; ++turn) {
      const int way = (turn + i) % 2;
      costs[way][i] = cost_of(&ways[way], path[way], values, width);
    }
  if (rank == 0) {
    printf("%d files of %lld bytes, %d ranks\n", files, (long long)bytes, ranks);
    printf("%-22s %10s %10s %14s %12s\n", "", "first, ms", "a file, ms", "processors, ms", "calls of MPI");
    show("PnetCDF alone", costs[0], files);
    show("by its names", costs[1], files);
  }
  free(values);
  MPI_Finalize();
  return 0;
}
