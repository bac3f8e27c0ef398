/* SPDX-License-Identifier: Apache-2.0 */
/* doors: weir netcdf */
/* netcdf-c#2251, netcdf-c#1886, ufs-weather-model#2174: many variables, dimensions and attributes: an HDF5 error or a
 * hang at nc_enddef on several processes, with 260 variables and not with 256. */
#include "report.h"

enum { DIMS = 21, GLOBALS = 27 };

static const struct size {
  int variables, attributes;
} sizes[] = {{257, 9}, {3, 1500}, {256, 9}, {600, 12}, {3, 3000}, {2000, 40}}; /* the suite: two */

static char text[37 * GLOBALS + 1];

#ifdef DOOR_WEIR
static void define(weir_file* file, const struct size* size, int* record_dim) {
  int dims[DIMS + 1], var;
  char name[32];
  CK(weir_def_dim(file, "t", WEIR_UNLIMITED, &dims[0]));
  for (int d = 0; d < DIMS; ++d) {
    snprintf(name, sizeof name, "d%d", d);
    CK(weir_def_dim(file, name, d + 1, &dims[d + 1]));
  }
  for (int k = 0; k < GLOBALS; ++k) {
    snprintf(name, sizeof name, "g%d", k);
    CK(weir_put_att(file, WEIR_GLOBAL, name, WEIR_CHAR, 37 * k, text));
  }
  for (int v = 0; v < size->variables; ++v) {
    snprintf(name, sizeof name, "v%d", v);
    CK(weir_def_var(file, name, WEIR_FLOAT, 2, (int[]){dims[0], dims[1 + v % DIMS]}, &var));
    for (int a = 0; a < size->attributes; ++a) {
      snprintf(name, sizeof name, "a%d", a);
      if (a % 2)
        CK(weir_put_att(file, var, name, WEIR_INT, 1, &a));
      else
        CK(weir_put_att_text(file, var, name, "units of m s-1"));
    }
  }
  *record_dim = dims[0];
}

static void compare(weir_file* file, const struct size* size) {
  char name[WEIR_MAX_NAME], wanted[32];
  int vars = 0, attributes = 0;
  CK(weir_inq(file, NULL, &vars, &attributes, NULL));
  expect(vars == size->variables && attributes == GLOBALS, "%d variables, %d attributes", vars, attributes);
  for (int v = 0; v < vars; ++v) {
    CK(weir_inq_var(file, v, name, NULL, NULL, NULL, &attributes));
    snprintf(wanted, sizeof wanted, "v%d", v);
    expect(!strcmp(name, wanted) && attributes == size->attributes, "variable %d: %s, %d attributes", v, name,
           attributes);
    for (int a = 0; a < attributes; a += a < 20 ? 1 : 97) {
      int number = a;
      CK(weir_inq_attname(file, v, a, name));
      snprintf(wanted, sizeof wanted, "a%d", a);
      expect(!strcmp(name, wanted), "attribute %d of variable %d: %s", a, v, name);
      if (a % 2) CK(weir_get_att(file, v, name, &number));
      expect(number == a, "attribute %d of variable %d: %d", a, v, number);
    }
  }
}

static void run(const struct format* format, const struct size* size) {
  weir_file* file = NULL;
  int record_dim = -1;
  const float zero[DIMS] = {0};
  CK(weir_create(weir, format->file, format->mode, &file));
  define(file, size, &record_dim);
  CK(weir_enddef(file));
  CK(weir_put_var(file, 0, 0, WEIR_FLOAT, zero));
  CK(weir_close(file));
  CK(weir_open(weir, format->file, WEIR_NOWRITE, &file));
  compare(file, size);
  CK(weir_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  memset(text, 'x', sizeof text - 1);
  for (int f = 0; f < format_count; ++f)
    for (int s = 0; s < (getenv("REPORTS") ? 6 : 2); ++s) run(&formats[f], &sizes[s]);
  return end();
}
#else
static void define(int file, const struct size* size) {
  int dims[DIMS + 1], var;
  char name[32];
  CK(nc_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  for (int d = 0; d < DIMS; ++d) {
    snprintf(name, sizeof name, "d%d", d);
    CK(nc_def_dim(file, name, d + 1, &dims[d + 1]));
  }
  for (int k = 0; k < GLOBALS; ++k) {
    snprintf(name, sizeof name, "g%d", k);
    CK(nc_put_att_text(file, NC_GLOBAL, name, 37 * k, text));
  }
  for (int v = 0; v < size->variables; ++v) {
    snprintf(name, sizeof name, "v%d", v);
    CK(nc_def_var(file, name, NC_FLOAT, 2, (int[]){dims[0], dims[1 + v % DIMS]}, &var));
    for (int a = 0; a < size->attributes; ++a) {
      snprintf(name, sizeof name, "a%d", a);
      if (a % 2)
        CK(nc_put_att_int(file, var, name, NC_INT, 1, &a));
      else
        CK(nc_put_att_text(file, var, name, 14, "units of m s-1"));
    }
  }
}

static void compare(const struct size* size) {
  char name[NC_MAX_NAME + 1], wanted[32];
  int file, vars = 0, attributes = 0;
  CK(nc_open("netcdf.nc", NC_NOWRITE, &file));
  CK(nc_inq(file, NULL, &vars, &attributes, NULL));
  expect(vars == size->variables && attributes == GLOBALS, "%d variables, %d attributes", vars, attributes);
  for (int v = 0; v < vars; ++v) {
    CK(nc_inq_var(file, v, name, NULL, NULL, NULL, &attributes));
    snprintf(wanted, sizeof wanted, "v%d", v);
    expect(!strcmp(name, wanted) && attributes == size->attributes, "variable %d: %s, %d attributes", v, name,
           attributes);
    for (int a = 0; a < attributes; a += a < 20 ? 1 : 97) {
      int number = a;
      CK(nc_inq_attname(file, v, a, name));
      snprintf(wanted, sizeof wanted, "a%d", a);
      expect(!strcmp(name, wanted), "attribute %d of variable %d: %s", a, v, name);
      if (a % 2) CK(nc_get_att_int(file, v, name, &number));
      expect(number == a, "attribute %d of variable %d: %d", a, v, number);
    }
  }
  CK(nc_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  memset(text, 'x', sizeof text - 1);
  for (int s = 0; s < (getenv("REPORTS") ? 6 : 2); ++s) {
    int file;
    const size_t zero[2] = {0}, count[] = {rank == 0, 1};
    CK(nc_create_par("netcdf.nc", NC_CLOBBER | NC_NETCDF4, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
    define(file, &sizes[s]);
    CK(nc_enddef(file));
    CK(nc_var_par_access(file, 0, NC_COLLECTIVE));
    CK(nc_put_vara_float(file, 0, zero, count, &(float){0}));
    CK(nc_close(file));
    if (rank == 0) compare(&sizes[s]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return end();
}
#endif
