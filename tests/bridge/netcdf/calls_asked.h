/* SPDX-License-Identifier: Apache-2.0 */
/* Of tests/bridge/netcdf/calls.c: how answers are printed, and what is asked of the file, its variables and attributes,
 * which are set here. */
#pragma once

#include <mpi.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdio.h>

#include "netcdf/calls.hpp"

static int rank, file, t_dim, long_dim, nvars;

#define SAY(...)                        \
  do {                                  \
    if (rank == 0) printf(__VA_ARGS__); \
  } while (0)
/* A call and its answer, under the call's own words. */
#define TELL(call)                  \
  do {                              \
    const int code_ = (call);       \
    SAY("%s = %d\n", #call, code_); \
  } while (0)
/* The same where the way in which the file was created makes a difference that netCDF's users know. */
#define MUST(call)                                                              \
  do {                                                                          \
    const int code_ = (call);                                                   \
    if (code_ != NC_NOERR) {                                                    \
      printf("rank %d: %s = %d: %s\n", rank, #call, code_, nc_strerror(code_)); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                             \
    }                                                                           \
  } while (0)

static void set_attributes(void) {
  const char text[] = "text";
  MUST(nc_put_att_text(file, NC_GLOBAL, "title", 4, text));
  TELL(nc_put_att(file, 0, "generic", NC_SHORT, 2, (short[]){1, -2}));
#define X(word, c_type, NUMBER)                                                                    \
  TELL(nc_put_att_##word(file, 0, "in_int_" #word, NC_INT, 2, (const c_type[]){1, 2}));            \
  TELL(nc_put_att_##word(file, NC_GLOBAL, "in_double_" #word, NC_DOUBLE, 1, (const c_type[]){7})); \
  TELL(nc_put_att_##word(file, 0, "in_char_" #word, NC_CHAR, 1, (const c_type[]){7}));
  WEIR_NETCDF_NUMBERS(X)
#undef X
  TELL(nc_put_att_int(file, 77, "no_var", NC_INT, 1, (int[]){1}));
  TELL(nc_put_att_int(file, 0, "range", NC_BYTE, 2, (int[]){1, 1000}));
  TELL(nc_put_att_int(file, 0, "range", NC_BYTE, 2, (int[]){1, 100}));
  TELL(nc_rename_att(file, 0, "range", "renamed"));
  TELL(nc_rename_att(file, 0, "missing", "renamed"));
  TELL(nc_del_att(file, 0, "in_int_schar"));
  TELL(nc_del_att(file, 0, "missing"));
  TELL(nc_copy_att(file, NC_GLOBAL, "title", file, 0));
}

static void ask_attributes(void) {
  nc_type type = -1;
  size_t length = 99;
  int number = -1, count = -1;
  char name[NC_MAX_NAME + 1] = "";
  TELL(nc_inq_att(file, 0, "generic", &type, &length));
  SAY("  %d %zu\n", type, length);
  TELL(nc_inq_att(file, 0, "missing", &type, &length));
  TELL(nc_inq_atttype(file, NC_GLOBAL, "title", &type));
  TELL(nc_inq_attlen(file, NC_GLOBAL, "title", &length));
  TELL(nc_inq_attid(file, 0, "renamed", &number));
  TELL(nc_inq_attname(file, 0, number, name));
  TELL(nc_inq_natts(file, &count));
  SAY("  %d %zu %d %s %d\n", type, length, number, name, count);
  char text[5] = "";
  TELL(nc_get_att_text(file, NC_GLOBAL, "title", text));
  TELL(nc_get_att_text(file, 0, "title", text));
  TELL(nc_get_att_text(file, 0, "generic", text));
  SAY("  %s\n", text);
  short both[2] = {0, 0};
  TELL(nc_get_att(file, 0, "generic", both));
  SAY("  %d %d\n", both[0], both[1]);
#define X(word, c_type, NUMBER)                                               \
  {                                                                           \
    c_type values[4] = {0, 0, 0, 0};                                          \
    TELL(nc_get_att_##word(file, 0, "in_int_int", values));                   \
    TELL(nc_get_att_##word(file, NC_GLOBAL, "in_double_" #word, values + 2)); \
    TELL(nc_get_att_##word(file, NC_GLOBAL, "title", values));                \
    SAY("  %g %g\n", (double)values[1], (double)values[2]);                   \
  }
  WEIR_NETCDF_NUMBERS(X)
#undef X
}

static void ask_variable(int var) {
  char name[NC_MAX_NAME + 1] = "";
  nc_type type = -1;
  int ndims = -1, dims[NC_MAX_VAR_DIMS] = {-1, -1, -1}, natts = -1, a = -1, b = -1, c = -1;
  size_t n = 99, sizes[NC_MAX_VAR_DIMS] = {9, 9, 9};
  unsigned id = 9;
  double fill = 0;
  TELL(nc_inq_var(file, var, name, &type, &ndims, dims, &natts));
  SAY("  %s %d %d: %d %d %d, %d\n", name, type, ndims, dims[0], dims[1], dims[2], natts);
  TELL(nc_inq_varname(file, var, name));
  TELL(nc_inq_vartype(file, var, &type));
  TELL(nc_inq_varndims(file, var, &ndims));
  TELL(nc_inq_vardimid(file, var, dims));
  TELL(nc_inq_varnatts(file, var, &natts));
  TELL(nc_inq_varid(file, name, &a));
  TELL(nc_inq_var_fill(file, var, NULL, &fill));
  TELL(nc_inq_var_deflate(file, var, &a, &b, &c));
  SAY("  %d %d %d\n", a, b, c);
  TELL(nc_inq_var_szip(file, var, &a, &b));
  TELL(nc_inq_var_fletcher32(file, var, &c));
  SAY("  %d %d %d\n", a, b, c);
  TELL(nc_inq_var_chunking(file, var, &a, sizes));
  SAY("  %d\n", a);
  TELL(nc_inq_var_endian(file, var, &a));
  TELL(nc_inq_var_filter(file, var, &id, &n, NULL));
  TELL(nc_inq_var_filter_ids(file, var, &n, NULL));
  TELL(nc_inq_var_filter_info(file, var, 1, &n, NULL));
  TELL(nc_inq_var_quantize(file, var, &a, &b));
}

static void ask(void) {
  int a = -1, b = -1, c = -1, d = -1, dims[NC_MAX_DIMS], vars[64];
  char name[NC_MAX_NAME + 1] = "";
  size_t length = 99;
  nc_type type = -1;
  TELL(nc_inq(file, &a, &b, &c, &d));
  SAY("  %d %d %d %d\n", a, b, c, d);
  TELL(nc_inq_ndims(file, &a));
  TELL(nc_inq_nvars(file, &b));
  TELL(nc_inq_unlimdim(file, &c));
  TELL(nc_inq_unlimdims(file, &d, dims));
  SAY("  %d %d %d %d %d\n", a, b, c, d, dims[0]);
  TELL(nc_inq_dimid(file, "long", &a));
  TELL(nc_inq_dimid(file, "missing", &a));
  TELL(nc_inq_dim(file, t_dim, name, &length));
  SAY("  %s %zu\n", name, length);
  TELL(nc_inq_dimname(file, long_dim, name));
  TELL(nc_inq_dimlen(file, long_dim, &length));
  TELL(nc_inq_dimlen(file, 77, NULL));
  SAY("  %s %zu\n", name, length);
  TELL(nc_inq_dimids(file, &a, dims, 0));
  TELL(nc_inq_varids(file, &b, vars));
  SAY("  %d %d %d\n", a, b, vars[b - 1]);
  TELL(nc_inq_format(file, &a));
  SAY("  %d\n", a);
  TELL(nc_inq_type(file, NC_SHORT, name, &length));
  SAY("  %s %zu\n", name, length);
  TELL(nc_inq_type(file, 99, name, &length));
  TELL(nc_inq_typeid(file, "float", &type));
  TELL(nc_inq_typeids(file, &a, NULL));
  TELL(nc_inq_user_type(file, 40, name, &length, &type, &length, &a));
  SAY("  %d %d\n", type, a);
  TELL(nc_inq_grps(file, &a, NULL));
  TELL(nc_inq_grpname(file, name));
  TELL(nc_inq_grpname_full(file, &length, name));
  TELL(nc_inq_grpname_len(file, &length));
  TELL(nc_inq_grp_parent(file, &b));
  TELL(nc_inq_ncid(file, NULL, &c));
  SAY("  %d %s %zu %d\n", a, name, length, c == file);
  TELL(nc_inq_path(file, &length, NULL));
  TELL(nc_inq_format_extended(file, NULL, NULL));
  TELL(nc_inq_base_pe(file, &a));
  TELL(nc_set_base_pe(file, a));
  TELL(nc_show_metadata(file));
  for (int var = 0; var <= nvars + 1; ++var) ask_variable(var);
  TELL(nc_inq_varid(file, "missing", &a));
}
