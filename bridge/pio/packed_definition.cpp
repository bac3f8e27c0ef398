// SPDX-License-Identifier: Apache-2.0
#include "pio/packed_definition.hpp"

#include <pnetcdf.h>

#include <array>
#include <string>
#include <string_view>

#include "base/spelling.hpp"
#include "pio/original_calls.hpp"
#include "write/netcdf4/metadata.hpp"

namespace weir::bridge {

namespace {

constexpr int most_dimensions = 1024;  // netCDF's NC_MAX_VAR_DIMS

void check(int code, const char* what) {
  require(code == NC_NOERR, WEIR_EFORMAT,
          [&] { return std::string("PIO does not tell ") + what + ": its code is " + std::to_string(code); });
}

using Name = std::array<char, NC_MAX_NAME + 1>;

bool is_quantizes(std::string_view name) {
  return name.starts_with("_Quantize");
}

void add_dimensions(int number, int count, int unlimited, Schema& schema) {
  for (int dim = 0; dim < count; ++dim) {
    Name name{};
    MPI_Offset length = 0;
    check(WEIR_PIO(PIOc_inq_dim)(number, dim, name.data(), &length), "a dimension");
    schema.add_dimension(name.data(), dim == unlimited ? 0 : length);
  }
}

void add_attributes(int number, int var, int count, bool quantized, Schema& schema) {
  for (int i = 0; i < count; ++i) {
    Name name{};
    int type = 0;
    MPI_Offset length = 0;
    check(WEIR_PIO(PIOc_inq_attname)(number, var, i, name.data()), "an attribute");
    if (quantized && is_quantizes(name.data())) continue;  // Weir says so itself
    check(WEIR_PIO(PIOc_inq_att)(number, var, name.data(), &type, &length), "an attribute");
    require(type >= WEIR_BYTE && type <= WEIR_UINT64, WEIR_EFORMAT,
            "attribute " + in_quotes(name.data()) + " is of a type that Weir does not write");
    const auto external = static_cast<Type>(type);
    std::vector<std::byte> values(static_cast<std::size_t>(length * type_bytes(external) + 1));
    check(WEIR_PIO(PIOc_get_att)(number, var, name.data(), values.data()), "an attribute");
    schema.put_attribute(var == NC_GLOBAL ? WEIR_GLOBAL : var, name.data(), external, length, values.data());
  }
}

void set_storage(int var, const StorageWishes& wishes, Schema& schema) {
  require(!wishes.foreign, WEIR_EFORMAT,
          "variable " + in_quotes(schema.variable(var).name) +
              " has a filter, or an order of bytes, that Weir does not write; leave it out, or leave the file to PIO "
              "by files: {NAME: off}");
  const Storage& storage = wishes.storage;
  if (!storage.any() || schema.variable(var).dims.empty()) return;
  if (!storage.chunk.empty()) schema.set_chunk(var, storage.chunk);
  schema.set_shuffle(var, storage.shuffle);
  schema.set_deflate(var, storage.deflate_level);
  schema.set_zstd(var, storage.zstd_level);
  schema.set_quantization(var, storage.quantization);
}

void add_variable(int number, int var, const std::map<int, StorageWishes>& wishes, Schema& schema) {
  Name name{};
  int type = 0, ndims = 0, attributes = 0;
  std::vector<int> dims(most_dimensions);
  check(WEIR_PIO(PIOc_inq_var)(number, var, name.data(), &type, &ndims, dims.data(), &attributes), "a variable");
  require(type >= WEIR_BYTE && type <= WEIR_UINT64, WEIR_EFORMAT,
          "variable " + in_quotes(name.data()) + " is of a type that Weir does not write");
  dims.resize(static_cast<std::size_t>(ndims));
  schema.add_variable(name.data(), static_cast<Type>(type), dims);
  const auto wished = wishes.find(var);
  const bool quantized = wished != wishes.end() && wished->second.storage.quantization;
  add_attributes(number, var, attributes, quantized, schema);
  if (wished != wishes.end()) set_storage(var, wished->second, schema);
}

}  // namespace

Schema packed_schema_of(int number, const std::map<int, StorageWishes>& wishes, bool classic_model) {
  Schema schema;
  int dims = 0, vars = 0, attributes = 0, unlimited = -1, all_unlimited = 0;
  check(WEIR_PIO(PIOc_inq)(number, &dims, &vars, &attributes, &unlimited), "what is defined");
  check(WEIR_PIO(PIOc_inq_unlimdims)(number, &all_unlimited, nullptr), "what is unlimited");
  require(all_unlimited < 2, WEIR_EFORMAT, "it has more than one unlimited dimension, and Weir writes one");
  add_dimensions(number, dims, unlimited, schema);
  add_attributes(number, NC_GLOBAL, attributes, false, schema);
  bool quantized = false;
  for (const auto& [var, wished] : wishes) quantized = quantized || wished.storage.quantization;
  const int marked = 1;
  if (classic_model && !quantized)  // netCDF 4.9.0 does not make both
    schema.put_attribute(WEIR_GLOBAL, classic_model_mark, WEIR_INT, 1, &marked);
  for (int var = 0; var < vars; ++var) add_variable(number, var, wishes, schema);
  return schema;
}

}  // namespace weir::bridge
