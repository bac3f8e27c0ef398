/* ranks: 1 4 */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a path makes impossible is known at weir_create, on all ranks and in every format; nothing is left behind, and
 * what was there stays. A slash at the end of a Zarr folder's path is none of that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weir/weir.h>

static weir_t* weir;
static int rank, failures;
static MPI_Comm comm;

static void expect(int holds, const char* what, const char* path) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s of %s: %s\n", rank, what, path, weir_error(weir));
  ++failures;
}

static void refused(const char* path, int mode, const char* sentence) {
  weir_file* file = NULL;
  const int code = weir_create(weir, path, mode, &file);
  expect(code != WEIR_OK && strstr(weir_error(weir), sentence), sentence, path);
  if (code == WEIR_OK) weir_close(file);
}

/* One variable, `value` in it on all ranks; the path as it is given. */
static void make(const char* path, int mode, int value) {
  weir_file* file = NULL;
  int dim = -1, var = -1, ranks;
  MPI_Comm_size(comm, &ranks);
  expect(weir_create(weir, path, mode, &file) == WEIR_OK, "weir_create", path);
  if (!file) return;
  weir_def_dim(file, "x", ranks, &dim);
  weir_def_var(file, "v", WEIR_INT, 1, &dim, &var);
  weir_enddef(file);
  weir_put_vara(file, var, (int64_t[]){rank}, (int64_t[]){1}, WEIR_INT, &value);
  expect(weir_close(file) == WEIR_OK, "weir_close", path);
}

static void holds(const char* path, int value) {
  weir_file* file = NULL;
  int found = -1;
  expect(weir_open(weir, path, WEIR_NOWRITE, &file) == WEIR_OK, "weir_open", path);
  if (!file) return;
  weir_get_vara(file, 0, (int64_t[]){rank}, (int64_t[]){1}, WEIR_INT, &found);
  expect(found == value, "the value", path);
  weir_close(file);
}

static void folder(const char* path) {
  if (rank == 0) mkdir(path, 0777);
  MPI_Barrier(comm);
}

static void try_format(int mode, const char* ending) {
  char path[64], slashed[80];
  snprintf(path, sizeof path, "made_%x%s", (unsigned)mode, ending);
  make(path, mode, 1);
  snprintf(slashed, sizeof slashed, "%s//", path);
  if (mode == WEIR_ZARR) {
    make(slashed, mode, 2);
    holds(path, 2);
    holds(slashed, 2);
  } else {
    weir_file* file = NULL;
    refused(slashed, mode, "ends with a slash");
    expect(weir_open(weir, slashed, WEIR_NOWRITE, &file) != WEIR_OK && strstr(weir_error(weir), "ends with a slash"),
           "weir_open", slashed);
    holds(path, 1);
  }
  refused("a_folder", mode, "is a directory");
  refused("a_folder/.", mode, "director");
  refused("a_folder/..", mode, "director");
  refused("a.zarr/.", mode, mode == WEIR_ZARR ? "not the name of a new file" : "director");
  refused(".", mode, "director");
  refused("none/x", mode, "does not exist; make it first");
  refused("a_file/x", mode, "a part of the path");
  refused("", mode, "a file needs a path");
  if (geteuid() != 0) refused("closed/x", mode, "permission denied");
}

int main(int argc, char** argv) {
  const int modes[] = {WEIR_CDF1, WEIR_CDF2, WEIR_CDF5, WEIR_NETCDF4};
  MPI_Init(&argc, &argv);
  if (chdir(getenv("TMPDIR")) != 0) return 1;
  if (weir_init(MPI_COMM_WORLD, "durability: cache\ntimeout: 60\n", &comm, &weir) != WEIR_OK) return 1;
  MPI_Comm_rank(comm, &rank);
  folder("a_folder");
  folder("closed");
  if (rank == 0) {
    chmod("closed", 0555);
    fclose(fopen("a_file", "w"));
  }
  MPI_Barrier(comm);
  make("a.zarr", WEIR_ZARR, 3);
  for (int m = 0; m < 4; ++m) try_format(modes[m], ".nc");
  try_format(WEIR_ZARR, ".zarr");
  holds("a.zarr", 3);
  weir_finalize(&weir);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return failures > 0;
}
