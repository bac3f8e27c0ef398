// SPDX-License-Identifier: Apache-2.0
// The texts (zarr.json) of a Zarr folder, version 3, as Weir writes them: of groups, arrays and data types.
// zarr/texts.hpp has those of an existing folder. Attributes are as xarray writes them. Pure, Local.
#pragma once

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/zarr/array.hpp"
#include "schema/schema.hpp"
#include "schema/types.hpp"

namespace weir {

// Returns the groups in the names of a schema: "ice", "ice/snow", each before those inside it.
// Errors: WEIR_EARGUMENT if a variable has the same name.
std::vector<std::string> groups_of(const Schema& schema);

// Returns the folders of groups that `before` does not have, and of the variables from number `first` on, each after
// the folder that it is in.
// Errors: as groups_of().
std::vector<std::string> new_folders(const Schema& before, const Schema& after, int first);

constexpr int zarr_indent = 1;
constexpr const char* zarr_metadata_name = "zarr.json";  // of an array, and of a group

// Returns zarr.json of an array.
// Errors: WEIR_EARGUMENT for a text that is not UTF-8, as the next function.
nlohmann::ordered_json array_document(const Schema& schema, int var, const ZarrArray& array, std::int64_t records);
// Returns an attribute of a variable, or of the file (WEIR_GLOBAL); null if it is not written.
nlohmann::ordered_json attribute_document(const Schema& schema, int var, const Attribute& attribute);
// Returns zarr.json of a group, without its contents; "": of the folder itself.
nlohmann::ordered_json group_document(const Schema& schema, const std::string& group);
// Returns what JSON and Zarr do not say, for Weir as a reader; other readers ignore it.
nlohmann::ordered_json told_to_weir(const Schema& schema);

// Zarr's names of netCDF's types. Text is zarr-python's type null_terminated_bytes of one byte, which has no
// specification.
constexpr std::string_view zarr_text_type = "null_terminated_bytes";
constexpr std::string_view zarr_type_names[] = {"int8",  zarr_text_type, "int16",  "int32", "float32", "float64",
                                                "uint8", "uint16",       "uint32", "int64", "uint64",  "string"};

constexpr std::string_view zarr_type_name(Type type) {
  return zarr_type_names[type - WEIR_BYTE];
}

// nullopt: not a type of netCDF's.
constexpr std::optional<Type> zarr_type(std::string_view name) {
  const auto* const found = std::find(std::begin(zarr_type_names), std::end(zarr_type_names), name);
  if (found == std::end(zarr_type_names)) return std::nullopt;
  return static_cast<Type>(WEIR_BYTE + (found - std::begin(zarr_type_names)));
}

// A text, and its folder inside the Zarr folder; "": that folder itself.
struct ZarrDocument {
  std::string folder, text;
};

// Returns all texts for `records` records: of each array, and last of the group, which repeats the others (consolidated
// metadata).
// Errors: WEIR_EARGUMENT for a text that is not UTF-8.
std::vector<ZarrDocument> zarr_documents(const Schema& schema, const std::vector<ZarrArray>& arrays,
                                         std::int64_t records);

}  // namespace weir
