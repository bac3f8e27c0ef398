// SPDX-License-Identifier: Apache-2.0
// One array of a Zarr folder, as its zarr.json tells of it. Source: the Zarr core specification, version 3.1, its
// codecs bytes, gzip, zstd, blosc, crc32c and sharding_indexed, and its chunk key encodings. Pure, Local.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read/zarr_texts.hpp"
#include "read/zarr_values.hpp"
#include "write/stored_array.hpp"

namespace weir {

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
