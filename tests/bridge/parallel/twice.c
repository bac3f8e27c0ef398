/* SPDX-License-Identifier: Apache-2.0 */
/* One parallel netCDF-4 file in two hands, and access that ranks mix. Prints what rank 0 is told.
 *
 *   twice FILE created   created again by all ranks while it is open
 *   twice FILE halves    opened to write by half of the ranks while all have it open
 *   twice FILE reader    read by rank 0 for itself while all have it open to write
 *   twice FILE writer    changed by rank 0 for itself while all have it open
 *   twice FILE access    one variable put together and one by rank 1 alone, in turn, and access changed between */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <string.h>

#include "../check.h"

enum { NX = 4, RECORDS = 3 };

static int rank, ranks, file, field, lone;

static void begin(const char* path) {
  int dims[2];
  CHECK(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
  CHECK(nc_def_dim(file, "x", (size_t)(NX * ranks), &dims[1]));
  CHECK(nc_def_var(file, "field", NC_FLOAT, 2, dims, &field));
  CHECK(nc_def_var(file, "lone", NC_INT, 1, &dims[1], &lone));
  CHECK(nc_enddef(file));
  CHECK(nc_var_par_access(file, field, NC_COLLECTIVE));
}

static int put(int record) {
  float values[NX];
  for (int i = 0; i < NX; ++i) values[i] = (float)(100 * record + NX * rank + i);
  return nc_put_vara_float(file, field, ((size_t[]){(size_t)record, (size_t)(NX * rank)}), ((size_t[]){1, NX}), values);
}

static int put_lone(int first) {
  return nc_put_vara_int(file, lone, ((size_t[]){(size_t)first}), ((size_t[]){2}), ((int[]){first, first + 1}));
}

static void created(const char* path) {
  int again = -1;
  CHECK(put(0));
  CHECK(nc_sync(file));
  CODE(nc_create_par(path, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &again));
  for (int record = 1; record < RECORDS; ++record) CHECK(put(record));
}

static void halves(const char* path) {
  int again = -1, code = NC_NOERR;
  MPI_Comm half;
  CHECK(put(0));
  CHECK(nc_sync(file));
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 0) code = nc_open_par(path, NC_WRITE, half, MPI_INFO_NULL, &again);
  TELL("half of the ranks open it: %d\n", code);
  MPI_Comm_free(&half);
  for (int record = 1; record < RECORDS; ++record) CHECK(put(record));
}

static void by_rank_0(const char* path, int mode) {
  CHECK(put(0));
  CHECK(nc_sync(file));
  if (rank == 0) {
    int own = -1;
    float first = -1;
    const int code = nc_open(path, mode, &own);
    printf("rank 0 opens it: %d\n", code);
    if (code == NC_NOERR) {
      CHECK(nc_get_var1_float(own, 0, ((size_t[]){0, 1}), &first));
      printf("a value is %g\n", (double)first);
      if (mode == NC_WRITE) printf("an attribute: %d\n", nc_put_att_text(own, NC_GLOBAL, "by", 6, "rank 0"));
      printf("rank 0 closes it: %d\n", nc_close(own));
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int record = 1; record < RECORDS; ++record) CODE(put(record));
}

static void access_of_both(void) {
  for (int record = 0; record < RECORDS; ++record) {
    CHECK(put(record));
    if (rank == 1) CHECK(put_lone(2 * record));
  }
  CHECK(nc_var_par_access(file, lone, NC_COLLECTIVE));
  CHECK(put_lone(NX * rank));
  CHECK(nc_var_par_access(file, lone, NC_INDEPENDENT));
  if (rank == 1) CHECK(put_lone(NX * ranks - 2));
}

int main(int argc, char** argv) {
  if (argc != 3) return fprintf(stderr, "usage: twice FILE CASE\n"), 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *const path = argv[1], *const which = argv[2];
  begin(path);
  if (strcmp(which, "created") == 0) created(path);
  if (strcmp(which, "halves") == 0) halves(path);
  if (strcmp(which, "reader") == 0) by_rank_0(path, NC_NOWRITE);
  if (strcmp(which, "writer") == 0) by_rank_0(path, NC_WRITE);
  if (strcmp(which, "access") == 0) access_of_both();
  CODE(nc_close(file));
  MPI_Finalize();
  return 0;
}
