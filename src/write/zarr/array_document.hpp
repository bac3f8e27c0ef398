// SPDX-License-Identifier: Apache-2.0
// Builds parts of the texts of a Zarr folder (documents.hpp, texts.hpp). Pure, Local.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "schema/schema.hpp"
#include "write/zarr/array.hpp"

namespace weir {

constexpr int zarr_indent = 1;

// zarr.json of an array. Throws Error(WEIR_EARGUMENT) on a text that is not UTF-8, as the next does.
nlohmann::ordered_json array_document(const Schema& schema, int var, const ZarrArray& array, std::int64_t records);
// An attribute of a variable, or of the file (WEIR_GLOBAL); null of one that is not written.
nlohmann::ordered_json attribute_document(const Schema& schema, int var, const Attribute& attribute);
// zarr.json of a group, without what it holds; "": of the folder itself.
nlohmann::ordered_json group_document(const Schema& schema, const std::string& group);
// What JSON and Zarr do not tell, for Weir that reads: other readers pass over it.
nlohmann::ordered_json told_to_weir(const Schema& schema);

}  // namespace weir
