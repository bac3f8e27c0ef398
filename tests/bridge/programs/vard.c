/* SPDX-License-Identifier: Apache-2.0 */
/* Puts whose places in the file an MPI datatype says (put_vard): of variables with records and without, of all makings
 * of datatypes, to and fro between types; and such that PnetCDF refuses, or that mean more than their variable. Prints
 * every code, so that a run with the bridge can be compared with one without.
 *
 *   vard FILE FORMAT */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

#include "codes.h"

enum { NY = 6, OWN = 4, RECORDS = 4, MOST = 2048 };

static int rank, ranks, file, nx, format;
static int t, odd, field, grid, letters, scalar, wide, last;
static MPI_Offset record_bytes;
static int ints[MOST];
static double doubles[MOST];

static void show(const char* what, int code) {
  MPI_Offset records = -1;
  print_codes(what, 28, code);
  ncmpi_inq_dimlen(file, t, &records);
  if (rank == 0) printf("  %d records\n", (int)records);
}

static void define(const char* path) {
  int y, x, four, dims[3];
  const int mode = format == 5 ? NC_64BIT_DATA : format == 2 ? NC_64BIT_OFFSET : 0;
  ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | mode, MPI_INFO_NULL, &file);
  ncmpi_def_dim(file, "t", NC_UNLIMITED, &t);
  ncmpi_def_dim(file, "y", NY, &y);
  ncmpi_def_dim(file, "x", nx, &x);
  ncmpi_def_dim(file, "four", 4, &four);
  dims[0] = t, dims[1] = four;
  ncmpi_def_var(file, "odd", NC_SHORT, 2, dims, &odd);
  dims[1] = y, dims[2] = x;
  ncmpi_def_var(file, "field", NC_FLOAT, 3, dims, &field);
  ncmpi_def_var(file, "grid", NC_INT, 2, dims + 1, &grid);
  ncmpi_def_var(file, "letters", NC_CHAR, 2, dims + 1, &letters);
  ncmpi_def_var(file, "scalar", NC_DOUBLE, 0, NULL, &scalar);
  ncmpi_def_var(file, "wide", format == 5 ? NC_INT64 : NC_DOUBLE, 1, &x, &wide);
  ncmpi_def_var(file, "last", NC_INT, 1, &x, &last);
  ncmpi_set_fill(file, NC_FILL, NULL);
  show("in define mode", ncmpi_put_vard_all(file, grid, MPI_INT, ints, 1, MPI_INT));
  show("enddef", ncmpi_enddef(file));
  ncmpi_inq_recsize(file, &record_bytes);
}

/* Puts, and the datatype goes. */
static void put(const char* what, int var, MPI_Datatype filetype, const void* values, MPI_Offset count,
                MPI_Datatype buftype) {
  if (filetype != MPI_DATATYPE_NULL) MPI_Type_commit(&filetype);
  show(what, ncmpi_put_vard_all(file, var, filetype, values, count, buftype));
  if (filetype != MPI_DATATYPE_NULL) MPI_Type_free(&filetype);
}

/* This rank's columns of a plane. */
static MPI_Datatype columns(MPI_Datatype element, int order) {
  MPI_Datatype made;
  const int c_sizes[] = {NY, nx}, c_counts[] = {NY, OWN}, c_starts[] = {0, OWN * rank};
  const int f_sizes[] = {nx, NY}, f_counts[] = {OWN, NY}, f_starts[] = {OWN * rank, 0};
  if (order == MPI_ORDER_C)
    MPI_Type_create_subarray(2, c_sizes, c_counts, c_starts, order, element, &made);
  else
    MPI_Type_create_subarray(2, f_sizes, f_counts, f_starts, order, element, &made);
  return made;
}

/* The same of some records. */
static MPI_Datatype columns_of_records(int first, int count) {
  MPI_Datatype made;
  int lengths[RECORDS * NY];
  MPI_Aint places[RECORDS * NY];
  for (int i = 0; i < count * NY; ++i) {
    lengths[i] = OWN;
    places[i] = (first + i / NY) * record_bytes + (MPI_Aint)sizeof(float) * (i % NY * nx + OWN * rank);
  }
  MPI_Type_create_hindexed(count * NY, lengths, places, MPI_FLOAT, &made);
  return made;
}

static MPI_Datatype dealt(MPI_Datatype element, int count, int stride, int first) {
  MPI_Datatype made, steps;
  MPI_Type_vector(count, 1, stride, element, &steps);
  int bytes = 0;
  MPI_Type_size(element, &bytes);
  MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){(MPI_Aint)first * bytes}, steps, &made);
  MPI_Type_free(&steps);
  return made;
}

static void put_fixed(void) {
  put("columns", grid, columns(MPI_INT, MPI_ORDER_C), ints, NY * OWN, MPI_INT);
  put("columns, Fortran's order", grid,
      columns(getenv("ONLY_C_TYPES") != NULL ? MPI_INT : MPI_INTEGER, MPI_ORDER_FORTRAN), doubles, NY * OWN,
      MPI_DOUBLE);
  put("dealt", grid, dealt(MPI_INT, NY * OWN, ranks, rank), ints + 7, NY * OWN, MPI_INT);
  put("text", letters, columns(MPI_CHAR, MPI_ORDER_C), "the quick brown fox jumps", NY * OWN, MPI_CHAR);
  put("the variable's own type", letters, columns(MPI_CHAR, MPI_ORDER_C), "over the lazy dogs, again", 7,
      MPI_DATATYPE_NULL);
  MPI_Datatype one;
  MPI_Type_dup(MPI_DOUBLE, &one);
  put("a scalar, of all ranks", scalar, one, &(float){2.5F}, 1, MPI_FLOAT);
  put("64 bits", wide, dealt(format == 5 ? MPI_LONG_LONG : MPI_DOUBLE, OWN, ranks, rank), ints, OWN, MPI_INT);
}

static void put_records(void) {
  MPI_Datatype gaps;
  MPI_Type_vector(NY * OWN, 1, 2, MPI_DOUBLE, &gaps);
  MPI_Type_commit(&gaps);
  for (int record = 0; record < 2; ++record)
    put("a record, values with gaps", field, columns_of_records(record, 1), doubles + record, 1, gaps);
  MPI_Type_free(&gaps);
  put("several records", field, columns_of_records(1, RECORDS - 1), ints, (RECORDS - 1) * NY * OWN, MPI_INT);
  const MPI_Offset all_of_odd[] = {rank == 0 ? RECORDS : 0, 4};
  show("what is not put later", ncmpi_put_vara_int_all(file, odd, (MPI_Offset[]){0, 0}, all_of_odd, ints));
  /* One rank's element of each record, by nested vectors that skip the other variables. */
  MPI_Datatype element, each, made;
  MPI_Type_create_resized(MPI_SHORT, 0, record_bytes, &element);
  MPI_Type_contiguous(rank < 4 ? RECORDS : 0, element, &each);
  MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){rank < 4 ? 2 * rank : 0}, &each, &made);
  MPI_Type_free(&element);
  MPI_Type_free(&each);
  put("an element of each record", odd, made, ints, rank < 4 ? RECORDS : 0, MPI_INT);
  put("no datatype on a rank", odd, rank == 0 ? dealt(MPI_SHORT, 2, 2, 0) : MPI_DATATYPE_NULL, ints, 2, MPI_INT);
  put("out of range on a rank", odd, rank == 0 ? dealt(MPI_SHORT, 3, 1, 0) : MPI_DATATYPE_NULL, (int[]){1, 1 << 20, 3},
      3, MPI_INT);
  put("nothing of later records", field, columns_of_records(RECORDS + rank, 1), NULL, 0, MPI_INT);
  put("no datatype anywhere", field, MPI_DATATYPE_NULL, NULL, 0, MPI_DATATYPE_NULL);
  for (int record = RECORDS; record < RECORDS + ranks; ++record) {
    ncmpi_fill_var_rec(file, field, record);
    ncmpi_fill_var_rec(file, odd, record);
  }
}

/* Some that are refused, on all ranks or on one. */
static void refuse(void) {
  MPI_Datatype made;
  put("of another type", grid, columns(MPI_FLOAT, MPI_ORDER_C), ints, NY * OWN, MPI_INT);
  put("of bytes", grid, dealt(MPI_BYTE, 4, 1, 0), ints, 1, MPI_INT);
  put("a long", wide, dealt(MPI_LONG, OWN, ranks, rank), ints, OWN, MPI_INT);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_INT, MPI_FLOAT}, &made);
  put("of two types", grid, made, ints, 2, MPI_INT);
  put("another number of elements", grid, columns(MPI_INT, MPI_ORDER_C), ints, NY * OWN - (rank == 0), MPI_INT);
  put("text into numbers", grid, columns(MPI_INT, MPI_ORDER_C), "text", NY * OWN, MPI_CHAR);
  MPI_Type_create_hindexed_block(1, OWN, (MPI_Aint[]){(MPI_Aint)4 * OWN * rank}, MPI_INT, &made);
  put("a making it does not know", last, made, ints, OWN, MPI_INT);
  MPI_Type_create_hindexed_block(1, OWN, (MPI_Aint[]){0}, MPI_INT, &made);
  MPI_Type_commit(&made);
  show("the same of values",
       ncmpi_put_vara_all(file, last, (MPI_Offset[]){OWN * rank}, (MPI_Offset[]){OWN}, ints, 1, made));
  MPI_Type_free(&made);
  put("no such variable", 99, columns(MPI_INT, MPI_ORDER_C), ints, NY * OWN, MPI_INT);
}

/* PnetCDF takes these; the bridge leaves them to it. */
static void leave(void) {
  MPI_Datatype made;
  MPI_Type_create_darray(ranks, rank, 1, &nx, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){MPI_DISTRIBUTE_DFLT_DARG}, &ranks,
                         MPI_ORDER_C, MPI_INT, &made);
  put("darray", last, made, ints, OWN, MPI_INT);
  MPI_Offset first = 0, second = 0;
  ncmpi_inq_varoffset(file, grid, &first);
  ncmpi_inq_varoffset(file, last, &second);
  MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){4 * rank, second - first + 4 * rank}, MPI_INT, &made);
  put("two variables", grid, made, ints + 3, 2, MPI_INT);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 2;
  format = atoi(argv[2]);
  nx = OWN * ranks;
  for (int i = 0; i < MOST; ++i) ints[i] = 100 * rank + i % 50, doubles[i] = 0.5 * i + rank;
  define(argv[1]);
  put_records(); /* first of all calls, when nothing is known of the file yet */
  put_fixed();
  refuse();
  leave();
  put("once more", grid, columns(MPI_INT, MPI_ORDER_C), ints + 5, NY * OWN, MPI_INT);
  show("close", ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
