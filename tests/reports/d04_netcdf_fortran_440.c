/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir netcdf */
/* netcdf-fortran#440, PnetCDF#72, netcdf-c#2038, netcdf4-python#1072: puts by independent access, netCDF's default,
 * into a variable with records: NaN in the file. Each rank puts the record of its own number, and the number of records
 * is wrong on some. A rank that makes a record alone blocks. */
#include "report.h"

enum { WIDTH = 6, RECORDS = 4, LAST = 8 };
static const double fill = 9.9692099683868690e+36;

static double value(int record, int x) {
  return 100.0 * record + x;
}

#ifdef DOOR_WEIR
static void run(const struct format* format) {
  weir_file* file = NULL;
  int dims[2], v, s, w;
  double row[WIDTH];
  const int lonely = ranks > 1 ? 1 : 0;
  CK(weir_create(weir, format->file, format->mode, &file));
  CK(weir_def_dim(file, "t", WEIR_UNLIMITED, &dims[0]));
  CK(weir_def_dim(file, "x", WIDTH * ranks, &dims[1]));
  CK(weir_def_var(file, "v", WEIR_DOUBLE, 2, dims, &v));
  CK(weir_def_var(file, "s", WEIR_DOUBLE, 1, dims, &s));
  CK(weir_def_var(file, "w", WEIR_DOUBLE, 1, dims, &w));
  CK(weir_enddef(file));
  for (int record = 0; record < RECORDS; ++record) {
    const int64_t start[] = {record, WIDTH * rank}, count[] = {1, WIDTH};
    for (int i = 0; i < WIDTH; ++i) row[i] = value(record, WIDTH * rank + i);
    CK(weir_put_vara(file, v, start, count, WEIR_DOUBLE, row));
  }
  const int64_t last = LAST, some = rank == lonely;
  const double seven = 7, number = rank;
  int64_t records = 0;
  for (int64_t r = 0; r < ranks; ++r) { /* each rank its own record */
    const int64_t mine = r == rank;
    CK(weir_put_vara(file, w, &r, &mine, WEIR_DOUBLE, &number));
  }
  CK(weir_inq_nrecords(file, &records));
  expect(records == (ranks > RECORDS ? ranks : RECORDS), "%s: %d records", format->file, (int)records);
  CK(weir_put_vara(file, s, &last, &some, WEIR_DOUBLE, &seven));
  CK(weir_close(file));
  CK(weir_open(weir, format->file, WEIR_NOWRITE, &file));
  for (int record = 0; record <= LAST; ++record) {
    const int64_t start[] = {record, 0}, count[] = {1, WIDTH};
    CK(weir_get_vara(file, v, start, count, WEIR_DOUBLE, row));
    for (int i = 0; i < WIDTH; ++i)
      expect(row[i] == (record < RECORDS ? value(record, i) : fill), "%s: v of record %d: %g", format->file, record,
             row[i]);
    CK(weir_get_vara(file, s, start, count, WEIR_DOUBLE, row));
    expect(*row == (record == LAST ? 7 : fill), "%s: s of record %d: %g", format->file, record, *row);
    CK(weir_get_vara(file, w, start, count, WEIR_DOUBLE, row));
    expect(*row == (record < ranks ? record : fill), "%s: w of record %d: %g", format->file, record, *row);
  }
  CK(weir_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int f = 0; f < format_count; ++f) run(&formats[f]);
  return end();
}
#else
/* By independent access, as the file comes; then rank 1 alone makes record 8 of s. */
static void independent(void) {
  int file, dims[2], v, s;
  double row[WIDTH];
  const size_t last = LAST;
  CK(nc_create_par("independent.nc", NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CK(nc_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  CK(nc_def_dim(file, "x", WIDTH * ranks, &dims[1]));
  CK(nc_def_var(file, "v", NC_DOUBLE, 2, dims, &v));
  CK(nc_def_var(file, "s", NC_DOUBLE, 1, dims, &s));
  CK(nc_enddef(file));
  for (int record = 0; record < RECORDS; ++record) {
    const size_t start[] = {record, WIDTH * rank}, count[] = {1, WIDTH};
    for (int i = 0; i < WIDTH; ++i) row[i] = value(record, WIDTH * rank + i);
    CK(nc_put_vara_double(file, v, start, count, row));
  }
  if (rank == (ranks > 1 ? 1 : 0)) CK(nc_put_var1_double(file, s, &last, &(double){7}));
  CK(nc_close(file));
  if (rank) return;
  CK(nc_open("independent.nc", NC_NOWRITE, &file));
  for (int record = 0; record <= LAST; ++record) {
    const size_t start[] = {record, 0}, count[] = {1, WIDTH};
    CK(nc_get_vara_double(file, v, start, count, row));
    for (int i = 0; i < WIDTH; ++i)
      expect(row[i] == (record < RECORDS ? value(record, i) : fill), "v of record %d: %g", record, row[i]);
    CK(nc_get_vara_double(file, s, start, count, row));
    expect(*row == (record == LAST ? 7 : fill), "s of record %d: %g", record, *row);
  }
  CK(nc_close(file));
}

/* Collectively, each rank puts the record of its own number. */
static void collective(void) {
  int file, dim, w;
  size_t records = 0, own = rank, one = 1;
  double number = rank;
  CK(nc_create_par("collective.nc", NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CK(nc_def_dim(file, "t", NC_UNLIMITED, &dim));
  CK(nc_def_var(file, "w", NC_DOUBLE, 1, &dim, &w));
  CK(nc_enddef(file));
  CK(nc_var_par_access(file, w, NC_COLLECTIVE));
  CK(nc_put_vara_double(file, w, &own, &one, &number));
  CK(nc_inq_dimlen(file, dim, &records));
  expect(records == (size_t)ranks, "%d records of %d", (int)records, ranks);
  CK(nc_close(file));
  if (rank) return;
  CK(nc_open("collective.nc", NC_NOWRITE, &file));
  for (size_t record = 0; record < (size_t)ranks; ++record) {
    CK(nc_get_var1_double(file, w, &record, &number));
    expect(number == (double)record, "w of record %d: %g", (int)record, number);
  }
  CK(nc_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  independent();
  collective();
  return end();
}
#endif
