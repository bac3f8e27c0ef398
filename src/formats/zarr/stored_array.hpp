// SPDX-License-Identifier: Apache-2.0
// Reads the text (zarr.json) of an array of an existing Zarr folder, and its values in JSON. zarr/stored_tables.hpp
// uses it. Pure, Local. Source: the Zarr core specification, version 3.1, its codecs bytes, gzip, zstd, blosc, crc32c
// and sharding_indexed, and its chunk key encodings.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "formats/stored_array.hpp"
#include "formats/zarr/stored_texts.hpp"
#include "schema/types.hpp"

namespace weir {

using Json = nlohmann::ordered_json;

// Returns a number, or a list of numbers, as elements in native byte order, also from the strings for values that JSON
// cannot express; nullopt if one is not of this type.
std::optional<std::vector<std::byte>> elements_of(const Json& value, Type type);
// Returns the fill_value of an array of this type.
std::optional<ExternalValue> fill_of(const Json& value, Type type);

// One array, as its zarr.json describes it.
struct ZarrVariable {
  std::string name;
  std::string refused = {};  // why Weir does not support it, in words that follow "but"; "" if it does
  Type type = WEIR_BYTE;
  std::optional<ZarrStrings> texts = {};  // if its elements are strings
  std::vector<std::string> dims = {};
  StoredArray array = {};
  Json attributes = {};
};

ZarrVariable zarr_variable(const std::string& name, const Json& document);

}  // namespace weir
