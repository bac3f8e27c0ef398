/* ranks: 3 */
/* SPDX-License-Identifier: Apache-2.0 */
/* A Zarr folder by the C interface: what is refused, on all ranks and with nothing half made, and what it may take the
 * place of. What it holds is compared by those who read (tests/python/test_zarr.py). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <weir/weir.h>

static weir_t* weir;
static int rank, failures;

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, weir_error(weir));
  ++failures;
}

static void expect_refused(int code, int wanted, const char* sentence) {
  if (code == wanted && strstr(weir_error(weir), sentence)) return;
  fprintf(stderr, "rank %d: code %d, not refused as \"%s\": %s\n", rank, code, sentence, weir_error(weir));
  ++failures;
}

/* Entries of the folder, hidden ones too. */
static int entries(const char* folder) {
  int count = -2;
  DIR* open = opendir(folder);
  while (open && readdir(open)) ++count;
  if (open) closedir(open);
  return count;
}

static weir_file* begin(const char* path, const char* variable, int* var) {
  weir_file* file = NULL;
  int dim = -1;
  expect(weir_create(weir, path, WEIR_ZARR, &file) == WEIR_OK, "weir_create");
  weir_def_dim(file, "x", 8, &dim);
  weir_def_var(file, variable, WEIR_DOUBLE, 1, &dim, var);
  return file;
}

static void refuse_definitions(const char* path) {
  int var = -1, dims[2];
  weir_file* file = begin(path, "__v", &var);
  expect_refused(weir_enddef(file), WEIR_EARGUMENT, "which Zarr reserves");
  weir_close(file);
  file = begin(path, "zarr.json", &var);
  expect_refused(weir_enddef(file), WEIR_EARGUMENT, "Zarr's own file");
  weir_close(file);
  file = begin(path, "v", &var);
  weir_put_att_text(file, var, "name", "\xE9t\xE9");
  expect_refused(weir_enddef(file), WEIR_EARGUMENT, "not UTF-8 text");
  weir_close(file);
  file = begin(path, "v", &var);
  const int64_t chunk[] = {20000, 20000};
  weir_def_dim(file, "n", chunk[0], &dims[0]);
  weir_def_dim(file, "m", chunk[1], &dims[1]);
  weir_def_var(file, "large", WEIR_DOUBLE, 2, dims, &var);
  expect(weir_def_var_chunking(file, var, WEIR_CHUNKED, chunk) == WEIR_OK, "a chunk of 3 GiB");
  weir_def_var_deflate(file, var, 1, 1, 1);
  expect_refused(weir_enddef(file), WEIR_EARGUMENT, "less than 2 GiB");
  weir_close(file);
  expect_refused(weir_create(weir, path, WEIR_ZARR | WEIR_NETCDF4, &file), WEIR_EARGUMENT, "give one of them");
}

static void put_some(weir_file* file, int var) {
  double values[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  expect(weir_put_var(file, var, 0, WEIR_DOUBLE, values) == WEIR_OK, "weir_put_var");
}

/* By a rank alone, and by all; after the folder was replaced, neither. */
static void read_back(const char* path) {
  int var = -1, format = 0;
  weir_file* file = NULL;
  double value = 0;
  const int64_t start = 5, count = 1;
  expect(weir_open(weir, path, WEIR_NOWRITE, &file) == WEIR_OK, "weir_open");
  expect(weir_inq_format(file, &format) == WEIR_OK && format == 10, "weir_inq_format of a folder that was opened");
  expect(weir_inq_varid(file, "v", &var) == WEIR_OK, "weir_inq_varid");
  expect(weir_get_vara(file, var, &start, &count, WEIR_DOUBLE, &value) == WEIR_OK && value == 5, "weir_get_vara");
  value = 0;
  expect(weir_get_vara_all(file, var, &start, &count, WEIR_DOUBLE, &value) == WEIR_OK && value == 5,
         "weir_get_vara_all");
  weir_file* other = begin(path, "v", &var);
  expect(weir_enddef(other) == WEIR_OK, "weir_enddef over one that is read");
  put_some(other, var);
  expect(weir_close(other) == WEIR_OK, "weir_close over one that is read");
  expect_refused(weir_get_vara(file, var, &start, &count, WEIR_DOUBLE, &value), WEIR_EIO, "is no longer the file");
  expect_refused(weir_get_vara_all(file, var, &start, &count, WEIR_DOUBLE, &value), WEIR_EIO, "is no longer the file");
  expect(weir_close(file) == WEIR_OK, "weir_close of what was read");
}

/* By one run at a time; what is put again takes the place of what was there. */
static void open_to_write(const char* path) {
  int var = -1;
  weir_file *file = NULL, *other = NULL;
  expect(weir_open(weir, path, WEIR_WRITE, &file) == WEIR_OK, "weir_open to write");
  expect_refused(weir_open(weir, path, WEIR_WRITE, &other), WEIR_EIO, "is already open for writing");
  expect(weir_inq_varid(file, "v", &var) == WEIR_OK, "weir_inq_varid of a folder to write");
  put_some(file, var);
  expect(weir_close(file) == WEIR_OK, "weir_close of a folder to write");
}

static void replace(const char* folder, const char* path) {
  int var = -1, format = 0;
  weir_file* file = begin(path, "v", &var);
  expect(weir_enddef(file) == WEIR_OK, "weir_enddef");
  expect(weir_inq_format(file, &format) == WEIR_OK && format == 10, "weir_inq_format");
  put_some(file, var);
  expect(access(path, F_OK) != 0, "nothing has the name before a commit");
  expect(weir_sync(file) == WEIR_OK, "weir_sync");
  double value = 0;
  const int64_t start = 0, count = 1;
  expect_refused(weir_get_vara(file, var, &start, &count, WEIR_DOUBLE, &value), WEIR_ESTATE, "being written");
  expect(weir_close(file) == WEIR_OK, "weir_close");
  open_to_write(path);
  read_back(path);
  /* By another folder, and back to one that has failed: the first stays. */
  file = begin(path, "other", &var);
  expect(weir_enddef(file) == WEIR_OK, "weir_enddef of another");
  put_some(file, var);
  expect(weir_close(file) == WEIR_OK, "weir_close of another");
  file = begin(path, "failed", &var);
  expect(weir_enddef(file) == WEIR_OK, "weir_enddef of a third");
  weir_fail(file, WEIR_EIO, "the model gives up");
  expect(weir_close(file) == WEIR_EIO, "weir_close of a third");
  MPI_Barrier(MPI_COMM_WORLD); /* rank 0 removes what was never committed */
  char inside[4200];
  snprintf(inside, sizeof inside, "%s/other/zarr.json", path);
  expect(access(inside, F_OK) == 0, "the second is there");
  snprintf(inside, sizeof inside, "%s/v", path);
  expect(access(inside, F_OK) != 0, "the first is gone");
  expect(entries(folder) == 1, "nothing else is in the folder");
}

static void refuse_places(const char* folder, const char* path) {
  char other[4200];
  weir_file* file = NULL;
  snprintf(other, sizeof other, "%s/plain", folder);
  if (rank == 0) mkdir(other, 0777);
  MPI_Barrier(MPI_COMM_WORLD);
  expect_refused(weir_create(weir, other, WEIR_ZARR, &file), WEIR_EIO, "not a Zarr folder");
  expect_refused(weir_create(weir, path, WEIR_CDF5, &file), WEIR_EIO, "is a directory");
  expect_refused(weir_create(weir, path, WEIR_ZARR | WEIR_NOCLOBBER, &file), WEIR_EIO, "WEIR_NOCLOBBER");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm model = MPI_COMM_NULL;
  if (weir_init(MPI_COMM_WORLD, "timeout: 60\nbuffer_limit: 16MiB\n", &model, &weir) != WEIR_OK) return 2;
  MPI_Comm_rank(model, &rank);
  const char* given = getenv("TMPDIR");
  char folder[2048], path[4096];
  snprintf(folder, sizeof folder, "%s/zarr", given ? given : "/tmp");
  snprintf(path, sizeof path, "%s/model.zarr", folder);
  if (rank == 0) mkdir(folder, 0777);
  MPI_Barrier(model);
  refuse_definitions(path);
  expect(entries(folder) == 0, "what was refused has left nothing");
  MPI_Barrier(model);
  replace(folder, path);
  MPI_Barrier(model);
  refuse_places(folder, path);
  expect(weir_finalize(&weir) == WEIR_OK, "weir_finalize");
  MPI_Comm_free(&model);
  MPI_Finalize();
  return failures != 0;
}
