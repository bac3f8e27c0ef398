// SPDX-License-Identifier: Apache-2.0
#include "netcdf/definition_shadow.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "core/definition_walk.hpp"
#include "formats/chunked/filter.hpp"
#include "netcdf/front.hpp"

namespace weir::bridge {

namespace {

using Name = std::array<char, NC_MAX_NAME + 1>;

void check(int code, const char* what) {
  if (code != NC_NOERR) throw Error(WEIR_EFORMAT, "netCDF does not copy {}: {}", what, WEIR_NETCDF(nc_strerror)(code));
}

class Copy {
 public:
  // `told`: what the program has said of the variables, where that is known.
  Copy(int from, int to, const PackedOptions* told = nullptr) : from_(from), to_(to), told_(told) {}

  // Of the variables with lower numbers than `end`.
  PackedOptions copy(int end = NC_MAX_INT) {
    require_plain();
    copy_dimensions();
    copy_attributes(NC_GLOBAL);
    int count = 0, there = 0;
    check(WEIR_NETCDF(nc_inq_nvars)(from_, &count), "the variables");
    check(WEIR_NETCDF(nc_inq_nvars)(to_, &there), "the variables");
    for (int var = 0; var < std::min(count, end); ++var) var < there ? copy_attributes(var, true) : copy_variable(var);
    return std::move(options_);
  }

 private:
  void require_plain() const {
    int groups = 0, types = 0, unlimited = 0;
    check(WEIR_NETCDF(nc_inq_grps)(from_, &groups, nullptr), "the groups");
    check(WEIR_NETCDF(nc_inq_typeids)(from_, &types, nullptr), "the types");
    check(WEIR_NETCDF(nc_inq_unlimdims)(from_, &unlimited, nullptr), "the dimensions");
    require(groups == 0, WEIR_EFORMAT, "it has groups");
    require(types == 0, WEIR_EFORMAT, "it has user-defined types");
    require(unlimited <= 1, WEIR_EFORMAT, "it has several unlimited dimensions");
  }

  // Their numbers are the same there, as those of variables.
  void copy_dimensions() const {
    int count = 0, there = 0, unlimited = -1;
    check(WEIR_NETCDF(nc_inq)(from_, &count, nullptr, nullptr, &unlimited), "the dimensions");
    check(WEIR_NETCDF(nc_inq_ndims)(to_, &there), "the dimensions");
    for (int dim = there; dim < count; ++dim) {
      Name name{};
      std::size_t length = 0;
      check(WEIR_NETCDF(nc_inq_dim)(from_, dim, name.data(), &length), "a dimension");
      check(WEIR_NETCDF(nc_def_dim)(to_, name.data(), dim == unlimited ? NC_UNLIMITED : length, nullptr),
            "a dimension");
    }
  }

  // `keeps_fill`: the variable keeps its fill value.
  void copy_attributes(int var, bool keeps_fill = false) const {
    int count = 0;
    check(
        var == NC_GLOBAL ? WEIR_NETCDF(nc_inq_natts)(from_, &count) : WEIR_NETCDF(nc_inq_varnatts)(from_, var, &count),
        "the attributes");
    for (int number = 0; number < count; ++number) {
      Name name{};
      check(WEIR_NETCDF(nc_inq_attname)(from_, var, number, name.data()), "an attribute");
      if (options_.quantized.contains(var) && is_quantizes(name.data())) continue;
      if (keeps_fill && (is_quantizes(name.data()) || std::string_view(name.data()) == "_FillValue")) continue;
      copy_attribute(var, name.data());
    }
  }

  void copy_attribute(int var, const char* name) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    check(WEIR_NETCDF(nc_inq_att)(from_, var, name, &type, &length), "an attribute");
    if (type != NC_STRING) {
      std::vector<std::byte> values(length * static_cast<std::size_t>(type_bytes(static_cast<Type>(type))) + 1);
      check(WEIR_NETCDF(nc_get_att)(from_, var, name, values.data()), "an attribute");
      return check(WEIR_NETCDF(nc_put_att)(to_, var, name, type, length, values.data()), "an attribute");
    }
    std::vector<char*> words(length + 1, nullptr);
    check(WEIR_NETCDF(nc_get_att_string)(from_, var, name, words.data()), "an attribute");
    const int code = WEIR_NETCDF(nc_put_att_string)(to_, var, name, length, const_cast<const char**>(words.data()));
    static_cast<void>(WEIR_NETCDF(nc_free_string)(length, words.data()));
    check(code, "an attribute");
  }

  void copy_variable(int var) {
    Name name{};
    nc_type type = NC_NAT;
    int ndims = 0, number = -1, no_fill = 0;
    check(WEIR_NETCDF(nc_inq_varndims)(from_, var, &ndims), "a variable");
    std::vector<int> dims(static_cast<std::size_t>(ndims) + 1);
    check(WEIR_NETCDF(nc_inq_var)(from_, var, name.data(), &type, nullptr, dims.data(), nullptr), "a variable");
    if (type >= NC_STRING) throw Error(WEIR_EFORMAT, "its variable {} is of strings", name.data());
    check(WEIR_NETCDF(nc_def_var)(to_, name.data(), type, ndims, dims.data(), &number), "a variable");
    require(number == var, WEIR_EFORMAT, "its variables have different numbers");
    check(WEIR_NETCDF(nc_inq_var_fill)(from_, var, &no_fill, nullptr), "a fill mode");
    if (no_fill != 0) check(WEIR_NETCDF(nc_def_var_fill)(to_, var, NC_NOFILL, nullptr), "a fill mode");
    copy_storage(var, ndims);
    copy_attributes(var);
  }

  void copy_storage(int var, int ndims) {
    int endian = NC_ENDIAN_NATIVE, storage = NC_CONTIGUOUS, mode = NC_NOQUANTIZE, digits = 0;
    check(WEIR_NETCDF(nc_inq_var_endian)(from_, var, &endian), "the byte order");
    if (endian != NC_ENDIAN_NATIVE) check(WEIR_NETCDF(nc_def_var_endian)(to_, var, endian), "the byte order");
    if (ndims == 0) return;
    std::vector<std::size_t> chunk(static_cast<std::size_t>(ndims));
    check(WEIR_NETCDF(nc_inq_var_chunking)(from_, var, &storage, chunk.data()), "the chunks");
    if (told_ == nullptr || told_->chunked.contains(var))
      check(WEIR_NETCDF(nc_def_var_chunking)(to_, var, storage, chunk.data()), "the chunks");
    if (storage == NC_CHUNKED) copy_filters(var);
    check(WEIR_NETCDF(nc_inq_var_quantize)(from_, var, &mode, &digits), "the quantization");
    if (mode == NC_NOQUANTIZE) return;
    check(WEIR_NETCDF(nc_def_var_quantize)(to_, var, mode, digits), "the quantization");
    options_.quantized.insert(var);
  }

  void copy_filters(int var) const {
    int shuffle = 0, deflate = 0, level = 0, fletcher32 = 0;
    check(WEIR_NETCDF(nc_inq_var_deflate)(from_, var, &shuffle, &deflate, &level), "the compression");
    check(WEIR_NETCDF(nc_inq_var_fletcher32)(from_, var, &fletcher32), "the check sums");
    if (shuffle != 0 || deflate != 0)
      check(WEIR_NETCDF(nc_def_var_deflate)(to_, var, shuffle, deflate, level), "the compression");
    if (fletcher32 != 0) check(WEIR_NETCDF(nc_def_var_fletcher32)(to_, var, NC_FLETCHER32), "the check sums");
    std::size_t count = 0;
    check(WEIR_NETCDF(nc_inq_var_filter_ids)(from_, var, &count, nullptr), "the filters");
    std::vector<unsigned> filters(count + 1);
    check(WEIR_NETCDF(nc_inq_var_filter_ids)(from_, var, &count, filters.data()), "the filters");
    for (const unsigned filter : filters)
      if (filter != 0 && filter != deflate_filter && filter != shuffle_filter && filter != fletcher32_filter)
        copy_filter(var, filter);
  }

  void copy_filter(int var, unsigned filter) const {
    std::size_t count = 0;
    check(WEIR_NETCDF(nc_inq_var_filter_info)(from_, var, filter, &count, nullptr), "a filter");
    std::vector<unsigned> parameters(count + 1);
    check(WEIR_NETCDF(nc_inq_var_filter_info)(from_, var, filter, &count, parameters.data()), "a filter");
    check(WEIR_NETCDF(nc_def_var_filter)(to_, var, filter, count, parameters.data()), "a filter");
  }

  int from_, to_;
  const PackedOptions* told_;
  PackedOptions options_;
};

}  // namespace

// By a name that no file can have: HDF5 looks whether there is one.
int make_shadow(const std::string& path, bool classic_model, int* ncid) {
  const Passing netcdf;
  const std::string name = "/dev/null/" + std::filesystem::path(path).filename().string();
  return WEIR_NETCDF(nc_create)(name.c_str(), NC_NETCDF4 | NC_DISKLESS | (classic_model ? NC_CLASSIC_MODEL : 0), ncid);
}

CopiedShadow copy_shadow(const std::string& path, int file) {
  int format = 0, id = -1;
  check(WEIR_NETCDF(nc_inq_format)(file, &format), "the format");
  check(make_shadow(path, format == NC_FORMAT_NETCDF4_CLASSIC, &id), "the file");
  try {
    PackedOptions options = Copy(file, id).copy();
    check(WEIR_NETCDF(nc_enddef)(id), "the definitions");
    return {id, std::move(options)};
  } catch (...) {
    static_cast<void>(WEIR_NETCDF(nc_abort)(id));
    throw;
  }
}

void add_definitions(int from, int to, const PackedOptions& options, int end) {
  static_cast<void>(Copy(from, to, &options).copy(end));
}

bool DefinitionShadow::classic_model() const noexcept {
  return (mode_ & NC_CLASSIC_MODEL) != 0;
}

void DefinitionShadow::enter_define(bool defining) noexcept {
  defining_ = defining;
  defined_ = defined_ || !defining;
  if (!defining) static_cast<void>(WEIR_NETCDF(nc_inq_nvars)(ncid_, &ended_variables_));
}

void DefinitionShadow::begin_change() noexcept {
  if (!classic_model()) defining_ = true;
}

int DefinitionShadow::end_for_data() {
  if (!defining_) return NC_NOERR;
  if (classic_model() && WEIR_NETCDF(nc_redef)(ncid_) == NC_EINDEFINE) return NC_EINDEFINE;
  return end_definitions();
}

int DefinitionShadow::end_definitions() {
  const int code = defining_ ? WEIR_NETCDF(nc_enddef)(ncid_) : NC_NOERR;
  if (code != NC_NOERR && code != NC_ENOTINDEFINE) return code;
  enter_define(false);
  return NC_NOERR;
}

// What netCDF says of it is of no use to the program: it misses a file to remove.
void DefinitionShadow::release(bool keep) noexcept {
  static_cast<void>(keep ? WEIR_NETCDF(nc_close)(ncid_) : WEIR_NETCDF(nc_abort)(ncid_));
}

}  // namespace weir::bridge
