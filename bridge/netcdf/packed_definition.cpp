// SPDX-License-Identifier: Apache-2.0
#include "netcdf/packed_definition.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "core/definition_walk.hpp"
#include "formats/chunked/filter.hpp"
#include "netcdf/front.hpp"
#include "schema/text_list.hpp"

namespace weir::bridge {

namespace {

struct NetcdfDefinitions {
  using Length = std::size_t;
  WEIR_DEFINITION_CALLS(WEIR_NETCDF, nc)
  static std::string refusal(const char* what, int code) {
    return formatted("netCDF does not report {}: {}", what, WEIR_NETCDF(nc_strerror)(code));
  }
  static std::vector<std::byte> texts_of(int ncid, int var, const char* name, std::size_t count) {
    std::vector<char*> texts(count);
    if (const int code = WEIR_NETCDF(nc_get_att_string)(ncid, var, name, texts.data()); code != NC_NOERR)
      throw Error(WEIR_EFORMAT, refusal("an attribute", code));
    const std::vector<std::byte> values = join_texts(std::vector<const char*>(texts.begin(), texts.end()));
    static_cast<void>(WEIR_NETCDF(nc_free_string)(count, texts.data()));
    return values;
  }
};

void require_told(int code, const char* what) {
  if (code != NC_NOERR) throw Error(WEIR_EFORMAT, NetcdfDefinitions::refusal(what, code));
}

// netCDF 4.9.0 keeps a fill value that it has refused.
bool is_possible(const Variable& variable, std::string_view name, nc_type type, std::int64_t length) {
  return name != "_FillValue" || (type == variable.type && length == 1);
}

void ask_chunk(int ncid, int var, std::size_t dims, Storage& storage) {
  int kind = NC_CONTIGUOUS;
  std::vector<std::size_t> chunk(dims);
  require_told(WEIR_NETCDF(nc_inq_var_chunking)(ncid, var, &kind, chunk.data()), "the chunks");
  if (kind == NC_CHUNKED) storage.chunk.assign(chunk.begin(), chunk.end());
}

void ask_filters(int ncid, int var, Storage& storage) {
  int shuffle = 0, deflate = 0, level = 0, fletcher32 = 0;
  require_told(WEIR_NETCDF(nc_inq_var_deflate)(ncid, var, &shuffle, &deflate, &level), "the compression");
  require_told(WEIR_NETCDF(nc_inq_var_fletcher32)(ncid, var, &fletcher32), "the check sums");
  storage.shuffle = shuffle != 0;
  if (deflate != 0) storage.deflate_level = level;
  storage.fletcher32 = fletcher32 != 0;
  std::size_t count = 0;
  unsigned parameters[8] = {};
  if (WEIR_NETCDF(nc_inq_var_filter_info)(ncid, var, zstd_filter, &count, nullptr) != NC_NOERR || count != 1) return;
  require_told(WEIR_NETCDF(nc_inq_var_filter_info)(ncid, var, zstd_filter, &count, parameters), "the compression");
  storage.zstd_level = static_cast<int>(parameters[0]);
}

void ask_quantization(int ncid, int var, Storage& storage) {
  int mode = 0, digits = 0;
  require_told(WEIR_NETCDF(nc_inq_var_quantize)(ncid, var, &mode, &digits), "the quantization");
  if (mode != NC_NOQUANTIZE) storage.quantization = Quantization{static_cast<QuantizeKind>(mode), digits};
}

void set_storage(int ncid, int var, const PackedOptions& options, Schema& schema) {
  const std::size_t dims = schema.variable(var).dims.size();
  if (dims == 0) return;
  Storage storage;
  if (options.chunked.contains(var)) ask_chunk(ncid, var, dims, storage);
  ask_filters(ncid, var, storage);
  if (options.quantized.contains(var)) ask_quantization(ncid, var, storage);
  schema.set_storage(var, std::move(storage));
}

}  // namespace

DefinedFile packed_definition_of(int ncid, const PackedOptions& options) {
  DefinedFile defined;
  defined.geometry.format = netcdf4_format;
  Schema& schema = defined.schema;
  DefinitionWalk<NetcdfDefinitions> walk(ncid, schema);
  walk.add_dimensions();
  walk.add_attributes([](std::string_view, int, std::int64_t) { return true; });
  if (options.classic_model && options.quantized.empty()) mark_classic_model(schema);
  if (options.scales_unattached) schema.leave_scales_unattached();
  for (int var = 0; var < walk.variables(); ++var) {
    const bool quantized = options.quantized.contains(var);
    const int count = walk.add_variable(var);
    walk.add_attributes(var, count, [&](std::string_view name, int type, std::int64_t length) {
      return !(quantized && is_quantizes(name)) && is_possible(schema.variable(var), name, type, length);
    });
    set_storage(ncid, var, options, schema);
  }
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
