/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf4_killed PATH CONFIG SEED [zarr] [append] [stop] [torn | full | full_for_good]: writes records of a netCDF-4
 * file, or a Zarr folder, or behind those of the file or folder that is there, and commits each, and says so; from the
 * fourth on, each commit of a folder has an earlier record once more. Rank 0 is killed in a commit that follows from
 * the seed: at any moment of it where the seed is even, else within a write of the commit's own, to the journal or to
 * the file, or, of a Zarr folder, before a rename. With seed 0 it is not; with "stop" it ends after two records.
 * "torn": it is killed within the SEED-th write of the third commit over what is in the file; "full": that write is
 * told that the disk is full, "full_for_good": and all later ones. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "killed.h"

enum { rows = 64, columns = 100, most_records = 40, variables = 3 };

static int writes_to_the_end = -1; /* pwrite calls of this process before the one that is cut in half; -1: no end */

static struct stat committed;          /* the file as the commit before has left it */
static int overwrites_to_the_end = -1; /* the same of writes over what it has */
static int full, full_for_good;

static int overwrites(int descriptor, off_t offset) {
  struct stat file;
  return fstat(descriptor, &file) == 0 && file.st_ino == committed.st_ino && offset < committed.st_size;
}

/* The library's calls come here too: the program exports it. A commit's journal and tables are written by it. */
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  if (overwrites_to_the_end == 0 && full_for_good) return errno = ENOSPC, -1;
  if (overwrites_to_the_end > 0 && overwrites(descriptor, offset) && --overwrites_to_the_end == 0) {
    syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset);
    if (!full) kill(getpid(), SIGKILL);
    return errno = ENOSPC, -1;
  }
  if (writes_to_the_end > 0 && --writes_to_the_end == 0) {
    syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset);
    kill(getpid(), SIGKILL);
  }
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

static int renames_to_the_end = -1; /* the same of rename */

int rename(const char* from, const char* to) {
  if (renames_to_the_end > 0 && --renames_to_the_end == 0) kill(getpid(), SIGKILL);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static void end_in_this_commit(uint64_t* random, int in_a_write, int in_a_rename) {
  if (in_a_rename)
    renames_to_the_end = 1 + (int)(draw(random) % 14);
  else if (in_a_write)
    writes_to_the_end = 1 + (int)(draw(random) % 12);
  else
    end_in((long)(draw(random) % 6000) * 1000 + 1);
}

static void end_over_what_is_there(const char* path, int writes) {
  if (stat(path, &committed) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  overwrites_to_the_end = writes;
}

static weir_file* create(weir_t* weir, const char* path, int mode, int ranks) {
  weir_file* file = NULL;
  int dims[3], var;
  require_ok(weir_create(weir, path, mode, &file), weir);
  weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]);
  weir_def_dim(file, "y", (int64_t)rows * ranks, &dims[1]);
  weir_def_dim(file, "x", columns, &dims[2]);
  const int64_t chunk[] = {1, 8, 25};
  weir_def_var(file, "time", WEIR_DOUBLE, 1, dims, &var);
  for (int v = 0; v < variables; ++v) {
    const char name[] = {'v', (char)('0' + v), 0};
    weir_def_var(file, name, WEIR_DOUBLE, 3, dims, &var);
    weir_def_var_chunking(file, var, WEIR_CHUNKED, chunk);
    weir_def_var_deflate(file, var, 1, 1, 1);
  }
  require_ok(weir_enddef(file), weir);
  return file;
}

/* False where the disk was full. */
static int commit(weir_file* file, const weir_t* weir, int record, int says) {
  const int code = weir_sync(file);
  if (!full) require_ok(code, weir);
  if (says && code == WEIR_OK) printf("committed %d\n", record + 1);
  if (says && code != WEIR_OK) printf("failed: %s\n", weir_error(weir));
  fflush(stdout);
  return code == WEIR_OK;
}

static int asks(int argc, char** argv, const char* word) {
  for (int i = 4; i < argc; ++i)
    if (strcmp(argv[i], word) == 0) return 1;
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const int zarr = asks(argc, argv, "zarr"), append = asks(argc, argv, "append"), stop = asks(argc, argv, "stop");
  full_for_good = asks(argc, argv, "full_for_good");
  full = full_for_good || asks(argc, argv, "full");
  const int over = full || asks(argc, argv, "torn");
  MPI_Init(&argc, &argv);
  weir_t* weir = NULL;
  MPI_Comm model = MPI_COMM_NULL;
  if (weir_init(MPI_COMM_WORLD, argv[2], &model, &weir) != WEIR_OK) return 2;
  int rank = 0, ranks = 1, vars[variables], time = -1, layout = -1;
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  weir_file* file = NULL;
  int64_t there = 0;
  if (append) {
    require_ok(weir_open(weir, argv[1], WEIR_WRITE, &file), weir);
    require_ok(weir_inq_nrecords(file, &there), weir);
  } else {
    file = create(weir, argv[1], zarr ? WEIR_ZARR : WEIR_NETCDF4, ranks);
  }
  require_ok(weir_inq_varid(file, "time", &time), weir);
  for (int v = 0; v < variables; ++v) {
    const char name[] = {'v', (char)('0' + v), 0};
    require_ok(weir_inq_varid(file, name, &vars[v]), weir);
  }
  const int64_t shape[] = {(int64_t)rows * ranks, columns}, start[] = {(int64_t)rows * rank, 0},
                count[] = {rows, columns};
  require_ok(weir_def_layout(weir, 2, shape, 1, start, count, NULL, &layout), weir);
  uint64_t random = strtoull(argv[3], NULL, 10);
  const int in_a_write = random % 2 == 1, unharmed = random == 0;
  const int last =
      (int)there + (int)(draw(&random) % 6 + draw(&random) % 6) + in_a_write;  // the first commit has no journal
  static double values[rows * columns];
  for (int record = (int)there; record < (stop ? there + 2 : most_records); ++record) {
    const double hour = record / 2.0;
    require_ok(weir_put_var(file, time, record, WEIR_DOUBLE, &hour), weir);
    for (int v = 0; v < variables; ++v)
      for (int again = zarr && record >= 3 ? 1 : 0; again >= 0; --again) {
        const int which = again ? record / 2 : record;
        for (int i = 0; i < rows * columns; ++i) values[i] = 1e6 * v + 1e4 * which + rank * rows * columns + i;
        require_ok(weir_put(file, vars[v], which, layout, WEIR_DOUBLE, values), weir);
      }
    MPI_Barrier(model);
    if (rank == 0 && over && record == there + 2) end_over_what_is_there(argv[1], atoi(argv[3]));
    if (rank == 0 && record == last && !unharmed && !over)
      end_in_this_commit(&random, in_a_write, zarr && in_a_write && random % 4 < 2);
    if (!commit(file, weir, record, rank == 0)) break;
  }
  const int closed = weir_close(file);
  if (!full) require_ok(closed, weir);
  weir_finalize(&weir);
  MPI_Comm_free(&model);
  MPI_Finalize();
  return 0;
}
