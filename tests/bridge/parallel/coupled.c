/* SPDX-License-Identifier: Apache-2.0 */
/* A model in two parts, as one with servers of output: ranks of the first part compute, and send their rows to ranks of
 * the second, which write them into one file on a communicator of their own. Each part is started by its own command,
 * which may preload a bridge, or not.
 *
 *   coupled CLIENTS FILE [classic]   the first CLIENTS ranks are clients; at the end these read what there is, each for
 *                                    itself. Prints what the servers are told. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { NX = 40, ROWS = 5, RECORDS = 4, ROW = 7 };

static int rank, ranks, clients, mine, of_mine;
static MPI_Comm part;

static float value(int record, int row, int column) {
  return (float)(record * 10000 + row * NX + column);
}

/* Every client has ROWS rows, and sends all to one server. */
static void compute(int record) {
  float rows[ROWS * NX];
  for (int row = 0; row < ROWS; ++row)
    for (int column = 0; column < NX; ++column) rows[row * NX + column] = value(record, mine * ROWS + row, column);
  MPI_Send(rows, ROWS * NX, MPI_FLOAT, clients + mine % (ranks - clients), ROW, MPI_COMM_WORLD);
}

/* A server puts the rows of one of its clients after another; all make as many calls. */
static void serve(int file, int var, int record) {
  const int calls = (clients + of_mine - 1) / of_mine;
  float rows[ROWS * NX];
  for (int call = 0; call < calls; ++call) {
    const int client = call * of_mine + mine, there = client < clients;
    if (there) MPI_Recv(rows, ROWS * NX, MPI_FLOAT, client, ROW, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(nc_put_vara_float(file, var, ((size_t[]){(size_t)record, there ? (size_t)(client * ROWS) : 0, 0}),
                            ((size_t[]){there, there ? ROWS : 0, NX}), rows));
  }
}

static void write_file(const char* path, int mode) {
  int file = -1, dims[3], var = -1;
  CHECK(nc_create_par(path, NC_CLOBBER | mode, part, MPI_INFO_NULL, &file));
  CHECK(nc_def_dim(file, "time", NC_UNLIMITED, &dims[0]));
  CHECK(nc_def_dim(file, "y", (size_t)(clients * ROWS), &dims[1]));
  CHECK(nc_def_dim(file, "x", NX, &dims[2]));
  CHECK(nc_def_var(file, "field", NC_FLOAT, 3, dims, &var));
  if (mode == NC_NETCDF4) CHECK(nc_def_var_deflate(file, var, 1, 1, 1));
  CHECK(nc_enddef(file));
  CHECK(nc_var_par_access(file, var, NC_COLLECTIVE));
  for (int record = 0; record < RECORDS; ++record) serve(file, var, record);
  CHECK(nc_close(file));
}

static void read_file(const char* path) {
  int file = -1, var = -1;
  float row[NX];
  CHECK(nc_open(path, NC_NOWRITE, &file));
  CHECK(nc_inq_varid(file, "field", &var));
  for (int record = 0; record < RECORDS; ++record)
    for (int y = 0; y < clients * ROWS; ++y) {
      CHECK(nc_get_vara_float(file, var, ((size_t[]){(size_t)record, (size_t)y, 0}), ((size_t[]){1, 1, NX}), row));
      for (int x = 0; x < NX; ++x)
        if (row[x] != value(record, y, x)) {
          printf("rank %d: record %d, row %d, column %d is %g\n", rank, record, y, x, (double)row[x]);
          MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
  CHECK(nc_close(file));
}

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: coupled CLIENTS FILE [classic]\n"), 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  clients = atoi(argv[1]);
  const int serves = rank >= clients;
  MPI_Comm_split(MPI_COMM_WORLD, serves, rank, &part);
  MPI_Comm_rank(part, &mine);
  MPI_Comm_size(part, &of_mine);
  if (serves)
    write_file(argv[2], argc > 3 ? NC_64BIT_DATA : NC_NETCDF4);
  else
    for (int record = 0; record < RECORDS; ++record) compute(record);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!serves) read_file(argv[2]);
  MPI_Comm_free(&part);
  MPI_Finalize();
  if (rank == 0) printf("all values are right\n");
  return 0;
}
