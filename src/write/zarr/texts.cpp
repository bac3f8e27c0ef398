// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/texts.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "write/zarr/array_document.hpp"

namespace weir {

namespace {

using Json = ZarrTexts::Json;

bool is_array(const std::string& name, const Json& document) {
  return name.find('/') == std::string::npos && document.value("node_type", std::string()) == "array";
}

// Attributes that are not in `before`. Whether there are any.
bool add_attributes(const Schema& before, const Schema& after, int var, Json& document) {
  const auto& there = before.attributes(var);
  bool any = false;
  for (const Attribute& attribute : after.attributes(var)) {
    if (std::find(there.begin(), there.end(), attribute) != there.end()) continue;
    document["attributes"][attribute.name] = attribute_document(after, var, attribute);
    any = true;
  }
  return any;
}

// Along dimensions that are longer now. Whether there are any.
bool add_lengths(const Schema& after, int var, Json& document) {
  const std::vector<int>& dims = after.variable(var).dims;
  bool any = false;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const Dimension& dimension = after.dimensions()[static_cast<std::size_t>(dims[d])];
    Json& length = document.at("shape").at(d);
    if (!dimension.grows || length == dimension.length) continue;
    length = dimension.length;
    any = true;
  }
  return any;
}

}  // namespace

ZarrTexts::ZarrTexts(const std::string& path, std::string_view text, std::string record)
    : group_(Json::parse(text, nullptr, false)), record_(std::move(record)) {
  require(group_.is_object(), WEIR_EFORMAT, [&] { return in_quotes(path) + " has a zarr.json that is no JSON"; });
  const Json consolidated = group_.value("consolidated_metadata", Json());
  require(consolidated.is_object() && consolidated.contains("metadata"), WEIR_EFORMAT, [&] {
    return in_quotes(path) +
           " has no consolidated metadata, by which Weir commits records: make them (zarr.consolidate_metadata), and "
           "open it again";
  });
}

std::vector<std::string> ZarrTexts::arrays() const {
  std::vector<std::string> names;
  for (const auto& [name, document] : all().items())
    if (is_array(name, document)) names.push_back(name);
  return names;
}

bool ZarrTexts::grows(const Json& array) const {
  const Json names = array.value("dimension_names", Json());
  return !record_.empty() && names.is_array() && !names.empty() && names.at(0) == record_;
}

std::vector<ZarrDocument> ZarrTexts::with_records(std::int64_t records) const {
  std::vector<ZarrDocument> documents;
  Json group = group_;
  for (auto& [name, document] : group.at("consolidated_metadata").at("metadata").items()) {
    if (!is_array(name, document) || !grows(document) || document.at("shape").at(0) == records) continue;
    document["shape"][0] = records;
    documents.push_back({name, document.dump(zarr_indent)});
  }
  if (!documents.empty()) documents.push_back({"", group.dump(zarr_indent)});
  return documents;
}

std::vector<ZarrDocument> ZarrTexts::with_definitions(const Schema& before, const Schema& after,
                                                      const std::vector<ZarrArray>& arrays,
                                                      std::int64_t records) const {
  std::vector<ZarrDocument> documents;
  Json group = group_;
  Json& consolidated = group.at("consolidated_metadata");
  add_attributes(before, after, WEIR_GLOBAL, group);
  for (int var = 0; var < static_cast<int>(after.variables().size()); ++var) {
    const std::string& name = after.variable(var).name;
    Json& document = consolidated.at("metadata")[name];
    const bool is_new = var >= std::ssize(before.variables());
    if (is_new) document = array_document(after, var, arrays[static_cast<std::size_t>(var)], records);
    bool changed = is_new || add_attributes(before, after, var, document);
    changed = add_lengths(after, var, document) || changed;
    if (changed) documents.push_back({name, document.dump(zarr_indent)});
  }
  if (consolidated.contains("weir")) consolidated["weir"] = told_to_weir(after);
  if (group != group_) documents.push_back({"", group.dump(zarr_indent)});
  return documents;
}

}  // namespace weir
