// SPDX-License-Identifier: Apache-2.0
// An array of a Zarr folder that is there, and its values in JSON. Pure, Local.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "formats/stored_array.hpp"
#include "formats/zarr/stored_texts.hpp"
#include "schema/types.hpp"

namespace weir {

// Elements of netCDF's types in JSON: numbers, and the strings that stand for values that JSON cannot express as
// numbers. Pure, Local.

using Json = nlohmann::ordered_json;

// A number, or a list of them, as elements in this machine's byte order; nullopt where one is none of this type.
std::optional<std::vector<std::byte>> elements_of(const Json& value, Type type);
// A fill_value of an array of this type.
std::optional<ExternalValue> fill_of(const Json& value, Type type);

// One array of a Zarr folder, as its zarr.json tells of it. Source: the Zarr core specification, version 3.1, its
// codecs bytes, gzip, zstd, blosc, crc32c and sharding_indexed, and its chunk key encodings. Pure, Local.

struct ZarrVariable {
  std::string name;
  std::string refused = {};  // why Weir does not take it, in words that follow "but"; empty where it does
  Type type = WEIR_BYTE;
  std::optional<ZarrStrings> texts = {};  // its elements are strings
  std::vector<std::string> dims = {};
  StoredArray array = {};
  Json attributes = {};
};

ZarrVariable zarr_variable(const std::string& name, const Json& document);

}  // namespace weir
