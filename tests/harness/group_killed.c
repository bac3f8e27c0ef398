/* SPDX-License-Identifier: Apache-2.0 */
/* group_killed FOLDER CONFIG SEED: writes records of two to four files, classic and netCDF-4, in two folders, commits
 * them as one, and says so. The seed says how: by weir_sync_all, by weir_sync of one file of the configuration's group,
 * or by weir_close of a restart that is made anew for each record. Rank 0 is killed in a commit that follows from the
 * seed: at any moment of it, or at one of its calls to the storage, within it if it is a write. group_killed --open
 * PATH: opens the file with Weir, and says how many records it has, if it can be read. group_killed --cost FOLDER
 * CONFIG FILES: seconds that a commit of so many files takes, as one and one by one. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "killed.h"

enum { rows = 16, columns = 25, most_records = 30, most_files = 4, path_bytes = 4096 };

static weir_t* weir;
static MPI_Comm model;
static int rank, ranks, layout;

static int calls_to_the_end = -1; /* of this process to the storage, before the one at which it ends; -1: no end */

static int at_the_end(void) {
  return calls_to_the_end > 0 && --calls_to_the_end == 0;
}

static void end_here(void) {
  kill(getpid(), SIGKILL);
}

/* The library's calls come here too: the program exports them. */
ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  if (at_the_end()) {
    syscall(SYS_pwrite64, descriptor, bytes, count / 2, offset);
    end_here();
  }
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}
int fsync(int descriptor) {
  if (at_the_end()) end_here();
  return (int)syscall(SYS_fsync, descriptor);
}
int fdatasync(int descriptor) {
  if (at_the_end()) end_here();
  return (int)syscall(SYS_fdatasync, descriptor);
}
int rename(const char* from, const char* to) {
  if (at_the_end()) end_here();
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char* path) {
  if (at_the_end()) end_here();
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int symlink(const char* target, const char* path) {
  if (at_the_end()) end_here();
  return (int)syscall(SYS_symlinkat, target, AT_FDCWD, path);
}

static void end_in_this_commit(uint64_t* random, int files) {
  if (draw(random) % 3 == 0)
    end_in((long)(draw(random) % 4000) * 1000 + 1);
  else
    calls_to_the_end = 1 + (int)(draw(random) % (uint64_t)(12 * files));
}

static weir_file* make(const char* path, int netcdf4) {
  weir_file* file = NULL;
  int dims[3], var;
  require_ok(weir_create(weir, path, netcdf4 ? WEIR_NETCDF4 : WEIR_CDF2, &file), weir);
  weir_def_dim(file, "time", WEIR_UNLIMITED, &dims[0]);
  weir_def_dim(file, "y", (int64_t)rows * ranks, &dims[1]);
  weir_def_dim(file, "x", columns, &dims[2]);
  weir_def_var(file, "v", WEIR_DOUBLE, 3, dims, &var);
  if (netcdf4) {
    const int64_t chunk[] = {1, 8, columns};
    weir_def_var_chunking(file, var, WEIR_CHUNKED, chunk);
    weir_def_var_deflate(file, var, 1, 1, 1);
  }
  require_ok(weir_enddef(file), weir);
  return file;
}

static void put(weir_file* file, int64_t record, double first) {
  static double values[rows * columns];
  for (int i = 0; i < rows * columns; ++i) values[i] = first + rank * rows * columns + i;
  require_ok(weir_put(file, 0, record, layout, WEIR_DOUBLE, values), weir);
}

static void begin(const char* config) {
  MPI_Init(NULL, NULL);
  if (weir_init(MPI_COMM_WORLD, config, &model, &weir) != WEIR_OK) {
    fprintf(stderr, "%s\n", weir_init_error());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  const int64_t shape[] = {(int64_t)rows * ranks, columns}, start[] = {(int64_t)rows * rank, 0},
                count[] = {rows, columns};
  require_ok(weir_def_layout(weir, 2, shape, 1, start, count, NULL, &layout), weir);
}

static int end(void) {
  const int code = weir_finalize(&weir);
  MPI_Comm_free(&model);
  MPI_Finalize();
  return code;
}

enum way { by_sync_all, by_sync, by_close };

static int be_killed(const char* folder, const char* config, uint64_t seed) {
  uint64_t random = seed * 2654435761u + 1;
  const int files = 2 + (int)(draw(&random) % 3);
  const enum way way = (enum way)(draw(&random) % 3);
  const unsigned formats = (unsigned)draw(&random);
  const int last = (int)(draw(&random) % 5);
  char text[path_bytes], path[path_bytes];
  snprintf(text, sizeof text, "%scommit_group: \"%s\"\n", config, way == by_sync_all ? "" : "*.nc");
  begin(text);
  weir_file* open[most_files] = {NULL};
  for (int f = way == by_close ? 1 : 0; f < files; ++f) {
    snprintf(path, sizeof path, "%s/%s/file%d.nc", folder, f % 2 ? "b" : "a", f);
    open[f] = make(path, formats >> f & 1);
  }
  for (int record = 0; record < most_records; ++record) {
    if (way == by_close) {
      snprintf(path, sizeof path, "%s/a/restart%d.nc", folder, record);
      open[0] = make(path, formats & 1);
      put(open[0], 0, 1e4 * record);
    }
    for (int f = way == by_close ? 1 : 0; f < files; ++f) put(open[f], record, 1e6 * f + 1e4 * record);
    MPI_Barrier(model);
    if (rank == 0 && record == last) end_in_this_commit(&random, files);
    if (way == by_sync_all) require_ok(weir_sync_all(weir), weir);
    if (way == by_sync) require_ok(weir_sync(open[record % files]), weir);
    if (way == by_close) require_ok(weir_close(open[0]), weir);
    if (rank == 0) printf("committed %d\n", record + 1), fflush(stdout);
  }
  return end();
}

static int look(const char* path) {
  begin("tuned: none\n");
  weir_file* file = NULL;
  int64_t records = -1;
  if (weir_open(weir, path, WEIR_NOWRITE, &file) == WEIR_OK) {
    weir_inq_nrecords(file, &records);
    weir_close(file);
  }
  printf("records %lld\n", (long long)records);
  end();
  return 0;
}

static double seconds_of_commits(weir_file** open, int files, int as_one, int64_t first_record) {
  double seconds = 0;
  for (int record = 0; record < most_records; ++record) {
    for (int f = 0; f < files; ++f) put(open[f], first_record + record, 1e4 * record);
    MPI_Barrier(model);
    const double begun = MPI_Wtime();
    for (int f = 0; f < files && !as_one; ++f) require_ok(weir_sync(open[f]), weir);
    if (as_one) require_ok(weir_sync_all(weir), weir);
    seconds += MPI_Wtime() - begun;
  }
  return seconds / most_records;
}

/* One after the other in turns, so that what else the machine does meets both; the middle one of five each. */
static int compare(const void* a, const void* b) {
  const double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

static int tell_cost(const char* folder, const char* config, int files) {
  enum { turns = 5 };
  double seconds[2][turns];
  char path[path_bytes];
  weir_file* open[most_files] = {NULL};
  begin(config);
  if (files < 1 || files > most_files) return 2;
  for (int f = 0; f < files; ++f) {
    snprintf(path, sizeof path, "%s/cost%d.nc", folder, f);
    open[f] = make(path, 0);
  }
  for (int turn = 0; turn < turns; ++turn)
    for (int as_one = 0; as_one < 2; ++as_one)
      seconds[as_one][turn] = seconds_of_commits(open, files, as_one, (2 * turn + as_one) * most_records);
  for (int as_one = 0; as_one < 2; ++as_one) qsort(seconds[as_one], turns, sizeof(double), compare);
  if (rank == 0)
    printf("%d files, %d ranks: %.2f ms one by one, %.2f ms as one\n", files, ranks, 1e3 * seconds[0][turns / 2],
           1e3 * seconds[1][turns / 2]);
  return end();
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--open") == 0) return look(argv[2]);
  if (argc == 5 && strcmp(argv[1], "--cost") == 0) return tell_cost(argv[2], argv[3], atoi(argv[4]));
  if (argc == 4) return be_killed(argv[1], argv[2], strtoull(argv[3], NULL, 10));
  fprintf(stderr, "group_killed FOLDER CONFIG SEED | --open PATH | --cost FOLDER CONFIG FILES\n");
  return 2;
}
