/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir netcdf */
/* netcdf-c#1831, netcdf-c#243: 80 variables of three dimensions; the last rank gives start and count of 0, and the job
 * hangs at variable 76. A start that is the dimension's length, with a count of 0, was refused. */
#include "report.h"

enum { VARIABLES = 80, LEVELS = 18, COLUMNS = 480 };

static int writers(void) {
  return ranks > 1 ? ranks - 1 : 1;
}
static int first(int r) {
  return COLUMNS * r / writers();
}
static float value(int var, int level, int column) {
  return (float)(10000 * var + 500 * level + column);
}
static int width(void) {
  return rank < writers() ? first(rank + 1) - first(rank) : 0;
}
static int start_of(int var) {
  return rank < writers() ? first(rank) : var % 2 ? COLUMNS : 0;
}
static float* own(int var, float* buffer) {
  for (int level = 0; level < LEVELS; ++level)
    for (int i = 0; i < width(); ++i) buffer[level * width() + i] = value(var, level, first(rank) + i);
  return buffer;
}
static void compare(int var, const float* found) {
  for (int level = 0; level < LEVELS; ++level)
    for (int x = 0; x < COLUMNS; ++x)
      expect(found[level * COLUMNS + x] == value(var, level, x), "variable %d at %d, %d: %g", var, level, x,
             found[level * COLUMNS + x]);
}
static float buffer[LEVELS * COLUMNS];

#ifdef DOOR_WEIR
static void run(const struct format* format) {
  const int packed = format->mode == WEIR_NETCDF4 || format->mode == WEIR_ZARR;
  const int64_t zero[3] = {0}, all[] = {1, LEVELS, COLUMNS};
  weir_file* file = NULL;
  int dims[3], vars[VARIABLES];
  CK(weir_create(weir, format->file, format->mode, &file));
  CK(weir_def_dim(file, "one", 1, &dims[0]));
  CK(weir_def_dim(file, "level", LEVELS, &dims[1]));
  CK(weir_def_dim(file, "column", COLUMNS, &dims[2]));
  for (int v = 0; v < VARIABLES; ++v) {
    char name[16];
    snprintf(name, sizeof name, "v%d", v);
    CK(weir_def_var(file, name, WEIR_FLOAT, 3, dims, &vars[v]));
    if (packed && v % 2) CK(weir_def_var_deflate(file, vars[v], 1, 1, 1));
  }
  CK(weir_enddef(file));
  for (int v = 0; v < VARIABLES; ++v) {
    const int some = width() > 0;
    const int64_t start[] = {0, 0, start_of(v)}, count[] = {some, some ? LEVELS : 0, width()};
    CK(weir_put_vara(file, vars[v], start, count, WEIR_FLOAT, own(v, buffer)));
  }
  CK(weir_close(file));
  CK(weir_open(weir, format->file, WEIR_NOWRITE, &file));
  for (int v = 0; v < VARIABLES; v += 25) {
    CK(weir_get_vara(file, vars[v], zero, all, WEIR_FLOAT, buffer));
    compare(v, buffer);
  }
  CK(weir_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int f = 0; f < format_count; ++f) run(&formats[f]);
  return end();
}
#else
static void run(int deflate) {
  int file, dims[3], vars[VARIABLES];
  CK(nc_create_par("netcdf.nc", NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  CK(nc_def_dim(file, "one", 1, &dims[0]));
  CK(nc_def_dim(file, "level", LEVELS, &dims[1]));
  CK(nc_def_dim(file, "column", COLUMNS, &dims[2]));
  for (int v = 0; v < VARIABLES; ++v) {
    char name[16];
    snprintf(name, sizeof name, "v%d", v);
    CK(nc_def_var(file, name, NC_FLOAT, 3, dims, &vars[v]));
    if (deflate) CK(nc_def_var_deflate(file, vars[v], 1, 1, 1));
  }
  CK(nc_enddef(file));
  for (int v = 0; v < VARIABLES; ++v) CK(nc_var_par_access(file, vars[v], NC_COLLECTIVE));
  for (int v = 0; v < VARIABLES; ++v) {
    const int some = width() > 0;
    const size_t start[] = {0, 0, (size_t)start_of(v)}, count[] = {some, some ? LEVELS : 0, (size_t)width()};
    CK(nc_put_vara_float(file, vars[v], start, count, own(v, buffer)));
  }
  CK(nc_close(file));
  if (rank == 0) {
    CK(nc_open("netcdf.nc", NC_NOWRITE, &file));
    for (int v = 0; v < VARIABLES; v += 25) {
      CK(nc_get_var_float(file, vars[v], buffer));
      compare(v, buffer);
    }
    CK(nc_close(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  run(0);
  run(1);
  return end();
}
#endif
