/* SPDX-License-Identifier: Apache-2.0 */
/* Nonblocking gets of records that were put and not synced: posted, waited for, cancelled. Prints what it gets, so that
 * a run with the bridge can be compared with one without.
 *
 *   gets FILE */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <string.h>

#include "codes.h"

enum { OWN = 5, ALL = 64 };

static int rank, ranks, file, x, t, field, small;
static MPI_Offset first;

#define AT(...) ((MPI_Offset[]){__VA_ARGS__})

static void show(const char* what, int code) {
  print_codes(what, 44, code);
  if (rank == 0) printf("\n");
}
#define SHOW(call) show(#call, call)

static void show_numbers(const char* what, const int* numbers, int count) {
  int all[64 * ALL];
  MPI_Gather(numbers, count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%-44s", what);
  for (int i = 0; i < count * ranks; ++i) printf(" %d", all[i]);
  printf("\n");
}

static void show_waiting(void) {
  int waiting = -1;
  ncmpi_inq_nreqs(file, &waiting);
  show_numbers("waiting", &waiting, 1);
}

static void put_record(int record) {
  int values[OWN];
  for (int i = 0; i < OWN; ++i) values[i] = 1000 * record + 10 * rank + i;
  SHOW(ncmpi_put_vara_int_all(file, field, AT(record, first), AT(1, OWN), values));
}

/* A list of gets of all forms, and a put, in one wait. No element is gotten twice: of these PnetCDF gets one. */
static void get_in_a_list(void) {
  int requests[7], statuses[7], values[6][ALL], value = 77;
  memset(values, 0, sizeof values);
  put_record(0);
  put_record(1);
  SHOW(ncmpi_iget_vara_int(file, field, AT(1, first), AT(1, 2), values[0], &requests[0]));
  SHOW(ncmpi_iget_vars_int(file, field, AT(0, first + 2), AT(1, 2), AT(1, 2), values[1], &requests[1]));
  SHOW(ncmpi_iget_var1_int(file, field, AT(1, first + 2), values[2], &requests[2]));
  MPI_Offset* const starts[] = {AT(0, first), AT(1, first + 3)};
  MPI_Offset* const counts[] = {AT(1, 2), AT(1, 1)};
  SHOW(ncmpi_iget_varn_int(file, field, 2, starts, counts, values[3], &requests[3]));
  SHOW(ncmpi_iget_vara(file, field, AT(1, first + 4), AT(1, 1), values[4], 1, MPI_INT, &requests[4]));
  SHOW(ncmpi_iget_vara_int(file, field, AT(1, first + 4), AT(1, 0), values[5], &requests[5]));
  SHOW(ncmpi_iput_var1_int(file, field, AT(2, first), &value, &requests[6]));
  show_waiting();
  SHOW(ncmpi_wait_all(file, 7, requests, statuses));
  show_numbers("statuses", statuses, 7);
  for (int i = 0; i < 6; ++i) show_numbers("values", values[i], OWN);
  for (int i = 0; i < 7; ++i) requests[i] = requests[i] == NC_REQ_NULL;
  show_numbers("done", requests, 7);
  put_record(2);
  show_waiting();
}

/* The whole variable has as many records as were put when it was asked for. */
static void get_all_there_is(void) {
  int values[ALL * 4] = {0}, beyond = 0, request;
  put_record(3);
  SHOW(ncmpi_iget_var_int(file, field, values, NULL));
  SHOW(ncmpi_iget_var1_int(file, field, AT(4, first), &beyond, &request));
  SHOW(ncmpi_iget_var1_int(file, field, AT(3, (MPI_Offset)OWN * ranks), &beyond, &request));
  SHOW(ncmpi_iget_var1_text(file, field, AT(3, first), (char*)values, &request));
  SHOW(ncmpi_wait_all(file, NC_GET_REQ_ALL, NULL, NULL));
  show_numbers("of the last record", values + (MPI_Offset)3 * OWN * ranks + first, OWN);
}

/* A value does not fit; the wait says of which. */
static void get_what_does_not_fit(void) {
  signed char bytes[2] = {0};
  int requests[2], statuses[2] = {0};
  put_record(4);
  SHOW(ncmpi_iget_vara_schar(file, field, AT(4, first), AT(1, 1), bytes, &requests[0]));
  SHOW(ncmpi_iget_vara_schar(file, small, AT(0), AT(1), bytes + 1, &requests[1]));
  SHOW(ncmpi_wait_all(file, 2, requests, statuses));
  show("status of the first", statuses[0]);
  show("status of the second", statuses[1]);
}

static void change_the_mind(void) {
  int values[4] = {-1, -1, -1, -1}, requests[4], statuses[4] = {0};
  put_record(5);
  for (int i = 0; i < 4; ++i) SHOW(ncmpi_iget_var1_int(file, field, AT(5, first + i), &values[i], &requests[i]));
  SHOW(ncmpi_cancel(file, 1, &requests[0], &statuses[0]));
  show_numbers("its number is gone", (int[]){requests[0] == NC_REQ_NULL}, 1);
  show_waiting();
  SHOW(ncmpi_sync(file)); /* the library knows the record then */
  SHOW(ncmpi_cancel(file, 1, &requests[1], &statuses[1]));
  put_record(6);
  SHOW(ncmpi_begin_indep_data(file));
  SHOW(ncmpi_wait(file, 1, &requests[2], &statuses[2]));
  SHOW(ncmpi_end_indep_data(file));
  SHOW(ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
  show_numbers("values", values, 4);
  SHOW(ncmpi_iget_var1_int(file, field, AT(6, first), &values[0], &requests[0]));
  SHOW(ncmpi_cancel(file, NC_GET_REQ_ALL, NULL, NULL));
  show_waiting();
}

int main(int argc, char** argv) {
  int dims[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) return 2;
  first = (MPI_Offset)OWN * rank;
  SHOW(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER, MPI_INFO_NULL, &file));
  ncmpi_def_dim(file, "t", NC_UNLIMITED, &t);
  ncmpi_def_dim(file, "x", (MPI_Offset)OWN * ranks, &x);
  dims[0] = t, dims[1] = x;
  ncmpi_def_var(file, "field", NC_INT, 2, dims, &field);
  ncmpi_def_var(file, "small", NC_INT, 1, &x, &small);
  SHOW(ncmpi_enddef(file));
  SHOW(ncmpi_put_vara_int_all(file, small, AT(0), AT(rank == 0 ? OWN : 0), (int[]){1, 2, 3, 4, 5}));
  get_in_a_list();
  get_all_there_is();
  get_what_does_not_fit();
  change_the_mind();
  SHOW(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
