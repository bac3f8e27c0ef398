// SPDX-License-Identifier: Apache-2.0
// Inquiries about a file of the bridge. Local.
#include <pnetcdf.h>

#include <array>
#include <cstring>
#include <numeric>
#include <string_view>
#include <vector>

#include "netcdf/intercepted_calls.hpp"
#include "netcdf/libraries.hpp"

namespace weir::bridge::intercepted {

namespace {

struct AtomicType {
  std::string_view name;
  std::size_t bytes;
};
// By nc_type.
constexpr std::array<AtomicType, 13> atomic_types{{{"nat", 0},
                                                   {"byte", 1},
                                                   {"char", 1},
                                                   {"short", 2},
                                                   {"int", 4},
                                                   {"float", 4},
                                                   {"double", 8},
                                                   {"ubyte", 1},
                                                   {"ushort", 2},
                                                   {"uint", 4},
                                                   {"int64", 8},
                                                   {"uint64", 8},
                                                   {"string", sizeof(char*)}}};
constexpr nc_type first_type = NC_BYTE, string_type = 12;

// netCDF's root group.
void name_root(char* name) {
  if (name != nullptr) std::strcpy(name, "/");
}

// A name that cannot be is to netCDF's classic layer a name that is not there.
int name_answer(const NetcdfFile& file, int code, int missing) {
  return file.origin == Origin::plain && code == NC_EBADNAME ? missing : code;
}

void enumerate(int count, int* total, int* numbers) {
  if (total != nullptr) *total = count;
  if (numbers != nullptr) std::iota(numbers, numbers + count, 0);
}

}  // namespace

int nc_inq(NetcdfFile& file, int* ndims, int* nvars, int* natts, int* unlimited) {
  return WEIR_PNETCDF(ncmpi_inq)(file.pnetcdf, ndims, nvars, natts, unlimited);
}
int nc_inq_ndims(NetcdfFile& file, int* ndims) {
  return WEIR_PNETCDF(ncmpi_inq_ndims)(file.pnetcdf, ndims);
}
int nc_inq_nvars(NetcdfFile& file, int* nvars) {
  return WEIR_PNETCDF(ncmpi_inq_nvars)(file.pnetcdf, nvars);
}
int nc_inq_natts(NetcdfFile& file, int* natts) {
  return WEIR_PNETCDF(ncmpi_inq_natts)(file.pnetcdf, natts);
}
int nc_inq_unlimdim(NetcdfFile& file, int* dim) {
  return WEIR_PNETCDF(ncmpi_inq_unlimdim)(file.pnetcdf, dim);
}
int nc_inq_unlimdims(NetcdfFile& file, int* count, int* dims) {
  int dim = -1;
  if (const int code = nc_inq_unlimdim(file, &dim); code != NC_NOERR) return code;
  if (count != nullptr) *count = dim < 0 ? 0 : 1;
  if (dims != nullptr && dim >= 0) dims[0] = dim;
  return NC_NOERR;
}

int nc_inq_dimid(NetcdfFile& file, const char* name, int* dim) {
  const int code = WEIR_PNETCDF(ncmpi_inq_dimid)(file.pnetcdf, name, dim);
  return name_answer(file, code, NC_EBADDIM);
}
int nc_inq_dim(NetcdfFile& file, int dim, char* name, size_t* length) {
  MPI_Offset found = 0;
  const int code = WEIR_PNETCDF(ncmpi_inq_dim)(file.pnetcdf, dim, name, &found);
  if (code == NC_NOERR && length != nullptr) *length = static_cast<size_t>(found);
  return code;
}
int nc_inq_dimname(NetcdfFile& file, int dim, char* name) {
  return name == nullptr ? NC_NOERR : nc_inq_dim(file, dim, name, nullptr);
}
int nc_inq_dimlen(NetcdfFile& file, int dim, size_t* length) {
  return length == nullptr ? NC_NOERR : nc_inq_dim(file, dim, nullptr, length);
}
int nc_inq_dimids(NetcdfFile& file, int* ndims, int* dims, int) {
  int count = 0;
  const int code = nc_inq_ndims(file, &count);
  if (code == NC_NOERR) enumerate(count, ndims, dims);
  return code;
}

int nc_inq_varid(NetcdfFile& file, const char* name, int* var) {
  return name_answer(file, WEIR_PNETCDF(ncmpi_inq_varid)(file.pnetcdf, name, var), NC_ENOTVAR);
}
int nc_inq_var(NetcdfFile& file, int var, char* name, nc_type* type, int* ndims, int* dims, int* natts) {
  return WEIR_PNETCDF(ncmpi_inq_var)(file.pnetcdf, var, name, type, ndims, dims, natts);
}
int nc_inq_varname(NetcdfFile& file, int var, char* name) {
  return WEIR_PNETCDF(ncmpi_inq_varname)(file.pnetcdf, var, name);
}
int nc_inq_vartype(NetcdfFile& file, int var, nc_type* type) {
  return WEIR_PNETCDF(ncmpi_inq_vartype)(file.pnetcdf, var, type);
}
int nc_inq_varndims(NetcdfFile& file, int var, int* ndims) {
  return WEIR_PNETCDF(ncmpi_inq_varndims)(file.pnetcdf, var, ndims);
}
int nc_inq_vardimid(NetcdfFile& file, int var, int* dims) {
  return WEIR_PNETCDF(ncmpi_inq_vardimid)(file.pnetcdf, var, dims);
}
int nc_inq_varnatts(NetcdfFile& file, int var, int* natts) {
  return WEIR_PNETCDF(ncmpi_inq_varnatts)(file.pnetcdf, var, natts);
}
int nc_inq_varids(NetcdfFile& file, int* nvars, int* vars) {
  int count = 0;
  const int code = nc_inq_nvars(file, &count);
  if (code == NC_NOERR) enumerate(count, nvars, vars);
  return code;
}

int nc_inq_var_fill(NetcdfFile& file, int var, int* no_fill, void* value) {
  int pnetcdf_no_fill = 0;
  const int code = WEIR_PNETCDF(ncmpi_inq_var_fill)(file.pnetcdf, var, &pnetcdf_no_fill, value);
  if (code == NC_NOERR && no_fill != nullptr) *no_fill = file.filling ? !file.filling->fills(var) : pnetcdf_no_fill;
  return code;
}
int nc_inq_var_deflate(NetcdfFile& file, int var, int* shuffle, int* deflate, int* level) {
  for (int* const answer : {deflate, level})
    if (answer != nullptr) *answer = 0;
  const int code = nc_inq_varname(file, var, nullptr);
  if (code == NC_NOERR && shuffle != nullptr) *shuffle = 0;
  return code;
}
int nc_inq_var_fletcher32(NetcdfFile& file, int var, int* fletcher32) {
  const int code = nc_inq_varname(file, var, nullptr);
  if (code == NC_NOERR && fletcher32 != nullptr) *fletcher32 = 0;
  return code;
}
int nc_inq_var_chunking(NetcdfFile& file, int var, int* storage, size_t*) {
  constexpr int contiguous = 1;  // NC_CONTIGUOUS
  const int code = nc_inq_varname(file, var, nullptr);
  if (code == NC_NOERR && storage != nullptr) *storage = contiguous;
  return code;
}
int nc_def_var_chunking(NetcdfFile& file, int, int, const size_t*) {
  return file.origin == Origin::plain ? NC_ENOTNC4 : NC_EPERM;
}
int nc_def_var_chunking_ints(NetcdfFile& file, int var, int storage, int*) {
  return nc_def_var_chunking(file, var, storage, nullptr);
}
int nc_inq_var_endian(NetcdfFile& file, int var, int*) {
  const int code = nc_inq_varname(file, var, nullptr);
  return code == NC_NOERR ? NC_ENOTNC4 : code;
}
int nc_inq_var_chunking_ints(NetcdfFile& file, int var, int* storage, int*) {
  return nc_inq_var_chunking(file, var, storage, nullptr);
}
int nc_inq_var_szip(NetcdfFile&, int, int* mask, int* pixels) {
  for (int* const answer : {mask, pixels})
    if (answer != nullptr) *answer = 0;
  return NC_NOERR;
}
int nc_inq_var_filter(NetcdfFile&, int, unsigned int* id, size_t*, unsigned int*) {
  if (id != nullptr) *id = 0;
  return NC_NOERR;
}
int nc_inq_var_filter_ids(NetcdfFile&, int, size_t* filters, unsigned int*) {
  if (filters != nullptr) *filters = 0;
  return NC_NOERR;
}

int nc_inq_att(NetcdfFile& file, int var, const char* name, nc_type* type, size_t* length) {
  MPI_Offset found = 0;
  const int code = WEIR_PNETCDF(ncmpi_inq_att)(file.pnetcdf, var, name, type, &found);
  if (code == NC_NOERR && length != nullptr) *length = static_cast<size_t>(found);
  return code;
}
int nc_inq_attid(NetcdfFile& file, int var, const char* name, int* number) {
  return WEIR_PNETCDF(ncmpi_inq_attid)(file.pnetcdf, var, name, number);
}
int nc_inq_attname(NetcdfFile& file, int var, int number, char* name) {
  return WEIR_PNETCDF(ncmpi_inq_attname)(file.pnetcdf, var, number, name);
}
int nc_inq_atttype(NetcdfFile& file, int var, const char* name, nc_type* type) {
  return nc_inq_att(file, var, name, type, nullptr);
}
int nc_inq_attlen(NetcdfFile& file, int var, const char* name, size_t* length) {
  return nc_inq_att(file, var, name, nullptr, length);
}

int nc_inq_format(NetcdfFile& file, int* format) {
  return WEIR_PNETCDF(ncmpi_inq_format)(file.pnetcdf, format);
}
int nc_inq_format_extended(NetcdfFile& file, int* format, int* mode) {
  if (format != nullptr) *format = file.origin == Origin::plain ? NC_FORMATX_NC3 : NC_FORMATX_PNETCDF;
  if (mode != nullptr) *mode = file.mode;
  return NC_NOERR;
}
int nc_inq_path(NetcdfFile& file, size_t* length, char* path) {
  if (length != nullptr) *length = file.path.size();
  if (path != nullptr) std::strcpy(path, file.path.c_str());
  return NC_NOERR;
}

int nc_inq_type(NetcdfFile&, nc_type type, char* name, size_t* bytes) {
  if (type < first_type || type > string_type) return NC_EBADTYPE;
  const AtomicType& found = atomic_types[static_cast<std::size_t>(type)];
  if (name != nullptr) std::strcpy(name, found.name.data());
  if (bytes != nullptr) *bytes = found.bytes;
  return NC_NOERR;
}
int nc_inq_typeid(NetcdfFile&, const char* name, nc_type* type) {
  for (nc_type known = first_type; known < string_type; ++known) {
    if (atomic_types[static_cast<std::size_t>(known)].name != name) continue;
    if (type != nullptr) *type = known;
    return NC_NOERR;
  }
  return NC_ENOTNC4;
}
int nc_inq_typeids(NetcdfFile&, int* count, int*) {
  if (count != nullptr) *count = 0;
  return NC_NOERR;
}

// The root group is the file.
int nc_inq_ncid(NetcdfFile& file, const char*, int* group) {
  if (group != nullptr) *group = file.ncid;
  return NC_NOERR;
}
int nc_inq_grp_ncid(NetcdfFile& file, const char* name, int* group) {
  return nc_inq_ncid(file, name, group);
}
int nc_inq_grps(NetcdfFile&, int* count, int*) {
  if (count != nullptr) *count = 0;
  return NC_NOERR;
}
int nc_inq_grpname(NetcdfFile&, char* name) {
  name_root(name);
  return NC_NOERR;
}
int nc_inq_grpname_full(NetcdfFile&, size_t* length, char* name) {
  name_root(name);
  if (length != nullptr) *length = 1;
  return NC_NOERR;
}
int nc_inq_grpname_len(NetcdfFile&, size_t* length) {
  if (length != nullptr) *length = 1;
  return NC_NOERR;
}
int nc_inq_base_pe(NetcdfFile&, int* pe) {
  if (pe != nullptr) *pe = 0;
  return NC_NOERR;
}
int nc_set_base_pe(NetcdfFile&, int pe) {
  return pe == 0 ? NC_NOERR : NC_EINVAL;
}
int nc_show_metadata(NetcdfFile&) {
  return NC_NOERR;
}

}  // namespace weir::bridge::intercepted
