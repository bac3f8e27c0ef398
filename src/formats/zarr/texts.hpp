// SPDX-License-Identifier: Apache-2.0
// The texts of an existing Zarr folder, of any origin: zarr.json of the group, whose consolidated metadata have those
// of all arrays. A commit changes only the lengths of arrays with records. zarr/folder.hpp writes them. Pure, Local.
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

  // `text`: the group's; `record`: the dimension with records, "" if there is none.
  // Errors: WEIR_EFORMAT if it has no consolidated metadata, by which a commit counts; says what to do.
  ZarrTexts(const std::string& path, std::string_view text, std::string record);

  // Returns the arrays in their order, those in groups by their paths.
  std::vector<std::string> arrays() const;
  // The texts of arrays and groups, by path.
  const Json& all() const { return group_.at("consolidated_metadata").at("metadata"); }
  const Json& of(const std::string& name) const { return all().at(name); }
  bool has_group(const std::string& name) const;
  bool has_records(const std::string& name) const { return grows(name, of(name)); }
  Shape lengths(const std::string& name) const { return of(name).at("shape").get<Shape>(); }
  // Returns the texts that change with this number of records, the group's last.
  std::vector<ZarrDocument> with_records(std::int64_t records) const;
  // Takes the texts with so many records for those that are there.
  void go_back(std::int64_t records);
  // As with_records(), for a folder that gets the definitions of `after` in addition to those of `before`. `arrays`: of
  // `after`.
  // Errors: WEIR_EARGUMENT for a text that is not UTF-8.
  std::vector<ZarrDocument> with_definitions(const Schema& before, const Schema& after,
                                             const std::vector<ZarrArray>& arrays, std::int64_t records) const;

 private:
  bool grows(const std::string& name, const Json& array) const;

  Json group_;
  std::string record_;
};

}  // namespace weir
