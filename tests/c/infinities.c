/* ranks: 1 3 */
/* SPDX-License-Identifier: Apache-2.0 */
/* Infinities and NaN pass between float and double, in puts and gets, in every format; no integer holds them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <weir/weir.h>

static weir_t* weir;
static int rank, failures;

static void expect(int holds, const char* what, int mode) {
  if (holds) return;
  fprintf(stderr, "rank %d, mode %#x: %s: %s\n", rank, (unsigned)mode, what, weir_error(weir));
  ++failures;
}

static int same(double one, double other) {
  return isnan(one) ? isnan(other) : one == other;
}

enum { count = 37 }; /* more than vectors hold, and no multiple of them */

static void try_format(int mode, const char* path) {
  const double kinds[5] = {INFINITY, -INFINITY, NAN, 1.5, -0.0};
  const int64_t start[] = {(int64_t)rank * count}, length[] = {count};
  float floats[count], float_back[count];
  double doubles[count], double_back[count];
  weir_file* file = NULL;
  int ranks, dim = -1, wide = -1, narrow = -1, whole = -1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < count; ++i) floats[i] = (float)(doubles[i] = kinds[(i + i / 7) % 5]);
  weir_create(weir, path, mode, &file);
  weir_def_dim(file, "x", (int64_t)ranks * count, &dim);
  weir_def_var(file, "double_of_float", WEIR_DOUBLE, 1, &dim, &wide);
  weir_def_var(file, "float_of_double", WEIR_FLOAT, 1, &dim, &narrow);
  weir_def_var(file, "int_of_double", WEIR_INT, 1, &dim, &whole);
  expect(weir_enddef(file) == WEIR_OK, "weir_enddef", mode);
  weir_put_vara(file, wide, start, length, WEIR_FLOAT, floats);
  weir_put_vara(file, narrow, start, length, WEIR_DOUBLE, doubles);
  expect(weir_sync(file) == WEIR_OK, "float to double and back", mode);
  weir_put_vara(file, whole, start, length, WEIR_DOUBLE, doubles);
  expect(weir_close(file) == WEIR_ERANGE, "double to int", mode);
  expect(weir_open(weir, path, WEIR_NOWRITE, &file) == WEIR_OK, "weir_open", mode);
  for (int all = 0; all < 2; ++all) {
    int (*get)(weir_file*, int, const int64_t*, const int64_t*, weir_type, void*) =
        all ? weir_get_vara_all : weir_get_vara;
    expect(get(file, wide, start, length, WEIR_FLOAT, float_back) == WEIR_OK, "double read as float", mode);
    expect(get(file, narrow, start, length, WEIR_DOUBLE, double_back) == WEIR_OK, "float read as double", mode);
    for (int i = 0; i < count; ++i)
      expect(same(floats[i], float_back[i]) && same(doubles[i], double_back[i]), "a value", mode);
  }
  weir_close(file);
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  if (chdir(getenv("TMPDIR")) != 0) return 1;
  if (weir_init(MPI_COMM_WORLD, "strategy: remap\ndurability: cache\ntimeout: 60\n", &comm, &weir) != WEIR_OK) return 1;
  MPI_Comm_rank(comm, &rank);
  try_format(WEIR_CDF1, "one.nc");
  try_format(WEIR_CDF2, "two.nc");
  try_format(WEIR_CDF5, "five.nc");
  try_format(WEIR_NETCDF4, "four.nc");
  try_format(WEIR_ZARR, "folder.zarr");
  weir_finalize(&weir);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return failures > 0;
}
