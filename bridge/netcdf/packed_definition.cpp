// SPDX-License-Identifier: Apache-2.0
#include "netcdf/packed_definition.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "netcdf/front.hpp"
#include "write/netcdf4/metadata.hpp"
#include "write/packing/filter.hpp"

namespace weir::bridge {

namespace {

void check(int code, const char* what) {
  require(code == NC_NOERR, WEIR_EFORMAT,
          [&] { return std::string("netCDF does not tell ") + what + ": " + WEIR_NETCDF(nc_strerror)(code); });
}

using Name = std::array<char, NC_MAX_NAME + 1>;

void add_dimensions(int ncid, Schema& schema) {
  int count = 0, unlimited = -1;
  check(WEIR_NETCDF(nc_inq)(ncid, &count, nullptr, nullptr, &unlimited), "the dimensions");
  for (int dim = 0; dim < count; ++dim) {
    Name name{};
    std::size_t length = 0;
    check(WEIR_NETCDF(nc_inq_dim)(ncid, dim, name.data(), &length), "a dimension");
    schema.add_dimension(name.data(), dim == unlimited ? 0 : static_cast<std::int64_t>(length));
  }
}

// netCDF 4.9.0 keeps a fill value that it has refused.
bool is_possible(const Variable& variable, std::string_view name, nc_type type, std::size_t length) {
  return name != "_FillValue" || (type == variable.type && length == 1);
}

void add_attributes(int ncid, int var, bool quantized, Schema& schema) {
  int count = 0;
  check(var == NC_GLOBAL ? WEIR_NETCDF(nc_inq_natts)(ncid, &count) : WEIR_NETCDF(nc_inq_varnatts)(ncid, var, &count),
        "the attributes");
  for (int number = 0; number < count; ++number) {
    Name name{};
    nc_type type = NC_NAT;
    std::size_t length = 0;
    check(WEIR_NETCDF(nc_inq_attname)(ncid, var, number, name.data()), "an attribute");
    if (quantized && is_quantizes(name.data())) continue;
    check(WEIR_NETCDF(nc_inq_att)(ncid, var, name.data(), &type, &length), "an attribute");
    if (type >= NC_STRING) continue;  // of a file that was there before
    if (var != NC_GLOBAL && !is_possible(schema.variable(var), name.data(), type, length)) continue;
    const auto external = static_cast<Type>(type);
    std::vector<std::byte> values(length * static_cast<std::size_t>(type_bytes(external)) + 1);
    check(WEIR_NETCDF(nc_get_att)(ncid, var, name.data(), values.data()), "an attribute");
    schema.put_attribute(var == NC_GLOBAL ? WEIR_GLOBAL : var, name.data(), external, static_cast<std::int64_t>(length),
                         values.data());
  }
}

void set_chunk(int ncid, int var, Schema& schema) {
  int storage = NC_CONTIGUOUS;
  std::vector<std::size_t> chunk(schema.variable(var).dims.size());
  check(WEIR_NETCDF(nc_inq_var_chunking)(ncid, var, &storage, chunk.data()), "the chunks");
  if (storage == NC_CHUNKED) schema.set_chunk(var, std::vector<std::int64_t>(chunk.begin(), chunk.end()));
}

void set_filters(int ncid, int var, Schema& schema) {
  int shuffle = 0, deflate = 0, level = 0, fletcher32 = 0;
  check(WEIR_NETCDF(nc_inq_var_deflate)(ncid, var, &shuffle, &deflate, &level), "the compression");
  check(WEIR_NETCDF(nc_inq_var_fletcher32)(ncid, var, &fletcher32), "the check sums");
  schema.set_shuffle(var, shuffle != 0);
  if (deflate != 0) schema.set_deflate(var, level);
  schema.set_fletcher32(var, fletcher32 != 0);
  std::size_t count = 0;
  unsigned parameters[8] = {};
  if (WEIR_NETCDF(nc_inq_var_filter_info)(ncid, var, zstd_filter, &count, nullptr) != NC_NOERR || count != 1) return;
  check(WEIR_NETCDF(nc_inq_var_filter_info)(ncid, var, zstd_filter, &count, parameters), "the compression");
  schema.set_zstd(var, static_cast<int>(parameters[0]));
}

void set_quantization(int ncid, int var, Schema& schema) {
  int mode = 0, digits = 0;
  check(WEIR_NETCDF(nc_inq_var_quantize)(ncid, var, &mode, &digits), "the quantization");
  if (mode != NC_NOQUANTIZE) schema.set_quantization(var, Quantization{static_cast<QuantizeKind>(mode), digits});
}

void add_variable(int ncid, int var, const PackedWishes& wishes, Schema& schema) {
  Name name{};
  nc_type type = NC_NAT;
  int ndims = 0;
  check(WEIR_NETCDF(nc_inq_varndims)(ncid, var, &ndims), "a variable");
  std::vector<int> dims(static_cast<std::size_t>(ndims));
  check(WEIR_NETCDF(nc_inq_var)(ncid, var, name.data(), &type, nullptr, dims.data(), nullptr), "a variable");
  schema.add_variable(name.data(), static_cast<Type>(type), dims);
  add_attributes(ncid, var, wishes.quantized.contains(var), schema);
  if (ndims == 0) return;
  if (wishes.chunked.contains(var)) set_chunk(ncid, var, schema);
  set_filters(ncid, var, schema);
  if (wishes.quantized.contains(var)) set_quantization(ncid, var, schema);
}

}  // namespace

bool is_quantizes(std::string_view name) noexcept {
  return name.starts_with("_Quantize");
}

DefinedFile packed_definition_of(int ncid, const PackedWishes& wishes) {
  DefinedFile defined;
  defined.geometry.format = netcdf4_format;
  int count = 0;
  add_dimensions(ncid, defined.schema);
  add_attributes(ncid, NC_GLOBAL, false, defined.schema);
  const int marked = 1;
  if (wishes.classic_model && wishes.quantized.empty())  // netCDF 4.9.0 does not make both
    defined.schema.put_attribute(WEIR_GLOBAL, classic_model_mark, WEIR_INT, 1, &marked);
  check(WEIR_NETCDF(nc_inq_nvars)(ncid, &count), "the variables");
  for (int var = 0; var < count; ++var) add_variable(ncid, var, wishes, defined.schema);
  return defined;
}

int find_packed_variable(int ncid, int var, PackedVariable& variable) {
  int ndims = 0, unlimited = -1;
  nc_type type = NC_NAT;
  int code = WEIR_NETCDF(nc_inq_var)(ncid, var, nullptr, &type, &ndims, nullptr, nullptr);
  if (code == NC_NOERR) code = WEIR_NETCDF(nc_inq_unlimdim)(ncid, &unlimited);
  std::vector<int> dims(static_cast<std::size_t>(ndims));
  if (code == NC_NOERR) code = WEIR_NETCDF(nc_inq_vardimid)(ncid, var, dims.data());
  variable = {static_cast<Type>(type), !dims.empty() && dims[0] == unlimited, {}};
  for (const int dim : dims) {
    std::size_t length = 0;
    if (code == NC_NOERR) code = WEIR_NETCDF(nc_inq_dimlen)(ncid, dim, &length);
    variable.shape.push_back(static_cast<std::int64_t>(length));
  }
  return code;
}

std::vector<std::size_t> default_chunk_of(const PackedVariable& variable) {
  if (variable.shape.empty()) return {};
  const IndexView shape = IndexView(variable.shape).subspan(variable.record ? 1 : 0);
  const std::vector<std::int64_t> chunk = default_chunk(shape, type_bytes(variable.type));
  std::vector<std::size_t> lengths(chunk.begin(), chunk.end());
  if (variable.record) lengths.insert(lengths.begin(), 1);
  return lengths;
}

}  // namespace weir::bridge
