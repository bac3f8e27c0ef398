// SPDX-License-Identifier: Apache-2.0
// Definitions, modes and attributes of a file of the bridge.
#include <pnetcdf.h>

#include <climits>
#include <cstring>

#include "netcdf/intercepted_calls.hpp"
#include "netcdf/libraries.hpp"
#include "netcdf/pnetcdf_types.hpp"

namespace weir::bridge::intercepted {

namespace {

constexpr int independent = 0, collective = 1;  // NC_INDEPENDENT, NC_COLLECTIVE of netcdf_par.h
constexpr int most_dims = 1024;                 // NC_MAX_VAR_DIMS of netcdf.h

// A type that only CDF-5 has: netCDF's classic layer has no word of its own for that.
int type_answer(const NetcdfFile& file, int code) {
  return file.origin == Origin::plain && code == NC_ESTRICTCDF2 ? NC_EBADTYPE : code;
}

}  // namespace

int nc_redef(NetcdfFile& file) {
  if (file.filling && !file.defining)
    if (const int code = file.filling->finish_fills(file); code != NC_NOERR) return code;
  const int code = WEIR_PNETCDF(ncmpi_redef)(file.pnetcdf);
  if (code == NC_NOERR) file.defining = true;
  return code;
}

// netCDF's layouts have no gaps unless they are asked for, PnetCDF's do.
int nc_enddef(NetcdfFile& file) {
  return nc__enddef(file, 0, 1, 0, 1);
}

int nc__enddef(NetcdfFile& file, size_t header_free, size_t variable_align, size_t variable_free, size_t record_align) {
  int code = WEIR_PNETCDF(ncmpi__enddef)(file.pnetcdf, static_cast<MPI_Offset>(header_free),
                                         static_cast<MPI_Offset>(variable_align),
                                         static_cast<MPI_Offset>(variable_free), static_cast<MPI_Offset>(record_align));
  if (code != NC_NOERR) return code;
  file.defining = false;
  return file.collective ? NC_NOERR : WEIR_PNETCDF(ncmpi_begin_indep_data)(file.pnetcdf);
}

// netCDF's classic layer hands to the system what it has; PnetCDF's sync waits for the storage too.
int nc_sync(NetcdfFile& file) {
  if (file.filling && !file.defining)
    if (const int code = file.filling->finish_fills(file); code != NC_NOERR) return code;
  if (file.sync_stores || file.defining) return WEIR_PNETCDF(ncmpi_sync)(file.pnetcdf);
  return WEIR_PNETCDF(ncmpi_flush)(file.pnetcdf);
}

int nc_set_fill(NetcdfFile& file, int mode, int* old_mode) {
  if (file.origin == Origin::parallel) return WEIR_PNETCDF(ncmpi_set_fill)(file.pnetcdf, mode, old_mode);
  if (!file.writable) return NC_EPERM;
  if (mode != NC_FILL && mode != NC_NOFILL) return NC_EINVAL;
  if (old_mode != nullptr) *old_mode = file.filling->file_fills() ? NC_FILL : NC_NOFILL;
  int nvars = 0;
  if (const int code = nc_inq_nvars(file, &nvars); code != NC_NOERR) return code;
  file.filling->set_file(mode == NC_FILL, nvars);
  return NC_NOERR;
}

// As in netCDF's PnetCDF layer the access is the file's, whatever variable is named. A rule that says that all ranks
// make all calls holds whatever the program asks for.
int nc_var_par_access(NetcdfFile& file, int, int access) {
  if (file.origin == Origin::plain) return NC_ENOTNC4;
  if (access != independent && access != collective) return NC_EINVAL;
  const bool wanted = access == collective;
  if (wanted == file.collective || file.rule_collective) return NC_NOERR;
  file.collective = wanted;
  if (file.defining) return NC_NOERR;
  return wanted ? WEIR_PNETCDF(ncmpi_end_indep_data)(file.pnetcdf) : WEIR_PNETCDF(ncmpi_begin_indep_data)(file.pnetcdf);
}

int nc_def_dim(NetcdfFile& file, const char* name, size_t length, int* dim) {
  return WEIR_PNETCDF(ncmpi_def_dim)(file.pnetcdf, name, static_cast<MPI_Offset>(length), dim);
}

int nc_rename_dim(NetcdfFile& file, int dim, const char* name) {
  return WEIR_PNETCDF(ncmpi_rename_dim)(file.pnetcdf, dim, name);
}

int nc_def_var(NetcdfFile& file, const char* name, nc_type type, int ndims, const int* dims, int* var) {
  if (file.origin == Origin::plain && ndims > most_dims) return NC_EMAXDIMS;
  int number = -1;
  const int code = WEIR_PNETCDF(ncmpi_def_var)(file.pnetcdf, name, type, ndims, dims, &number);
  if (code != NC_NOERR) return type_answer(file, code);
  if (var != nullptr) *var = number;
  if (file.filling) file.filling->set_var(number, file.filling->file_fills());
  return NC_NOERR;
}

int nc_rename_var(NetcdfFile& file, int var, const char* name) {
  return WEIR_PNETCDF(ncmpi_rename_var)(file.pnetcdf, var, name);
}

int nc_def_var_fill(NetcdfFile& file, int var, int no_fill, const void* value) {
  if (!file.filling) return WEIR_PNETCDF(ncmpi_def_var_fill)(file.pnetcdf, var, no_fill, value);
  if (!file.defining) return NC_ENOTINDEFINE;
  int type = NC_NAT;
  if (const int code = nc_inq_vartype(file, var, &type); code != NC_NOERR) return code;
  file.filling->set_var(var, no_fill == 0);
  if (no_fill != 0 || value == nullptr) return NC_NOERR;
  const int code = WEIR_PNETCDF(ncmpi_del_att)(file.pnetcdf, var, "_FillValue");
  if (code != NC_NOERR && code != NC_ENOTATT) return code;
  return put_att(file, var, "_FillValue", type, 1, value, type);
}

// ---- Attributes -----------------------------------------------------------------------------------------------------

namespace {

int put_att_as_told(NetcdfFile& file, int var, const char* name, nc_type type, std::size_t length, const void* values,
                    nc_type memory) {
  if (const int code = WEIR_PNETCDF(ncmpi_inq_varnatts)(file.pnetcdf, var, nullptr); code != NC_NOERR) return code;
  if (name == nullptr || std::strlen(name) > NC_MAX_NAME) return NC_EBADNAME;
  if (length > INT_MAX) return NC_EINVAL;
  const auto count = static_cast<MPI_Offset>(length);
  switch (memory) {
    case NC_CHAR:
      if (type != NC_CHAR) return NC_ECHAR;
      return WEIR_PNETCDF(ncmpi_put_att_text)(file.pnetcdf, var, name, count, static_cast<const char*>(values));
#define X(NUMBER, word, c_type)                                                                       \
  case NUMBER:                                                                                        \
    return type_answer(file, WEIR_PNETCDF(ncmpi_put_att_##word)(file.pnetcdf, var, name, type, count, \
                                                                static_cast<const c_type*>(values)));
      WEIR_PNETCDF_NUMBERS(X)
#undef X
    default:
      return NC_EBADTYPE;
  }
}

// PnetCDF takes no _FillValue of a variable that was defined before the last nc_enddef, but lets an attribute become
// one by its name.
int put_late_fill_value(NetcdfFile& file, int var, nc_type type, std::size_t length, const void* values,
                        nc_type memory) {
  constexpr const char* fill_value = "_FillValue";
  constexpr const char* for_now = "weir_fill_value";
  if (nc_inq_attid(file, var, fill_value, nullptr) == NC_NOERR) return NC_ELATEFILL;
  if (const int put = put_att_as_told(file, var, for_now, type, length, values, memory); put != NC_NOERR) return put;
  const int code = nc_rename_att(file, var, for_now, fill_value);
  if (code != NC_NOERR) static_cast<void>(nc_del_att(file, var, for_now));
  return code;
}

}  // namespace

int put_att(NetcdfFile& file, int var, const char* name, nc_type type, std::size_t length, const void* values,
            nc_type memory) {
  const int code = put_att_as_told(file, var, name, type, length, values, memory);
  if (code != NC_ELATEFILL || file.origin == Origin::parallel) return code;
  return put_late_fill_value(file, var, type, length, values, memory);
}

int get_att(NetcdfFile& file, int var, const char* name, void* values, nc_type memory) {
  if (memory == own_type)
    if (const int code = nc_inq_atttype(file, var, name, &memory); code != NC_NOERR) return code;
  switch (memory) {
    case NC_CHAR:
      return WEIR_PNETCDF(ncmpi_get_att_text)(file.pnetcdf, var, name, static_cast<char*>(values));
#define X(NUMBER, word, c_type) \
  case NUMBER:                  \
    return WEIR_PNETCDF(ncmpi_get_att_##word)(file.pnetcdf, var, name, static_cast<c_type*>(values));
      WEIR_PNETCDF_NUMBERS(X)
#undef X
    default:
      return NC_EBADTYPE;
  }
}

int nc_put_att(NetcdfFile& file, int var, const char* name, nc_type type, size_t length, const void* values) {
  return put_att(file, var, name, type, length, values, type);
}

int nc_put_att_text(NetcdfFile& file, int var, const char* name, size_t length, const char* text) {
  return put_att(file, var, name, NC_CHAR, length, text, NC_CHAR);
}

int nc_get_att(NetcdfFile& file, int var, const char* name, void* values) {
  return get_att(file, var, name, values, own_type);
}

int nc_rename_att(NetcdfFile& file, int var, const char* name, const char* new_name) {
  return WEIR_PNETCDF(ncmpi_rename_att)(file.pnetcdf, var, name, new_name);
}

int nc_del_att(NetcdfFile& file, int var, const char* name) {
  return WEIR_PNETCDF(ncmpi_del_att)(file.pnetcdf, var, name);
}

}  // namespace weir::bridge::intercepted
