// SPDX-License-Identifier: Apache-2.0
#include "netcdf/packed_calls.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/text.hpp"
#include "core/codes.hpp"
#include "formats/chunked/filter.hpp"

namespace weir::bridge::of_packed {

namespace {

// nullopt: the definitions may be changed.
Verdict unless_fixed(PackedFile& file) {
  const int code = file.change();
  return code == NC_NOERR ? Verdict() : Verdict(code);
}

// Of what the file has already, so that it stays.
Verdict refuse_kept(PackedFile& file) {
  return file.refuse(not_supported_code, "definitions cannot be renamed or deleted after data were written");
}

bool keeps_dim(const PackedFile& file, int dim) {
  return file.written() != nullptr && dim >= 0 && dim < std::ssize(file.written()->dimensions());
}

bool keeps_var(const PackedFile& file, int var) {
  return file.written() != nullptr && var >= 0 && var < std::ssize(file.written()->variables());
}

bool keeps_att(const PackedFile& file, int var, const char* name) {
  const bool known = keeps_var(file, var) || (var == NC_GLOBAL && file.written() != nullptr);
  return known && name != nullptr && file.written()->find_attribute(var, name) != nullptr;
}

bool is_fill_value(const char* name) {
  return name != nullptr && std::strcmp(name, "_FillValue") == 0;
}

// What Weir's files have not. In the classic model netCDF has its own answer; else `refusal`, the same, where netCDF
// cannot have the file.
Verdict hand_over_model(PackedFile& file, int refusal, const char* what) {
  return file.shadow().classic_model() ? Verdict() : file.hand_over(refusal, what);
}

int unlimited_dimension(PackedFile& file) {
  int dim = -1;
  static_cast<void>(WEIR_NETCDF(nc_inq_unlimdim)(file.shadow().number(), &dim));
  return dim;
}

// All variables are in chunks.
int correct_chunk(PackedFile& file, int var, int storage) {
  PackedVariable variable;
  if (const int code = find_packed_variable(file.shadow().number(), var, variable); code != NC_NOERR) return code;
  std::vector<size_t> lengths = default_chunk_of(variable);
  if (lengths.empty()) return NC_NOERR;
  file.shadow().options().chunked.erase(var);
  if (storage == NC_CHUNKED) {
    static_cast<void>(WEIR_NETCDF(nc_inq_var_chunking)(file.shadow().number(), var, nullptr, lengths.data()));
    file.shadow().options().chunked.insert(var);
    return NC_NOERR;
  }
  return WEIR_NETCDF(nc_def_var_chunking)(file.shadow().number(), var, NC_CHUNKED, lengths.data());
}

void lengthen(PackedFile& file, int dim, size_t* length) {
  if (length != nullptr && dim == unlimited_dimension(file))
    *length = std::max(*length, static_cast<size_t>(file.records()));
}

}  // namespace

// ---- Modes
// ------------------------------------------------------------------------------------------------------------

Verdict nc_redef(PackedFile& file) {
  const int code = WEIR_NETCDF(nc_redef)(file.shadow().number());
  if (code == NC_NOERR) file.shadow().enter_define(true);
  return code;
}

Verdict nc_enddef(PackedFile& file) {
  PutExtent nothing;
  const int compared = file.compare(nothing);
  if (compared == NC_NOERR)
    if (const Verdict verdict = file.hand_over_large_chunks(); verdict != NC_NOERR) return verdict;
  const int code = WEIR_NETCDF(nc_enddef)(file.shadow().number());
  if (code == NC_NOERR) file.shadow().enter_define(false);
  return code != NC_NOERR ? code : compared;
}

Verdict nc__enddef(PackedFile& file, const size_t&, const size_t&, const size_t&, const size_t&) {
  return nc_enddef(file);
}

Verdict nc_sync(PackedFile& file) {
  return file.sync();
}

Verdict nc_var_par_access(PackedFile& file, const int& var, const int& access) {
  if (access != NC_INDEPENDENT && access != NC_COLLECTIVE) return NC_EINVAL;
  return file.variables().set_access(var, access == NC_COLLECTIVE);
}

Verdict nc_inq_dim(PackedFile& file, const int& dim, char* const& name, size_t* const& length) {
  const int code = WEIR_NETCDF(nc_inq_dim)(file.shadow().number(), dim, name, length);
  if (code == NC_NOERR) lengthen(file, dim, length);
  return code;
}

Verdict nc_inq_dimlen(PackedFile& file, const int& dim, size_t* const& length) {
  char* const no_name = nullptr;
  return nc_inq_dim(file, dim, no_name, length);
}

Verdict nc_inq_path(PackedFile& file, size_t* const& length, char* const& path) {
  const std::string& given = file.opened().path;
  if (length != nullptr) *length = given.size();
  if (path != nullptr) std::strcpy(path, given.c_str());
  return NC_NOERR;
}

Verdict nc_inq_format_extended(PackedFile& file, int* const& format, int* const& mode) {
  const int code = WEIR_NETCDF(nc_inq_format_extended)(file.shadow().number(), format, mode);
  if (code == NC_NOERR && mode != nullptr) *mode = file.opened().mode;
  return code;
}

// ---- Definitions
// ------------------------------------------------------------------------------------------------------

Verdict nc_def_dim(PackedFile& file, const char* const&, const size_t& length, int* const&) {
  if (const Verdict fixed = unless_fixed(file)) return fixed;
  if (length != NC_UNLIMITED || unlimited_dimension(file) < 0) return std::nullopt;
  return hand_over_model(file, NC_EUNLIMIT, "a second unlimited dimension");
}

Verdict nc_def_var(PackedFile& file, const char* const& name, const nc_type& type, const int& ndims,
                   const int* const& dims, int* const& var) {
  if (const Verdict fixed = unless_fixed(file)) return fixed;
  if (type == NC_STRING) return hand_over_model(file, NC_ESTRICTNC3, "variables of strings");
  const int unlimited = unlimited_dimension(file);
  if (ndims > 1 && dims != nullptr && std::find(dims + 1, dims + ndims, unlimited) != dims + ndims && unlimited >= 0)
    return hand_over_model(file, NC_EUNLIMPOS, "an unlimited dimension that is not a variable's first");
  int number = -1;
  const int code = WEIR_NETCDF(nc_def_var)(file.shadow().number(), name, type, ndims, dims, &number);
  if (code != NC_NOERR) return code;
  if (var != nullptr) *var = number;
  return correct_chunk(file, number, NC_CONTIGUOUS);
}

Verdict nc_def_var_chunking(PackedFile& file, const int& var, const int& storage, const size_t* const& sizes) {
  const int code = WEIR_NETCDF(nc_def_var_chunking)(file.shadow().number(), var, storage, sizes);
  return code == NC_NOERR ? correct_chunk(file, var, storage) : code;
}

Verdict nc_def_var_chunking_ints(PackedFile& file, const int& var, const int& storage, int* const& sizes) {
  const int code = WEIR_NETCDF(nc_def_var_chunking_ints)(file.shadow().number(), var, storage, sizes);
  return code == NC_NOERR ? correct_chunk(file, var, storage) : code;
}

Verdict nc_def_var_quantize(PackedFile& file, const int& var, const int& mode, const int& digits) {
  const int code = WEIR_NETCDF(nc_def_var_quantize)(file.shadow().number(), var, mode, digits);
  if (code == NC_NOERR) file.shadow().options().quantized.insert(var);
  return code;
}

Verdict nc_rename_dim(PackedFile& file, const int& dim, const char* const&) {
  return keeps_dim(file, dim) ? refuse_kept(file) : unless_fixed(file);
}

Verdict nc_rename_var(PackedFile& file, const int& var, const char* const&) {
  return keeps_var(file, var) ? refuse_kept(file) : unless_fixed(file);
}

// A variable with data keeps its fill value: the definition shadow has none.
Verdict put_att(PackedFile& file, int var, const char* name) {
  if (const Verdict fixed = unless_fixed(file)) return fixed;
  if (is_fill_value(name) && keeps_var(file, var)) return NC_ELATEFILL;
  return std::nullopt;
}

Verdict nc_put_att(PackedFile& file, const int& var, const char* const& name, const nc_type&, const size_t&,
                   const void* const&) {
  return put_att(file, var, name);
}

Verdict nc_put_att_text(PackedFile& file, const int& var, const char* const& name, const size_t&, const char* const&) {
  return put_att(file, var, name);
}

Verdict nc_rename_att(PackedFile& file, const int& var, const char* const& name, const char* const& new_name) {
  const bool fills = is_fill_value(new_name) && keeps_var(file, var);
  return fills || keeps_att(file, var, name) ? refuse_kept(file) : unless_fixed(file);
}

Verdict nc_del_att(PackedFile& file, const int& var, const char* const& name) {
  return keeps_att(file, var, name) ? refuse_kept(file) : unless_fixed(file);
}

// ---- What Weir's files have not
// ---------------------------------------------------------------------------------------

Verdict nc_def_var_endian(PackedFile& file, const int& var, const int& endian) {
  if (endian == NC_ENDIAN_BIG) return file.hand_over(not_supported_code, "big-endian variables");
  return WEIR_NETCDF(nc_def_var_endian)(file.shadow().number(), var, endian);
}

Verdict nc_def_var_filter(PackedFile& file, const int&, const unsigned int& id, const size_t&,
                          const unsigned int* const&) {
  for (const unsigned known : {deflate_filter, shuffle_filter, fletcher32_filter, zstd_filter})
    if (id == known) return std::nullopt;
  const bool missing = WEIR_NETCDF(nc_inq_filter_avail)(file.shadow().number(), id) == NC_ENOFILTER;
  return file.hand_over(NC_ENOFILTER, "filters other than deflate, shuffle, fletcher32 and zstd",
                        {formatted("filter {}", id), missing});
}

Verdict nc_def_var_szip(PackedFile& file, const int&, const int&, const int&) {
  return file.hand_over(NC_ENOFILTER, "filters other than deflate, shuffle, fletcher32 and zstd");
}

Verdict nc_def_grp(PackedFile& file, const char* const&, int* const&) {
  return hand_over_model(file, NC_ESTRICTNC3, "groups");
}

Verdict nc_def_compound(PackedFile& file, const size_t&, const char* const&, nc_type* const&) {
  return hand_over_model(file, NC_ESTRICTNC3, "user-defined types");
}

Verdict nc_def_vlen(PackedFile& file, const char* const&, const nc_type&, nc_type* const&) {
  return hand_over_model(file, NC_ESTRICTNC3, "user-defined types");
}

Verdict nc_def_enum(PackedFile& file, const nc_type&, const char* const&, nc_type* const&) {
  return hand_over_model(file, NC_ESTRICTNC3, "user-defined types");
}

Verdict nc_def_opaque(PackedFile& file, const size_t&, const char* const&, nc_type* const&) {
  return hand_over_model(file, NC_ESTRICTNC3, "user-defined types");
}

}  // namespace weir::bridge::of_packed
