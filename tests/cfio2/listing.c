/* SPDX-License-Identifier: Apache-2.0 */
/* ranks: 2 4 8 */
/* Listing 1 of Wang & Huang (2025) as it stands there, with declarations around it: `not Control Process` is `rank >
 * 0`, as in the programs of CFIO2. Three times: append = 0, where the second put begins the file anew, in another
 * shape; append = 1, where it writes over the variable, in another decomposition; and append = 1 again into the file
 * that is there. */
#include <cfio2.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

enum { NZ = 5, NY = 11, NX = 7 };

static int rank, ranks, failures;
static char filename_1[4096];

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, cfio2_error());
  ++failures;
}

/* Of `length` elements the ranks that compute have even shares, in turn. */
static int first_of(int length, int part, int parts) {
  return length * part / parts;
}

static double value(int put, int z, int y, int x) {
  return 1000 * put + 100 * z + y + x / 16.0;
}

static double* values(int put, const int start[3], const int count[3]) {
  double* data = malloc((size_t)(count[0] * count[1] * count[2] + 1) * sizeof *data);
  int i = 0;
  for (int z = 0; z < count[0]; ++z)
    for (int y = 0; y < count[1]; ++y)
      for (int x = 0; x < count[2]; ++x) data[i++] = value(put, start[0] + z, start[1] + y, start[2] + x);
  return data;
}

static void listing(int append, const int global_1[3], const int global_2[3]) {
  const int IO_process_per_node = 10, IO_process_per_var = 2, parts = ranks - 1, part = rank - 1;
  const char* varname_1 = "temperature";
  const char* dim_name_1[3] = {"Z", "Y", "X"};
  const char* dim_name_2[3] = {"Z", "Y", "X"};
  int start_1[3] = {0, 0, 0}, count_1[3] = {global_1[0], global_1[1], global_1[2]};
  int start_2[3] = {0, 0, 0}, count_2[3] = {global_2[0], global_2[1], global_2[2]};
  double *data_1 = NULL, *data_2 = NULL;

  if (rank > 0) {
    start_1[1] = first_of(global_1[1], part, parts);
    count_1[1] = first_of(global_1[1], part + 1, parts) - start_1[1];
    start_2[2] = first_of(global_2[2], part, parts);
    count_2[2] = first_of(global_2[2], part + 1, parts) - start_2[2];
    data_1 = values(1, start_1, count_1);
    data_2 = values(2, start_2, count_2);
  }

  /* clang-format off */
cfio2_init(MPI_COMM_WORLD, IO_process_per_node, IO_process_per_var);
if (rank > 0)
{
    //Compute
    cfio2_put_vara(MPI_COMM_WORLD, filename_1, varname_1,
                  cfio2_data_type_double, dim_name_1,
                  global_1, start_1, count_1, data_1, append);
    expect(!*cfio2_error(), "the first put");

    //Compute
    cfio2_put_vara(MPI_COMM_WORLD, filename_1, varname_1,
                  cfio2_data_type_double, dim_name_2,
                  global_2, start_2, count_2, data_2, append);
    expect(!*cfio2_error(), "the second put");

    cfio2_wait_output(MPI_COMM_WORLD);
    expect(!*cfio2_error(), "cfio2_wait_output");
}
cfio2_finalize(MPI_COMM_WORLD);
  /* clang-format on */
  expect(!*cfio2_error(), "cfio2_finalize");
  free(data_1);
  free(data_2);
}

static void check_file(const int global[3]) {
  int file, var = -1, dims[3], ndims, nvars;
  MPI_Offset length;
  const int start[3] = {0, 0, 0};
  double* wanted = values(2, start, global);
  double* read = calloc((size_t)(global[0] * global[1] * global[2]), sizeof *read);

  if (ncmpi_open(MPI_COMM_SELF, filename_1, NC_NOWRITE, MPI_INFO_NULL, &file) != NC_NOERR) {
    expect(0, "the file cannot be opened");
    return;
  }
  ncmpi_inq_nvars(file, &nvars);
  expect(nvars == 1 && ncmpi_inq_varid(file, "temperature", &var) == NC_NOERR, "one variable");
  ncmpi_inq_varndims(file, var, &ndims);
  expect(ndims == 3, "three dimensions");
  ncmpi_inq_vardimid(file, var, dims);
  for (int d = 0; d < 3; ++d) {
    ncmpi_inq_dimlen(file, dims[d], &length);
    expect(length == global[d], "a dimension's length");
  }
  expect(ncmpi_get_var_double_all(file, var, read) == NC_NOERR, "reading");
  for (int i = 0; i < global[0] * global[1] * global[2]; ++i)
    if (read[i] != wanted[i]) {
      expect(0, "an element is not what was put last");
      break;
    }
  ncmpi_close(file);
  free(read);
  free(wanted);
}

int main(int argc, char** argv) {
  const char* directory = getenv("TMPDIR");
  const int small[3] = {NZ, NY, NX}, large[3] = {NZ + 1, NY + 2, 2 * NX};
  int all_failures;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(filename_1, sizeof filename_1, "%s/listing_c.nc", directory ? directory : ".");
  listing(0, small, large);
  if (rank == 0) check_file(large);
  if (rank == 0) remove(filename_1);
  MPI_Barrier(MPI_COMM_WORLD);
  listing(1, small, small);
  if (rank == 0) check_file(small);
  MPI_Barrier(MPI_COMM_WORLD);
  listing(1, small, small);
  if (rank == 0) check_file(small);
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_failures != 0;
}
