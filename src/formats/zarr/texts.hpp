// SPDX-License-Identifier: Apache-2.0
// The texts of an existing Zarr folder, of any origin: zarr.json of the group, whose consolidated metadata hold those
// of all arrays. They stay as they are but for the lengths of arrays that have records. Pure, Local.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "formats/zarr/array.hpp"
#include "formats/zarr/documents.hpp"
#include "plan/box.hpp"
#include "schema/schema.hpp"

namespace weir {

class ZarrTexts {
 public:
  using Json = nlohmann::ordered_json;

  // `text`: the group's; `record`: the dimension that has records, "" where none has. Throws Error(WEIR_EFORMAT), with
  // what to do, where it has no consolidated metadata: they are by what a commit counts.
  ZarrTexts(const std::string& path, std::string_view text, std::string record);

  // In their order; those in groups too, by their paths.
  std::vector<std::string> arrays() const;
  // Of arrays and groups, by their paths.
  const Json& all() const { return group_.at("consolidated_metadata").at("metadata"); }
  const Json& of(const std::string& name) const { return all().at(name); }
  bool has_group(const std::string& name) const;
  bool has_records(const std::string& name) const { return grows(name, of(name)); }
  Shape lengths(const std::string& name) const { return of(name).at("shape").get<Shape>(); }
  // Those that are others with so many records; the group's comes last.
  std::vector<ZarrDocument> with_records(std::int64_t records) const;
  // The same where the folder, which has the definitions `before`, gets those of `after` too; arrays: of `after`.
  // Throws Error(WEIR_EARGUMENT) on a text that is not UTF-8.
  std::vector<ZarrDocument> with_definitions(const Schema& before, const Schema& after,
                                             const std::vector<ZarrArray>& arrays, std::int64_t records) const;

 private:
  bool grows(const std::string& name, const Json& array) const;

  Json group_;
  std::string record_;
};

}  // namespace weir
