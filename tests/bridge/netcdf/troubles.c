/* SPDX-License-Identifier: Apache-2.0 */
/* A model that writes by netCDF, one rank of which does not come to a call. The others print the code that they get
 * there, and at the next call, and end the program. `plain`: by nc_create on all ranks; else by nc_create_par.
 *
 *   bridge_netcdf_troubles FILE RANK create|first|sync|get plain|netcdf4
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../late_rank.h"

enum { columns = 5 };

static int plain;
static const char* call;

static void must(int code, const char* what) {
  if (code == NC_NOERR) return;
  fprintf(stderr, "bridge_netcdf_troubles: %s: %s\n", what, nc_strerror(code));
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NC(call) must(call, #call)

/* The late one stays away from this call until the program ends. */
static void begin(const char* this_call) {
  stay_away(strcmp(call, this_call) == 0);
}

static int create(const char* name, int* file) {
  return plain ? nc_create(name, NC_CLOBBER, file)
               : nc_create_par(name, NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, file);
}

int main(int argc, char** argv) {
  int file, other = -1, dims[3], var, values[columns], code;
  char name[64];
  MPI_Init(&argc, &argv);
  if (argc < 5) MPI_Abort(MPI_COMM_WORLD, 2);
  choose_late(atoi(argv[2]));
  call = argv[3];
  plain = strcmp(argv[4], "plain") == 0;
  for (int i = 0; i < columns; ++i) values[i] = rank;
  NC(create(argv[1], &file));
  begin("create");
  if (strcmp(call, "create") == 0) {
    snprintf(name, sizeof name, "other_%.50s", argv[1]);
    code = create(name, &other);
    end(code, nc_sync(file));
  }
  NC(nc_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
  NC(nc_def_dim(file, "rank", (size_t)ranks, &dims[1]));
  NC(nc_def_dim(file, "x", columns, &dims[2]));
  NC(nc_def_var(file, "var", NC_INT, 3, dims, &var));
  NC(nc_enddef(file));
  if (!plain) NC(nc_var_par_access(file, var, NC_COLLECTIVE));
  const size_t start[] = {0, (size_t)rank, 0}, count[] = {1, 1, columns};
  begin("first");
  code = nc_put_vara_int(file, var, start, count, values);
  if (code != NC_NOERR) end(code, nc_sync(file));
  begin("sync");
  code = nc_sync(file);
  if (code != NC_NOERR) end(code, nc_put_vara_int(file, var, start, count, values));
  begin("get");
  code = nc_get_vara_int(file, var, start, count, values);
  end(code, nc_sync(file));
}
