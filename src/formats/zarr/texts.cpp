// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/texts.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/zarr/documents.hpp"
#include "schema/name.hpp"

namespace weir {

namespace {

using Json = ZarrTexts::Json;

bool is_array(const Json& document) {
  return document.value("node_type", std::string()) == "array";
}

// Attributes that are not in `before`, of a variable or of the group of this prefix. Whether there are any.
bool add_attributes(const Schema& before, const Schema& after, int var, std::string_view prefix, Json& document) {
  const auto& there = before.attributes(var);
  bool any = false;
  for (const Attribute& attribute : after.attributes(var)) {
    if (group_prefix(attribute.name) != prefix) continue;
    if (std::find(there.begin(), there.end(), attribute) != there.end()) continue;
    document["attributes"][std::string(last_name(attribute.name))] = attribute_document(after, var, attribute);
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

// New ones, and those with new attributes. Its own text tells nothing of what a group holds.
void add_groups(const Schema& before, const Schema& after, Json& all, std::vector<ZarrDocument>& documents) {
  for (const std::string& name : groups_of(after)) {
    const bool is_new = !all.contains(name);
    Json& document = all[name];
    if (is_new) document = group_document(after, name);
    if (!is_new && !add_attributes(before, after, WEIR_GLOBAL, name + "/", document)) continue;
    Json own = document;
    own.erase("consolidated_metadata");
    documents.push_back({name, own.dump(zarr_indent)});
  }
}

}  // namespace

ZarrTexts::ZarrTexts(const std::string& path, std::string_view text, std::string record)
    : group_(Json::parse(text, nullptr, false)), record_(std::move(record)) {
  require(group_.is_object(), WEIR_EFORMAT, "\"{}\" has a zarr.json that is not valid JSON", path);
  const Json consolidated = group_.value("consolidated_metadata", Json());
  require(consolidated.is_object() && consolidated.contains("metadata"), WEIR_EFORMAT,
          "\"{}\" has no consolidated metadata, which Weir needs to commit records: create them "
          "(zarr.consolidate_metadata), and open it again",
          path);
}

std::vector<std::string> ZarrTexts::arrays() const {
  std::vector<std::string> names;
  for (const auto& [name, document] : all().items())
    if (is_array(document)) names.push_back(name);
  return names;
}

bool ZarrTexts::has_group(const std::string& name) const {
  return all().contains(name) && of(name).value("node_type", std::string()) == "group";
}

// In a group the name may be that of another dimension: Weir notes which it is.
bool ZarrTexts::grows(const std::string& name, const Json& array) const {
  if (record_.empty()) return false;
  const Json noted =
      group_.at("consolidated_metadata").value("weir", Json::object()).value("variable_dimensions", Json::object());
  if (noted.contains(name)) return !noted.at(name).empty() && noted.at(name).at(0) == record_;
  const Json names = array.value("dimension_names", Json());
  return names.is_array() && !names.empty() && names.at(0) == last_name(record_) &&
         name.starts_with(group_prefix(record_));
}

std::vector<ZarrDocument> ZarrTexts::with_records(std::int64_t records) const {
  std::vector<ZarrDocument> documents;
  Json group = group_;
  for (auto& [name, document] : group.at("consolidated_metadata").at("metadata").items()) {
    if (!is_array(document) || !grows(name, document) || document.at("shape").at(0) == records) continue;
    document["shape"][0] = records;
    documents.push_back({name, document.dump(zarr_indent)});
  }
  if (!documents.empty()) documents.push_back({"", group.dump(zarr_indent)});
  return documents;
}

void ZarrTexts::go_back(std::int64_t records) {
  for (auto& [name, document] : group_.at("consolidated_metadata").at("metadata").items())
    if (is_array(document) && grows(name, document)) document["shape"][0] = records;
}

std::vector<ZarrDocument> ZarrTexts::with_definitions(const Schema& before, const Schema& after,
                                                      const std::vector<ZarrArray>& arrays,
                                                      std::int64_t records) const {
  std::vector<ZarrDocument> documents;
  Json group = group_;
  Json& consolidated = group.at("consolidated_metadata");
  add_attributes(before, after, WEIR_GLOBAL, "", group);
  for (int var = 0; var < static_cast<int>(after.variables().size()); ++var) {
    const std::string& name = after.variable(var).name;
    Json& document = consolidated.at("metadata")[name];
    const bool is_new = var >= std::ssize(before.variables());
    if (is_new) document = array_document(after, var, arrays[static_cast<std::size_t>(var)], records);
    bool changed = is_new || add_attributes(before, after, var, "", document);
    changed = add_lengths(after, var, document) || changed;
    if (changed) documents.push_back({name, document.dump(zarr_indent)});
  }
  add_groups(before, after, consolidated.at("metadata"), documents);
  if (consolidated.contains("weir")) consolidated["weir"] = told_to_weir(after);
  if (group != group_) documents.push_back({"", group.dump(zarr_indent)});
  return documents;
}

}  // namespace weir
