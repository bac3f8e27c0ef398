/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir pnetcdf */
/* PnetCDF#238, PnetCDF#239: a rank whose collective put of a record variable has a count of 0 does not take part in the
 * agreement on the number of records, and the others wait for ever. */
#include "report.h"

enum { WIDTH = 4, RECORDS = 4, KINDS = 3 };

/* Who puts nothing: odd ranks, all but the last, and rank 0. */
static int has_data(int kind, int r) {
  return kind == 0 ? r % 2 == 0 : kind == 1 ? r == ranks - 1 : r != 0 || ranks == 1;
}
static float value(int record, int64_t x) {
  return (float)(1000 * record + x);
}

#ifdef DOOR_WEIR
static void check(weir_file* file, int var, int fixed, int kind) {
  for (int record = 0; record < RECORDS; ++record)
    for (int r = 0; r < ranks; ++r) {
      const int64_t start[] = {record, (int64_t)WIDTH * r}, count[] = {1, WIDTH};
      float found[WIDTH];
      CK(weir_get_vara(file, var, start, count, WEIR_FLOAT, found));
      for (int i = 0; i < WIDTH; ++i) {
        const float wanted = has_data(kind, r) ? value(record, WIDTH * r + i) : 9.9692099683868690e+36f;
        expect(found[i] == wanted, "record %d of rank %d: %g, not %g", record, r, found[i], wanted);
      }
    }
  int found[WIDTH];
  for (int r = 0; r < ranks; ++r) {
    const int64_t start = WIDTH * r, count = WIDTH;
    CK(weir_get_vara(file, fixed, &start, &count, WEIR_INT, found));
    expect(found[1] == (r == 2 ? -2147483647 : 100 * r), "the fixed variable of rank %d: %d", r, found[1]);
  }
}

static void run(const struct format* format, int kind) {
  weir_file* file = NULL;
  int dims[2], var, fixed;
  float buffer[WIDTH];
  CK(weir_create(weir, format->file, format->mode, &file));
  CK(weir_def_dim(file, "t", WEIR_UNLIMITED, &dims[0]));
  CK(weir_def_dim(file, "x", (int64_t)WIDTH * ranks, &dims[1]));
  CK(weir_def_var(file, "v", WEIR_FLOAT, 2, dims, &var));
  CK(weir_def_var(file, "f", WEIR_INT, 1, &dims[1], &fixed));
  CK(weir_enddef(file));
  for (int record = 0; record < RECORDS; ++record) {
    const int some = has_data(kind, rank);
    const int64_t start[] = {record, some ? WIDTH * rank : 0}, count[] = {some || record % 2, some ? WIDTH : 0};
    int64_t records = -1;
    for (int i = 0; i < WIDTH; ++i) buffer[i] = value(record, WIDTH * rank + i);
    CK(weir_put_vara(file, var, start, count, WEIR_FLOAT, buffer));
    CK(weir_inq_nrecords(file, &records));
    expect(records == record + 1, "%s: %d records after the put of record %d", format->file, (int)records, record);
    if (record == 1) { /* a fixed one between */
      const int64_t begin_at = WIDTH * rank, length = rank == 2 ? 0 : WIDTH;
      const int integers[WIDTH] = {100 * rank, 100 * rank, 100 * rank, 100 * rank};
      CK(weir_put_vara(file, fixed, &begin_at, &length, WEIR_INT, integers));
    }
  }
  CK(weir_close(file));
  CK(weir_open(weir, format->file, WEIR_NOWRITE, &file));
  check(file, var, fixed, kind);
  CK(weir_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int f = 0; f < format_count; ++f)
    for (int kind = 0; kind < KINDS; ++kind) run(&formats[f], kind);
  return end();
}
#else
static void run(int kind) {
  int file, dims[2], var, fixed;
  float buffer[WIDTH];
  CK(ncmpi_create(MPI_COMM_WORLD, "pnetcdf.nc", NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  CK(ncmpi_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  CK(ncmpi_def_dim(file, "x", WIDTH * ranks, &dims[1]));
  CK(ncmpi_def_var(file, "v", NC_FLOAT, 2, dims, &var));
  CK(ncmpi_def_var(file, "f", NC_INT, 1, &dims[1], &fixed));
  CK(ncmpi_enddef(file));
  for (int record = 0; record < RECORDS; ++record) {
    const int some = has_data(kind, rank);
    const MPI_Offset start[] = {record, some ? WIDTH * rank : 0}, count[] = {some || record % 2, some ? WIDTH : 0};
    MPI_Offset records = -1;
    for (int i = 0; i < WIDTH; ++i) buffer[i] = value(record, WIDTH * rank + i);
    CK(ncmpi_put_vara_float_all(file, var, start, count, buffer));
    CK(ncmpi_inq_dimlen(file, dims[0], &records));
    expect(records == record + 1, "%d records after the put of record %d", (int)records, record);
    if (record == 1) { /* a fixed one between */
      const MPI_Offset begin_at = WIDTH * rank, length = rank == 2 ? 0 : WIDTH;
      const int integers[WIDTH] = {100 * rank, 100 * rank, 100 * rank, 100 * rank};
      CK(ncmpi_put_vara_int_all(file, fixed, &begin_at, &length, integers));
    }
  }
  CK(ncmpi_close(file));
  CK(ncmpi_open(MPI_COMM_WORLD, "pnetcdf.nc", NC_NOWRITE, MPI_INFO_NULL, &file));
  for (int record = 0; record < RECORDS; ++record)
    for (int r = 0; r < ranks; ++r) { /* what was not put is whatever PnetCDF leaves there */
      const MPI_Offset start[] = {record, WIDTH * r}, count[] = {1, WIDTH};
      CK(ncmpi_get_vara_float_all(file, var, start, count, buffer));
      for (int i = 0; i < WIDTH && has_data(kind, r); ++i)
        expect(buffer[i] == value(record, WIDTH * r + i), "record %d of rank %d: %g", record, r, buffer[i]);
    }
  CK(ncmpi_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int kind = 0; kind < KINDS; ++kind) run(kind);
  return end();
}
#endif
