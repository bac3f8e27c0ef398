// SPDX-License-Identifier: Apache-2.0
// The texts (zarr.json) of a Zarr folder: groups, arrays, data types. Pure, Local.
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

// Groups within a Zarr folder, as the names of a schema have them. Pure, Local.

// "ice", "ice/snow": each before those that it holds. Throws Error(WEIR_EARGUMENT) where a variable is called so too.
std::vector<std::string> groups_of(const Schema& schema);

// The folders of groups that `before` has not, and those of the variables from number `first` on, each after the folder
// that it is in. Throws as groups_of.
std::vector<std::string> new_folders(const Schema& before, const Schema& after, int first);

// Builds parts of the texts of a Zarr folder (documents.hpp, texts.hpp). Pure, Local.

constexpr int zarr_indent = 1;
constexpr const char* zarr_metadata_name = "zarr.json";  // of an array, and of a group

// zarr.json of an array. Throws Error(WEIR_EARGUMENT) on a text that is not UTF-8, as the next does.
nlohmann::ordered_json array_document(const Schema& schema, int var, const ZarrArray& array, std::int64_t records);
// An attribute of a variable, or of the file (WEIR_GLOBAL); null of one that is not written.
nlohmann::ordered_json attribute_document(const Schema& schema, int var, const Attribute& attribute);
// zarr.json of a group, without what it holds; "": of the folder itself.
nlohmann::ordered_json group_document(const Schema& schema, const std::string& group);
// What JSON and Zarr do not tell, for Weir that reads: other readers pass over it.
nlohmann::ordered_json told_to_weir(const Schema& schema);

// Zarr's names of netCDF's types. Text is zarr-python's type null_terminated_bytes of one byte, which has no
// specification. Pure.

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

// The texts of a Zarr folder, version 3: zarr.json of each array and that of the group, which repeats the others
// (consolidated metadata). Attributes are as xarray writes them. Pure, Local.

// A text of the folder `folder` in the file's own; "": of that itself.
struct ZarrDocument {
  std::string folder, text;
};

// With so many records; the group's comes last. Throws Error(WEIR_EARGUMENT) on a text that is not UTF-8.
std::vector<ZarrDocument> zarr_documents(const Schema& schema, const std::vector<ZarrArray>& arrays,
                                         std::int64_t records);

}  // namespace weir
