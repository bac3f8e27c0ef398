/* SPDX-License-Identifier: Apache-2.0 */
/* Says which calls of netCDF wait for the storage, on any rank: a bridge is to wait where netCDF does.
 *
 *   syncs FILE        a file of nc_create
 *   syncs FILE par    of nc_create_par */
#define _GNU_SOURCE
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NX = 1000 };

static int rank;
static int stored; /* files, since it was asked last */

/* The program's own names come first, whoever calls them. */
int fsync(int file) {
  ++stored;
  return (int)syscall(SYS_fsync, file);
}
int fdatasync(int file) {
  ++stored;
  return (int)syscall(SYS_fdatasync, file);
}

static void check(int code, const char* what) {
  int any = stored;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  stored = 0;
  if (code != NC_NOERR) printf("rank %d: %s: %s\n", rank, what, nc_strerror(code));
  if (rank == 0) printf("%.*s %s\n", (int)strcspn(what, "("), what, any > 0 ? "stores" : "does not store");
  if (code != NC_NOERR) MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char** argv) {
  int file, dim, var;
  static float values[NX];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 2) {
    CHECK(nc_create_par(argv[1], NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  } else {
    CHECK(nc_create(argv[1], NC_CLOBBER, &file));
  }
  CHECK(nc_def_dim(file, "x", NX, &dim));
  CHECK(nc_def_var(file, "v", NC_FLOAT, 1, &dim, &var));
  CHECK(nc_enddef(file));
  if (argc > 2) CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
  CHECK(nc_put_var_float(file, var, values));
  CHECK(nc_sync(file));
  CHECK(nc_put_var_float(file, var, values));
  CHECK(nc_close(file));
  MPI_Finalize();
  return 0;
}
