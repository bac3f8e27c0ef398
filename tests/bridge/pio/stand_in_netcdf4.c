/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in for PIO where a file is of netCDF-4: what is asked of it, and said of how it is kept. */
#include <netcdf.h>
#include <netcdf_filter.h>
#include <string.h>

#include "stand_in.h"

/* What is asked of a netCDF-4 file; the root's answer goes to all. */
static int told(const struct file* at, int code, void* values, size_t bytes) {
  code = answer(at, code);
  if (values != NULL) MPI_Bcast(values, (int)bytes, MPI_BYTE, at->system->root, at->system->comm);
  return code;
}
#define TELL(call, value, bytes)         \
  struct file* const at = file_of(file); \
  if (at == NULL) return bad_number;     \
  return told(at, is_root(at) ? (call) : 0, value, bytes)
int PIOc_inq(int file, int* ndims, int* nvars, int* attributes, int* unlimited) {
  struct file* const at = file_of(file);
  int all[4] = {0, 0, 0, -1};
  const int code = told(at, is_root(at) ? nc_inq(at->ncid, &all[0], &all[1], &all[2], &all[3]) : 0, all, sizeof all);
  int* const wanted[4] = {ndims, nvars, attributes, unlimited};
  for (int i = 0; i < 4; ++i)
    if (wanted[i] != NULL) *wanted[i] = all[i];
  return code;
}
int PIOc_inq_unlimdims(int file, int* count, int* dims) {
  TELL(nc_inq_unlimdims(at->ncid, count, dims), count, sizeof *count);
}
int PIOc_inq_dim(int file, int dim, char* name, MPI_Offset* length) {
  struct file* const at = file_of(file);
  told(at, is_root(at) ? nc_inq_dimlen(at->ncid, dim, (size_t*)length) : 0, length, sizeof *length);
  return told(at, is_root(at) ? nc_inq_dimname(at->ncid, dim, name) : 0, name, NC_MAX_NAME + 1);
}
int PIOc_inq_varndims(int file, int var, int* ndims) {
  TELL(nc_inq_varndims(at->ncid, var, ndims), ndims, sizeof *ndims);
}
int PIOc_inq_vardimid(int file, int var, int* dims) {
  int ndims = 0;
  if (PIOc_inq_varndims(file, var, &ndims) != 0) return no_variable;
  TELL(nc_inq_vardimid(at->ncid, var, dims), dims, (size_t)ndims * sizeof *dims);
}
int PIOc_inq_var(int file, int var, char* name, int* type, int* ndims, int* dims, int* attributes) {
  struct file* const at = file_of(file);
  if (PIOc_inq_varndims(file, var, ndims) != 0) return no_variable;
  told(at, is_root(at) ? nc_inq_vartype(at->ncid, var, type) : 0, type, sizeof *type);
  told(at, is_root(at) ? nc_inq_varnatts(at->ncid, var, attributes) : 0, attributes, sizeof *attributes);
  PIOc_inq_vardimid(file, var, dims);
  return told(at, is_root(at) ? nc_inq_varname(at->ncid, var, name) : 0, name, NC_MAX_NAME + 1);
}
int PIOc_inq_attname(int file, int var, int number, char* name) {
  TELL(nc_inq_attname(at->ncid, var, number, name), name, NC_MAX_NAME + 1);
}
int PIOc_inq_att(int file, int var, const char* name, int* type, MPI_Offset* length) {
  struct file* const at = file_of(file);
  told(at, is_root(at) ? nc_inq_atttype(at->ncid, var, name, type) : 0, type, sizeof *type);
  return told(at, is_root(at) ? nc_inq_attlen(at->ncid, var, name, (size_t*)length) : 0, length, sizeof *length);
}
int PIOc_get_att(int file, int var, const char* name, void* values) {
  int type = 0;
  MPI_Offset length = 0;
  PIOc_inq_att(file, var, name, &type, &length);
  TELL(nc_get_att(at->ncid, var, name, values), values, (size_t)length * bytes_of(type_of(type)));
}
int PIOc_def_var_deflate(int file, int var, int shuffle, int deflate, int level) {
  TELL(nc_def_var_deflate(at->ncid, var, shuffle, deflate, level), NULL, 0);
}
int PIOc_def_var_chunking(int file, int var, int storage, const MPI_Offset* lengths) {
  TELL(nc_def_var_chunking(at->ncid, var, storage, (const size_t*)lengths), NULL, 0);
}
/* In the place of netCDF's own, which does nothing where that was built without zstd (Debian's). */
int nc_def_var_zstandard(int ncid, int var, int level) {
  const unsigned wanted = (unsigned)level;
  return nc_def_var_filter(ncid, var, 32015, 1, &wanted);
}
int PIOc_def_var_zstandard(int file, int var, int level) {
  TELL(nc_def_var_zstandard(at->ncid, var, level), NULL, 0);
}
int PIOc_def_var_quantize(int file, int var, int mode, int digits) {
  TELL(nc_def_var_quantize(at->ncid, var, mode, digits), NULL, 0);
}
int PIOc_get_vara(int file, int var, const MPI_Offset* start, const MPI_Offset* count, void* values) {
  int ndims = 0, type = 0;
  size_t cells = 1;
  struct file* const at = file_of(file);
  if (PIOc_inq_varndims(file, var, &ndims) != 0) return no_variable;
  told(at, is_root(at) ? nc_inq_vartype(at->ncid, var, &type) : 0, &type, sizeof type);
  for (int d = 0; d < ndims; ++d) cells *= (size_t)count[d];
  return told(at, is_root(at) ? nc_get_vara(at->ncid, var, (const size_t*)start, (const size_t*)count, values) : 0,
              values, cells * bytes_of(type_of(type)));
}
int PIOc_get_vara_double(int file, int var, const MPI_Offset* start, const MPI_Offset* count, double* values);
int PIOc_get_vara_double(int file, int var, const MPI_Offset* start, const MPI_Offset* count, double* values) {
  int ndims = 0;
  size_t cells = 1;
  if (PIOc_inq_varndims(file, var, &ndims) != 0) return no_variable;
  for (int d = 0; d < ndims; ++d) cells *= (size_t)count[d];
  TELL(nc_get_vara_double(at->ncid, var, (const size_t*)start, (const size_t*)count, values), values,
       cells * sizeof *values);
}

int packed_fill(int ncid, int var, void* value) {
  const double usual = NC_FILL_DOUBLE;
  memcpy(value, &usual, sizeof usual);
  return nc_inq_attlen(ncid, var, "_FillValue", NULL) == 0 ? nc_get_att_double(ncid, var, "_FillValue", value) : 0;
}
int packed_put(int ncid, int var, const MPI_Offset* start, const MPI_Offset* count, MPI_Datatype type,
               const void* values) {
  const size_t *from = (const size_t*)start, *of = (const size_t*)count;
  if (type == MPI_INT) return nc_put_vara_int(ncid, var, from, of, values);
  if (type == MPI_FLOAT) return nc_put_vara_float(ncid, var, from, of, values);
  return nc_put_vara_double(ncid, var, from, of, values);
}
int packed_get(int ncid, int var, const MPI_Offset* start, const MPI_Offset* count, MPI_Datatype type, void* values) {
  const size_t *from = (const size_t*)start, *of = (const size_t*)count;
  if (type == MPI_INT) return nc_get_vara_int(ncid, var, from, of, values);
  if (type == MPI_FLOAT) return nc_get_vara_float(ncid, var, from, of, values);
  return nc_get_vara_double(ncid, var, from, of, values);
}
