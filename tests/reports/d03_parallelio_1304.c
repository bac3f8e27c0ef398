/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir netcdf */
/* ParallelIO#1304, netcdf-c#719: a collective put into a record variable, a sync, and reading in which some ranks want
 * nothing: the job hangs at the close. A put in which no rank has anything, while there is no record, failed. */
#include "report.h"

enum { WIDTH = 5 };

static void fill(int* buffer, int r) {
  for (int i = 0; i < WIDTH; ++i) buffer[i] = 10 * r + i;
}
static void compare(const int* found, int r) {
  for (int i = 0; i < WIDTH; ++i) expect(found[i] == 10 * r + i, "record %d: %d at %d", r, found[i], i);
}

#ifdef DOOR_WEIR
static void run(const struct format* format) {
  const int64_t zero[2] = {0}, count[] = {1, WIDTH}, wanted[] = {rank == 0, rank ? 0 : WIDTH};
  int64_t records = -1;
  weir_file* file = NULL;
  int dims[2], var, buffer[WIDTH], found[WIDTH];
  fill(buffer, rank);
  CK(weir_create(weir, format->file, format->mode, &file));
  CK(weir_def_dim(file, "t", WEIR_UNLIMITED, &dims[0]));
  CK(weir_def_dim(file, "x", WIDTH, &dims[1]));
  CK(weir_def_var(file, "v", WEIR_INT, 2, dims, &var));
  CK(weir_enddef(file));
  CK(weir_put_vara(file, var, zero, zero, WEIR_INT, buffer));
  CK(weir_inq_nrecords(file, &records));
  expect(records == 0, "%s: %d records after a put of nothing", format->file, (int)records);
  for (int r = 0; r < ranks; ++r) { /* in a call of Weir's all ranks that put something put the same record */
    const int64_t start[] = {r, 0};
    CK(weir_put_vara(file, var, start, r == rank ? count : zero, WEIR_INT, buffer));
  }
  CK(weir_sync(file));
  CK(weir_inq_nrecords(file, &records));
  expect(records == ranks, "%s: %d records", format->file, (int)records);
  if (format->mode == WEIR_NETCDF4 || format->mode == WEIR_ZARR) { /* read once they are closed */
    const int code = weir_get_vara_all(file, var, zero, wanted, WEIR_INT, found);
    expect(code == WEIR_ESTATE && strstr(weir_error(weir), "close it and open it again"), "%s: %s", format->file,
           weir_error(weir));
  } else {
    CK(weir_get_vara_all(file, var, zero, wanted, WEIR_INT, found));
    if (rank == 0) compare(found, 0);
  }
  CK(weir_close(file));
  CK(weir_open(weir, format->file, WEIR_NOWRITE, &file));
  CK(weir_get_vara_all(file, var, zero, wanted, WEIR_INT, found));
  if (rank == 0) compare(found, 0);
  for (int r = 0; r < ranks; ++r) {
    const int64_t from[] = {r, 0};
    CK(weir_get_vara(file, var, from, count, WEIR_INT, found));
    compare(found, r);
  }
  CK(weir_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int f = 0; f < format_count; ++f) run(&formats[f]);
  return end();
}
#else
int main(int argc, char** argv) {
  begin(&argc, &argv);
  const size_t zero[2] = {0}, start[] = {rank, 0}, count[] = {1, WIDTH}, wanted[] = {rank == 0, rank ? 0 : WIDTH};
  size_t records = 99;
  int file, dims[2], var, buffer[WIDTH], found[WIDTH];
  fill(buffer, rank);
  CK(nc_create_par("netcdf.nc", NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CK(nc_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  CK(nc_def_dim(file, "x", WIDTH, &dims[1]));
  CK(nc_def_var(file, "v", NC_INT, 2, dims, &var));
  CK(nc_enddef(file));
  CK(nc_var_par_access(file, var, NC_COLLECTIVE));
  CK(nc_put_vara_int(file, var, zero, zero, buffer));
  CK(nc_inq_dimlen(file, dims[0], &records));
  expect(records == 0, "%d records after a put of nothing", (int)records);
  CK(nc_put_vara_int(file, var, start, count, buffer));
  CK(nc_sync(file));
  CK(nc_inq_dimlen(file, dims[0], &records));
  expect(records == (size_t)ranks, "%d records", (int)records);
  CK(nc_get_vara_int(file, var, zero, wanted, found));
  if (rank == 0) compare(found, 0);
  CK(nc_close(file));
  CK(nc_open_par("netcdf.nc", NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  const size_t mine[] = {(size_t)rank, 0};
  CK(nc_get_vara_int(file, var, mine, count, found));
  compare(found, rank);
  CK(nc_close(file));
  return end();
}
#endif
