/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes by PnetCDF, one rank of which does not come to a call. The others print the code that they get
 * there, and at the next call, and end the program.
 *
 *   bridge_troubles FILE RANK first|second|sync|wait|redef|get
 */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../late_rank.h"

enum { columns = 5 };

static const char* call;

static void must(int code, const char* what) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "bridge_troubles: %s: %s\n", what, ncmpi_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NC(call) must(call, #call)

/* The late one stays away from this call until the program ends. */
static void begin(const char* this_call) {
  stay_away(strcmp(call, this_call) == 0);
}

int main(int argc, char** argv) {
  int file, dims[4], first, second, request, values[2 * columns], code;
  MPI_Init(&argc, &argv);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  choose_late(atoi(argv[2]));
  call = argv[3];
  for (int i = 0; i < 2 * columns; ++i) values[i] = rank;
  NC(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  NC(ncmpi_def_dim(file, "one", ranks, &dims[0]));
  NC(ncmpi_def_dim(file, "two", 2 * ranks, &dims[1]));
  NC(ncmpi_def_dim(file, "x", columns, &dims[2]));
  NC(ncmpi_def_dim(file, "time", NC_UNLIMITED, &dims[3]));
  NC(ncmpi_def_var(file, "first", NC_INT, 3, (int[]){dims[3], dims[0], dims[2]}, &first));
  NC(ncmpi_def_var(file, "second", NC_INT, 2, (int[]){dims[1], dims[2]}, &second));
  NC(ncmpi_enddef(file));
  const MPI_Offset start[] = {0, rank, 0}, count[] = {1, 1, columns}, at[] = {2 * rank, 0}, of[] = {2, columns};
  begin("first");
  code = ncmpi_put_vara_int_all(file, first, start, count, values);
  if (code != NC_NOERR) end(code, ncmpi_sync(file));
  begin("second");
  code = ncmpi_put_vara_int_all(file, second, at, of, values);
  if (code != NC_NOERR) end(code, ncmpi_sync(file));
  begin("sync");
  code = ncmpi_sync(file);
  if (code != NC_NOERR) end(code, ncmpi_put_vara_int_all(file, second, at, of, values));
  NC(ncmpi_iput_vara_int(file, second, at, of, values, &request));
  begin("wait");
  code = ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL);
  if (code != NC_NOERR) end(code, ncmpi_redef(file));
  begin("redef");
  code = ncmpi_redef(file);
  if (code != NC_NOERR) end(code, ncmpi_wait_all(file, NC_REQ_ALL, NULL, NULL));
  NC(ncmpi_enddef(file));
  NC(ncmpi_close(file));
  NC(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &file));
  begin("get");
  code = ncmpi_get_vara_int_all(file, second, at, of, values);
  end(code, ncmpi_get_vara_int_all(file, second, at, of, values));
}
