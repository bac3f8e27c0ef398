/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that PnetCDF refuses, on all ranks or on one, and what it answers while a file is written. Prints every code,
 * so that a run with the bridge can be compared with one without.
 *
 *   refusals FILE FORMAT */
#include <math.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "codes.h"

static int rank, ranks, file, t, x, field, letters, line, bytes, fixed;

static void show(const char* what, int code) {
  print_codes(what, 40, code);
  if (rank == 0) printf("\n");
}
#define SHOW(call) show(#call, call)
#define AT(...) ((MPI_Offset[]){__VA_ARGS__})

static void show_number(const char* what, MPI_Offset number) {
  if (rank == 0) printf("%-40s %lld\n", what, (long long)number);
}

static void show_records(const char* when) {
  MPI_Offset length = -1, by_dim = -1;
  char name[NC_MAX_NAME + 1];
  ncmpi_inq_dimlen(file, t, &length);
  ncmpi_inq_dim(file, t, name, &by_dim);
  show_number(when, length);
  if (length != by_dim) show_number("but inq_dim says", by_dim);
}

static void define(const char* path, int format) {
  int later;
  float value = 1;
  SHOW(ncmpi_create(MPI_COMM_WORLD, path,
                    NC_CLOBBER | (format == 5   ? NC_64BIT_DATA
                                  : format == 2 ? NC_64BIT_OFFSET
                                                : 0),
                    MPI_INFO_NULL, &file));
  SHOW(ncmpi_def_dim(file, "t", NC_UNLIMITED, &t));
  SHOW(ncmpi_def_dim(file, "t2", NC_UNLIMITED, &later));
  SHOW(ncmpi_def_dim(file, "x", 8, &x));
  SHOW(ncmpi_def_dim(file, "x", 9, &later));
  SHOW(ncmpi_def_var(file, "field", NC_FLOAT, 2, (int[]){t, x}, &field));
  SHOW(ncmpi_def_var(file, "letters", NC_CHAR, 1, &x, &letters));
  SHOW(ncmpi_def_var(file, "line", NC_INT, 1, &x, &line));
  SHOW(ncmpi_def_var(file, "bytes", NC_BYTE, 1, &x, &bytes));
  SHOW(ncmpi_def_var(file, "fixed", NC_SHORT, 1, &x, &fixed));
  SHOW(ncmpi_def_var(file, "field", NC_FLOAT, 1, &x, &later));
  SHOW(ncmpi_put_var1_float_all(file, field, AT(0, 0), &value)); /* in define mode */
  SHOW(ncmpi_begin_indep_data(file));
  SHOW(ncmpi_sync(file));
  SHOW(ncmpi_enddef(file));
  SHOW(ncmpi_enddef(file));
  SHOW(ncmpi_def_dim(file, "y", 9, &later));
}

static void refuse_places(void) {
  float values[16] = {1, 2, 3, 4, 5, 6, 7, 8};
  SHOW(ncmpi_put_vara_float_all(file, field, AT(0, 8), AT(1, 1), values));
  SHOW(ncmpi_put_vara_float_all(file, field, AT(0, 4), AT(1, 5), values));
  SHOW(ncmpi_put_vara_float_all(file, field, AT(0, 8), AT(1, 0), values));
  SHOW(ncmpi_put_vara_float_all(file, field, AT(-1, 0), AT(1, 1), values));
  SHOW(ncmpi_put_vara_float_all(file, field, AT(0, 0), AT(1, -1), values));
  SHOW(ncmpi_put_vara_float_all(file, field, NULL, AT(1, 1), values));
  SHOW(ncmpi_put_vara_float_all(file, field, AT(0, 0), NULL, values));
  SHOW(ncmpi_put_vars_float_all(file, field, AT(0, 0), AT(1, 5), AT(1, 2), values));
  SHOW(ncmpi_put_vars_float_all(file, field, AT(0, 0), AT(1, 2), AT(1, 0), values));
  show_records("records after refusals");
  /* One rank cannot, the others put. (Into a variable with records PnetCDF 1.12.3 would wait for that rank for ever.)
   */
  SHOW(ncmpi_put_vara_float_all(file, line, AT(rank == ranks - 1 ? 9 : 2 * rank % 8), AT(1), values));
  show_records("records after a put of some ranks");
}

static void refuse_types(void) {
  int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8}, large[8] = {70000, 2, 3, 4, 5, 6, 7, 8};
  unsigned char unsigned_bytes[8] = {200, 1, 2, 3, 4, 5, 6, 7};
  double wild[8] = {1e300, -1e300, 1, 2, 3, 4, 5, 6};
  const int first = 8 * rank / ranks, count = 8 * (rank + 1) / ranks - first;
  SHOW(ncmpi_put_var_int_all(file, letters, numbers));
  SHOW(ncmpi_put_vara_text_all(file, line, AT(0), AT(4), "abcd"));
  SHOW(ncmpi_put_vara_text_all(file, letters, AT(first), AT(count), "abcdefgh"));
  SHOW(ncmpi_put_vara_int_all(file, fixed, AT(first), AT(count), large));
  SHOW(ncmpi_put_vara_int_all(file, 99, AT(0), AT(1), numbers));
  SHOW(ncmpi_put_vara_int_all(file, NC_GLOBAL, AT(0), AT(1), numbers));
  SHOW(ncmpi_put_vara_uchar_all(file, bytes, AT(first), AT(count), unsigned_bytes));
  SHOW(ncmpi_put_vara_double_all(file, field, AT(1, first), AT(1, count), wild));
  SHOW(ncmpi_put_vara_all(file, line, AT(first), AT(count), numbers, count + 1, MPI_INT));
  SHOW(ncmpi_put_vara_all(file, line, AT(first), AT(count), numbers, 0, MPI_DATATYPE_NULL));
}

static void refuse_modes(void) {
  float value = 3;
  int request = 0, status = 0, id;
  SHOW(ncmpi_put_var1_float(file, field, AT(0, 0), &value));
  SHOW(ncmpi_get_var1_float(file, field, AT(0, 0), &value));
  SHOW(ncmpi_end_indep_data(file));
  SHOW(ncmpi_wait(file, NC_REQ_ALL, NULL, NULL));
  SHOW(ncmpi_begin_indep_data(file));
  SHOW(ncmpi_put_var1_float_all(file, field, AT(0, 0), &value));
  SHOW(ncmpi_put_var1_float(file, field, AT(3, rank % 8), &value));
  SHOW(ncmpi_put_var1_float(file, field, AT(3, 8), &value));
  SHOW(ncmpi_end_indep_data(file));
  show_records("records after independent puts");
  SHOW(ncmpi_iput_var1_float(file, field, AT(4, 9), &value, &request));
  SHOW(ncmpi_bput_var1_float(file, field, AT(4, 0), &value, &request));
  SHOW(ncmpi_buffer_attach(file, 2));
  SHOW(ncmpi_bput_var1_float(file, field, AT(4, 0), &value, &request));
  SHOW(ncmpi_buffer_detach(file));
  SHOW(ncmpi_buffer_detach(file));
  SHOW(ncmpi_iput_var1_float(file, field, AT(4, rank % 8), &value, &request));
  SHOW(ncmpi_inq_nreqs(file, &id));
  show_number("requests", id);
  SHOW(ncmpi_wait_all(file, 1, &request, &status));
  show("its status", status);
  show_number("its number is gone", request == NC_REQ_NULL);
  request = 12345;
  SHOW(ncmpi_wait_all(file, 1, &request, &status));
  SHOW(ncmpi_iput_var1_float(file, field, AT(5, 0), &value, &request));
  SHOW(ncmpi_cancel(file, 1, &request, &status));
  SHOW(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
  show_records("records after nonblocking puts");
}

/* PnetCDF's Fortran calls forget a request's number where a value does not fit, and wait for that of the put before. */
static void forget_a_number(void) {
  const int fits = 5, large = 70000;
  int request = 0, before = 0, status = 0, waiting = 0;
  SHOW(ncmpi_iput_var1_int(file, fixed, AT(rank % 8), &fits, &request));
  before = request;
  SHOW(ncmpi_wait_all(file, 1, &request, &status));
  SHOW(ncmpi_iput_var1_int(file, fixed, AT(rank % 8), &large, &request));
  SHOW(ncmpi_wait_all(file, 1, &before, &status));
  SHOW(ncmpi_inq_nreqs(file, &waiting));
  show_number("requests still waiting", waiting);
  SHOW(ncmpi_iput_var1_int(file, fixed, AT(rank % 8), &large, &request));
  before = NC_REQ_NULL;
  SHOW(ncmpi_wait_all(file, 1, &before, &status));
  SHOW(ncmpi_inq_nreqs(file, &waiting));
  show_number("requests still waiting", waiting);
}

static void refuse_reading(void) {
  float value = 0;
  SHOW(ncmpi_get_var1_float_all(file, field, AT(4, 0), &value));
  show_number("it is", (MPI_Offset)value);
  SHOW(ncmpi_get_var1_float_all(file, field, AT(40, 0), &value));
  SHOW(ncmpi_rename_var(file, line, "a_longer_name"));
  SHOW(ncmpi_rename_var(file, line, "lin"));
  SHOW(ncmpi_put_att_text(file, line, "units", 1, "m"));
  SHOW(ncmpi_redef(file));
  SHOW(ncmpi_redef(file));
  SHOW(ncmpi_put_att_text(file, line, "units", 1, "m"));
  SHOW(ncmpi_close(file));
  SHOW(ncmpi_close(file));
  SHOW(ncmpi_put_var1_float_all(file, field, AT(0, 0), &value));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 2;
  define(argv[1], atoi(argv[2]));
  refuse_places();
  refuse_types();
  refuse_modes();
  forget_a_number();
  refuse_reading();
  SHOW(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &file));
  show_records("records in the file");
  SHOW(ncmpi_put_var1_float_all(file, field, AT(0, 0), &(float){1}));
  SHOW(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
