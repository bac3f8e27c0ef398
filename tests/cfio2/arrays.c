/* SPDX-License-Identifier: Apache-2.0 */
/* ranks: 3 */
/* How many dimensions a put in C has: from arrays of any length, of variable length, mutable or not, from pointers,
 * from names that end early, and by number. */
#include <cfio2.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
static char path[4096];
static const double values[6] = {1, 2, 3, 4, 5, 6};

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, cfio2_error());
  ++failures;
}

#define PUT(name, dims, global, start, count)                                                                         \
  expect(                                                                                                             \
      cfio2_put_vara(MPI_COMM_WORLD, path, name, cfio2_data_type_double, dims, global, start, count, values, 1) == 0, \
      name)

static void put_parameters(const char* dims[3], int global[3], int start[3], int count[3]) {
  PUT("parameters", dims, global, start, count);
}

static void put_all(void) {
  const char* one[] = {"six"};
  char two_a[] = "two", two_b[] = "three";
  char* two[2] = {two_a, two_b};
  const char* const three[] = {"one", "two", "three"};
  const char* four[4] = {"one", "uno", "two", "three"};
  const char* ended[4] = {"two", "three", NULL, NULL};
  int global_1[] = {6}, start_1[] = {0};
  const int global_2[2] = {2, 3}, start_2[2] = {0, 0};
  int global_3[3] = {1, 2, 3}, start_3[3] = {0, 0, 0};
  int global_4[4] = {1, 1, 2, 3}, start_4[4] = {0, 0, 0, 0};
  int length = 2;
  int global_n[length], start_n[length];
  const int64_t wide_global[] = {2, 3}, wide_start[] = {0, 0};
  int* pointer = malloc(3 * sizeof *pointer);
  int (*function)(MPI_Comm, const char*, const char*, int, const char* const*, const int*, const int*, const int*,
                  const void*, int) = cfio2_put_vara;

  for (int d = 0; d < 3; ++d) pointer[d] = d + 1;
  for (int d = 0; d < length; ++d) {
    global_n[d] = d + 2;
    start_n[d] = 0;
  }
  PUT("one", one, global_1, start_1, global_1);
  PUT("two", two, global_2, start_2, global_2);
  PUT("three", three, global_3, start_3, global_3);
  PUT("four", four, global_4, start_4, global_4);
  PUT("ended", ended, global_4 + 2, start_4, global_4 + 2);
  PUT("variable", two, global_n, start_n, global_n);
  PUT("pointers", (const char* const*)three, pointer, &start_3[0], pointer);
  PUT("from_names", two, &global_2[0], &start_2[0], &global_2[0]);
  put_parameters((const char*[]){"one", "two", "three"}, global_3, start_3, global_3);
  expect(cfio2_put_vara_nd(MPI_COMM_WORLD, path, "numbered", cfio2_data_type_double, 2, (const char* const*)two,
                           wide_global, wide_start, wide_global, values, 1) == 0,
         "by number");
  expect(cfio2_put_vara_nd(MPI_COMM_WORLD, path, "scalar", cfio2_data_type_double, 0, NULL, NULL, NULL, NULL, values,
                           1) == 0,
         "a scalar");
  expect(function(MPI_COMM_WORLD, path, "function", cfio2_data_type_double, three, global_3, start_3, global_3, values,
                  1) == 0,
         "a pointer to the function");
  free(pointer);
}

static void check(int file, const char* name, int wanted) {
  int var, ndims = -1;
  MPI_Offset elements = 1, length;
  int dims[4];
  double read[6] = {0};

  expect(ncmpi_inq_varid(file, name, &var) == NC_NOERR, name);
  ncmpi_inq_varndims(file, var, &ndims);
  if (ndims != wanted) fprintf(stderr, "%s has %d dimensions\n", name, ndims);
  expect(ndims == wanted, name);
  ncmpi_inq_vardimid(file, var, dims);
  for (int d = 0; d < ndims; ++d) {
    ncmpi_inq_dimlen(file, dims[d], &length);
    elements *= length;
  }
  expect(elements == (wanted ? 6 : 1), name);
  expect(ncmpi_get_var_double_all(file, var, read) == NC_NOERR && read[elements - 1] == values[elements - 1], name);
}

int main(int argc, char** argv) {
  const char* directory = getenv("TMPDIR");
  int rank, file, all_failures;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/arrays.nc", directory ? directory : ".");
  expect(cfio2_init(MPI_COMM_WORLD, 1, 1) == 0, "cfio2_init");
  if (!cfio2_control_process(MPI_COMM_WORLD)) {
    put_all();
    expect(cfio2_wait_output(MPI_COMM_WORLD) == 0, "cfio2_wait_output");
  }
  expect(cfio2_finalize(MPI_COMM_WORLD) == 0, "cfio2_finalize");
  if (rank == 0 && ncmpi_open(MPI_COMM_SELF, path, NC_NOWRITE, MPI_INFO_NULL, &file) == NC_NOERR) {
    check(file, "one", 1);
    check(file, "two", 2);
    check(file, "three", 3);
    check(file, "four", 4);
    check(file, "ended", 2);
    check(file, "variable", 2);
    check(file, "pointers", 3);
    check(file, "from_names", 2);
    check(file, "parameters", 3);
    check(file, "numbered", 2);
    check(file, "scalar", 0);
    check(file, "function", 3);
    ncmpi_close(file);
  } else {
    expect(rank != 0, "the file cannot be opened");
  }
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_failures != 0;
}
