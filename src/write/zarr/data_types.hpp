// SPDX-License-Identifier: Apache-2.0
// Zarr's names of netCDF's types. Text is zarr-python's type null_terminated_bytes of one byte, which has no
// specification. Pure.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "schema/types.hpp"

namespace weir {

constexpr std::string_view zarr_text_type = "null_terminated_bytes";
constexpr std::string_view zarr_type_names[] = {"int8",  zarr_text_type, "int16",  "int32", "float32", "float64",
                                                "uint8", "uint16",       "uint32", "int64", "uint64",  "string"};

constexpr std::string_view zarr_type_name(Type type) {
  return zarr_type_names[type - WEIR_BYTE];
}

// nullopt: no type of netCDF's.
constexpr std::optional<Type> zarr_type(std::string_view name) {
  const auto* const found = std::find(std::begin(zarr_type_names), std::end(zarr_type_names), name);
  if (found == std::end(zarr_type_names)) return std::nullopt;
  return static_cast<Type>(WEIR_BYTE + (found - std::begin(zarr_type_names)));
}

}  // namespace weir
