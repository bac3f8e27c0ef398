// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/groups.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "schema/name.hpp"
#include "write/zarr/array.hpp"

namespace weir {

namespace {

void add_groups_of(std::string_view path, std::vector<std::string>& groups) {
  for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1))
    if (std::find(groups.begin(), groups.end(), path.substr(0, end)) == groups.end())
      groups.emplace_back(path.substr(0, end));
}

}  // namespace

std::vector<std::string> groups_of(const Schema& schema) {
  std::vector<std::string> groups;
  for (const Dimension& dimension : schema.dimensions()) add_groups_of(dimension.name, groups);
  for (const Variable& variable : schema.variables()) add_groups_of(variable.name, groups);
  for (const Attribute& attribute : schema.attributes(WEIR_GLOBAL)) add_groups_of(attribute.name, groups);
  for (const std::string& group : groups) {
    check_zarr_name("group", group);
    require(schema.find_variable(group) < 0, WEIR_EARGUMENT,
            [&] { return in_quotes(group) + " is a variable and a group, and both would be one folder; rename one"; });
  }
  return groups;
}

std::vector<std::string> new_folders(const Schema& before, const Schema& after, int first) {
  const std::vector<std::string> there = groups_of(before);
  std::vector<std::string> folders;
  for (const std::string& group : groups_of(after))
    if (std::find(there.begin(), there.end(), group) == there.end()) folders.push_back(group);
  for (int var = first; var < static_cast<int>(after.variables().size()); ++var)
    folders.push_back(after.variable(var).name);
  return folders;
}

}  // namespace weir
