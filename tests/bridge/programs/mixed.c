/* SPDX-License-Identifier: Apache-2.0 */
/* Some calls come by PnetCDF's names, and so through a bridge that is preloaded; others by addresses that were taken
 * from PnetCDF's library itself, and past it. Prints what it sees, so that a run with the bridge can be compared with
 * one without.
 *
 *   mixed FILE        a record each way in turns, into one file; and a file created past the bridge
 *   mixed FILE lost   a file is closed past the bridge, with puts that were not synced; its number is used again */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

enum { NX = 12 };

static int rank, ranks;
static void* library;

/* The function in PnetCDF's library, whatever comes before that. */
#define PAST(name) (__extension__(__typeof__(&name)) dlsym(library, #name))

static int find_library(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  const char* slash = strrchr(info->dlpi_name, '/');
  if (slash == NULL || strncmp(slash, "/libpnetcdf.so", 14) != 0) return 0;
  *(void**)found = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  return 1;
}

static void define(int file, int* var) {
  int dims[2];
  CHECK(ncmpi_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  CHECK(ncmpi_def_dim(file, "x", (MPI_Offset)NX * ranks, &dims[1]));
  CHECK(ncmpi_def_var(file, "v", NC_INT, 2, dims, var));
  CHECK(ncmpi_enddef(file));
}

typedef int put_t(int, int, const MPI_Offset*, const MPI_Offset*, const int*);
static void put(put_t* how, int file, int var, int record) {
  int values[NX];
  for (int i = 0; i < NX; ++i) values[i] = 100 * record + NX * rank + i;
  CHECK(how(file, var, (MPI_Offset[]){record, (MPI_Offset)NX * rank}, (MPI_Offset[]){1, NX}, values));
}

static void show_records(int file, const char* when) {
  MPI_Offset records = 0;
  CHECK(ncmpi_inq_dimlen(file, 0, &records));
  if (rank == 0) printf("%s: %d records\n", when, (int)records);
}

/* The record count as the file has it. */
static void show_bytes(const char* path) {
  unsigned char head[8] = {0};
  const int file = open(path, O_RDONLY);
  if (rank == 0 && pread(file, head, 8, 0) == 8) printf("in the file: %d records\n", head[7]);
  close(file);
}

static void take_turns(const char* path) {
  char other_path[400];
  int file, other, var;
  snprintf(other_path, sizeof other_path, "%s.past", path);
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &file));
  define(file, &var);
  put(ncmpi_put_vara_int_all, file, var, 0);
  CHECK(ncmpi_sync(file));
  put(PAST(ncmpi_put_vara_int_all), file, var, 1);
  put(ncmpi_put_vara_int_all, file, var, 2);
  show_records(file, "in turns");
  CHECK(ncmpi_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  show_bytes(path);
  CHECK(PAST(ncmpi_create)(MPI_COMM_WORLD, other_path, NC_CLOBBER, MPI_INFO_NULL, &other));
  define(other, &var);
  put(ncmpi_put_vara_int_all, other, var, 0);
  put(ncmpi_put_vara_int_all, file, var, 3);
  CHECK(PAST(ncmpi_close)(other));
  CHECK(ncmpi_close(file));
}

static void lose(const char* path) {
  int file, again, var;
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &file));
  define(file, &var);
  put(ncmpi_put_vara_int_all, file, var, 0);
  CHECK(ncmpi_sync(file));
  put(ncmpi_put_vara_int_all, file, var, 1);
  CHECK(PAST(ncmpi_close)(file));
  CHECK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &again));
  define(again, &var);
  put(ncmpi_put_vara_int_all, again, var, 0);
  CHECK(ncmpi_close(again));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  dl_iterate_phdr(find_library, &library);
  if (argc < 2 || library == NULL) return 2;
  if (argc > 2)
    lose(argv[1]);
  else
    take_turns(argv[1]);
  MPI_Finalize();
  return 0;
}
