/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir pnetcdf */
/* ParallelIO#1997, scorpio#631, netcdf-c#463, netcdf-c#1595: offsets that lie more than 2^31 apart are sorted wrongly;
 * a second variable beyond 4 GiB is written over the first; CDF-2 files with a large record variable that no reader
 * takes. The files are sparse: few bytes are written. */
#include <unistd.h>

#include "report.h"

enum { MINE = 4 };
static const int64_t length = 3000000000;
static const int64_t offsets[3][MINE] = {
    {2999999999, 0, 2147483653, 1}, {4, 2147483647, 2147483648, 1500000000}, {2999999998, 2, 7, 2500000000}};

/* Of ranks beyond the third, none has anything; of fewer, rank 0 has what they lack. */
static int owner(int which) {
  return which < ranks ? which : 0;
}
static signed char value(int seed, int which, int i) {
  return (signed char)(seed + 10 * which + i);
}

#ifdef DOOR_WEIR
static int map_of_mine(int64_t* map, signed char* values, int seed) {
  int count = 0;
  for (int which = 0; which < 3; ++which)
    for (int i = 0; owner(which) == rank && i < MINE; ++i) {
      map[count] = offsets[which][i];
      values[count++] = value(seed, which, i);
    }
  return count;
}

/* Everything, as every rank sees it by itself. */
static void check(weir_file* file, int var, int seed) {
  for (int which = 0; which < 3; ++which)
    for (int i = 0; i < MINE; ++i) {
      signed char found = 0;
      const int64_t one = 1;
      CK(weir_get_vara(file, var, &offsets[which][i], &one, WEIR_BYTE, &found));
      expect(found == value(seed, which, i), "element %lld: %d", (long long)offsets[which][i], found);
    }
}

static void run_large(void) {
  weir_file* file = NULL;
  int dim, g, h, layout, back, count;
  int64_t map[3 * MINE], turned[3 * MINE];
  signed char values[3 * MINE], found[3 * MINE];
  count = map_of_mine(map, values, 1);
  CK(weir_def_layout_map(weir, 1, &length, count, map, &layout));
  CK(weir_create(weir, "large.nc", WEIR_CDF5, &file));
  CK(weir_set_fill(file, WEIR_NOFILL));
  CK(weir_def_dim(file, "x", length, &dim));
  CK(weir_def_var(file, "g", WEIR_BYTE, 1, &dim, &g));
  CK(weir_def_var(file, "h", WEIR_BYTE, 1, &dim, &h));
  CK(weir_enddef(file));
  CK(weir_put(file, g, 0, layout, WEIR_BYTE, values));
  map_of_mine(map, values, 50);
  CK(weir_put(file, h, 0, layout, WEIR_BYTE, values));
  CK(weir_close(file));
  CK(weir_open(weir, "large.nc", WEIR_NOWRITE, &file));
  check(file, g, 1);
  check(file, h, 50);
  for (int i = 0; i < count; ++i) turned[i] = map[count - 1 - i]; /* and collectively, in another order */
  CK(weir_def_layout_map(weir, 1, &length, count, turned, &back));
  CK(weir_get(file, h, 0, back, WEIR_BYTE, found));
  for (int i = 0; i < count; ++i)
    expect(found[i] == values[count - 1 - i], "element %lld: %d", (long long)turned[i], found[i]);
  CK(weir_close(file));
  CK(weir_free_layout(weir, layout));
  CK(weir_free_layout(weir, back));
}

/* A record of a CDF-2 file may be longer than 4 GiB where its variable is the last one. */
static void run_records(int alone) {
  weir_file* file = NULL;
  int t, x, rec, after;
  const int64_t wide = 1200000000;
  CK(weir_create(weir, "records.nc", WEIR_CDF2, &file));
  CK(weir_set_fill(file, WEIR_NOFILL));
  CK(weir_def_dim(file, "t", WEIR_UNLIMITED, &t));
  CK(weir_def_dim(file, "x", wide, &x));
  CK(weir_def_var(file, "rec", WEIR_FLOAT, 2, (int[]){t, x}, &rec));
  if (!alone) CK(weir_def_var(file, "after", WEIR_FLOAT, 1, &t, &after));
  const int code = weir_enddef(file);
  expect(alone ? code == WEIR_OK : code == WEIR_EARGUMENT && strstr(weir_error(weir), "rec"), "enddef: %d: %s", code,
         weir_error(weir));
  if (!alone) {
    weir_close(file);
    return;
  }
  for (int record = 0; record < 2; ++record) {
    const int64_t start[] = {record, rank == 0 ? wide - 1 : 0}, count[] = {rank == 0, rank == 0};
    const float last = 5.f + (float)record;
    CK(weir_put_vara(file, rec, start, count, WEIR_FLOAT, &last));
  }
  CK(weir_close(file));
  CK(weir_open(weir, "records.nc", WEIR_NOWRITE, &file));
  for (int record = 0; record < 2; ++record) {
    const int64_t start[] = {record, wide - 1}, count[] = {1, 1};
    float found = 0;
    CK(weir_get_vara(file, rec, start, count, WEIR_FLOAT, &found));
    expect(found == 5.f + (float)record, "the last element of record %d: %g", record, found);
  }
  CK(weir_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  run_large();
  run_records(1);
  run_records(0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink("large.nc"), unlink("records.nc");
  return end();
}
#else
static void put(int file, int var, int seed) {
  MPI_Offset starts[3 * MINE], *where[3 * MINE];
  signed char values[3 * MINE];
  int count = 0;
  for (int which = 0; which < 3; ++which)
    for (int i = 0; owner(which) == rank && i < MINE; ++i) {
      starts[count] = offsets[which][i];
      where[count] = &starts[count];
      values[count++] = value(seed, which, i);
    }
  CK(ncmpi_put_varn_schar_all(file, var, count, where, NULL, values));
}

int main(int argc, char** argv) {
  int file, dim, vars[2];
  begin(&argc, &argv);
  CK(ncmpi_create(MPI_COMM_WORLD, "large.nc", NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  CK(ncmpi_def_dim(file, "x", length, &dim));
  CK(ncmpi_def_var(file, "g", NC_BYTE, 1, &dim, &vars[0]));
  CK(ncmpi_def_var(file, "h", NC_BYTE, 1, &dim, &vars[1]));
  CK(ncmpi_enddef(file));
  put(file, vars[0], 1);
  put(file, vars[1], 50);
  CK(ncmpi_close(file));
  CK(ncmpi_open(MPI_COMM_WORLD, "large.nc", NC_NOWRITE, MPI_INFO_NULL, &file));
  for (int v = 0; v < 2; ++v)
    for (int which = 0; which < 3; ++which)
      for (int i = 0; i < MINE; ++i) {
        const MPI_Offset start = offsets[which][i];
        signed char found = 0;
        CK(ncmpi_get_var1_schar_all(file, vars[v], &start, &found));
        expect(found == value(v ? 50 : 1, which, i), "element %lld: %d", (long long)start, found);
      }
  CK(ncmpi_close(file));
  if (rank == 0) unlink("large.nc");
  return end();
}
#endif
