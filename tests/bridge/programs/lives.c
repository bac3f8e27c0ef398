/* SPDX-License-Identifier: Apache-2.0 */
/* Files that live unusual lives. Two records are put, and synced; then two more; then:
 *
 *   lives FILE finalize   MPI ends, and nobody closes the file
 *   lives FILE exit       the program ends, and not even MPI does
 *   lives FILE fork       a child of rank 0 ends, and the model goes on
 *   lives FILE split      each half of the ranks writes a file of its own (FILE.0, FILE.1) on a communicator that is
 *                         freed before the file is closed; and each rank one for itself (FILE.rank0, ...)
 *   lives FILE reader     the file is read, by a number of its own, while it is written
 *   lives FILE each       four files (FILE.0, ...), each for a communicator of its own: of all ranks; that of the
 *                         first has them in reverse order, and those of the first two are freed behind their files
 *   lives FILE threads    the same, where any thread may call MPI
 *
 * Or, before anything is put:
 *   lives FILE elsewhere  the program goes to another folder; FILE is no whole path
 *   lives FILE moved      the file becomes FILE.moved, and another one is made under its name */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

enum { NX = 40 };

static int rank, ranks;

typedef struct {
  int number, var, begin, count;
} file_t;

static file_t create(MPI_Comm comm, const char* path) {
  file_t file;
  int dims[2], mine, all;
  MPI_Comm_rank(comm, &mine);
  MPI_Comm_size(comm, &all);
  file.begin = NX * mine / all;
  file.count = NX * (mine + 1) / all - file.begin;
  CHECK(ncmpi_create(comm, path, NC_CLOBBER, MPI_INFO_NULL, &file.number));
  CHECK(ncmpi_def_dim(file.number, "t", NC_UNLIMITED, &dims[0]));
  CHECK(ncmpi_def_dim(file.number, "x", NX, &dims[1]));
  CHECK(ncmpi_def_var(file.number, "v", NC_INT, 2, dims, &file.var));
  CHECK(ncmpi_enddef(file.number));
  return file;
}

static void put(file_t file, int record) {
  int values[NX];
  for (int i = 0; i < file.count; ++i) values[i] = 1000 * record + file.begin + i;
  CHECK(ncmpi_put_vara_int_all(file.number, file.var, (MPI_Offset[]){record, file.begin}, (MPI_Offset[]){1, file.count},
                               values));
}

static void split(const char* path) {
  char name[300];
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  snprintf(name, sizeof name, "%s.%d", path, rank % 2);
  file_t file = create(half, name);
  put(file, 0);
  MPI_Comm_free(&half);
  snprintf(name, sizeof name, "%s.rank%d", path, rank);
  file_t own = create(MPI_COMM_SELF, name);
  put(own, 1);
  put(file, 1);
  CHECK(ncmpi_close(own.number));
  CHECK(ncmpi_close(file.number));
}

static void make_each(const char* path) {
  enum { files = 4 };
  char name[300];
  for (int i = 0; i < files; ++i) {
    const int freed = i < 2, reverse = i == 0;
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, reverse ? -rank : rank, &comm);
    snprintf(name, sizeof name, "%s.%d", path, i);
    const file_t file = create(comm, name);
    put(file, i);
    CHECK(ncmpi_close(file.number));
    if (freed) MPI_Comm_free(&comm);
  }
}

static void read_beside(file_t file, const char* path) {
  int again, values[NX];
  MPI_Offset records;
  CHECK(ncmpi_sync(file.number));
  CHECK(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &again));
  CHECK(ncmpi_inq_dimlen(again, 0, &records));
  CHECK(ncmpi_get_vara_int_all(again, 0, (MPI_Offset[]){3, 0}, (MPI_Offset[]){1, NX}, values));
  CHECK(ncmpi_close(again));
  for (int i = 0; i < NX; ++i) check(values[i] == 3000 + i ? NC_NOERR : NC_EINVAL, "a reader's value");
  if (rank == 0) printf("a reader sees %d records\n", (int)records);
  put(file, 4);
  CHECK(ncmpi_close(file.number));
}

static void go_elsewhere(const char* path, const char* life) {
  char moved[300];
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(life, "elsewhere") == 0 && chdir("/") != 0) check(NC_EINVAL, "chdir");
  if (strcmp(life, "moved") == 0 && rank == 0) {
    snprintf(moved, sizeof moved, "%s.moved", path);
    if (rename(path, moved) != 0) check(NC_EINVAL, "rename");
    FILE* const other = fopen(path, "w");
    fputs("another file\n", other);
    fclose(other);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, argc == 3 && strcmp(argv[2], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 2;
  const char* life = argv[2];
  if (strcmp(life, "split") == 0 || strcmp(life, "each") == 0 || strcmp(life, "threads") == 0) {
    if (strcmp(life, "split") == 0)
      split(argv[1]);
    else
      make_each(argv[1]);
    MPI_Finalize();
    return 0;
  }
  file_t file = create(MPI_COMM_WORLD, argv[1]);
  go_elsewhere(argv[1], life);
  put(file, 0);
  put(file, 1);
  CHECK(ncmpi_sync(file.number));
  put(file, 2);
  put(file, 3);
  if (strcmp(life, "exit") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    _exit(0);
  }
  if (strcmp(life, "fork") == 0) {
    const pid_t child = rank == 0 ? fork() : -1;
    if (child == 0) exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    put(file, 4);
    CHECK(ncmpi_close(file.number));
  }
  if (strcmp(life, "reader") == 0) read_beside(file, argv[1]);
  MPI_Finalize();
  return 0;
}
