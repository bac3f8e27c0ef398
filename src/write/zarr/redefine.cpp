// SPDX-License-Identifier: Apache-2.0
#include "write/redefine.hpp"

#include "write/zarr/folder.hpp"

namespace weir {

void redefine_zarr(const Redefinition& wanted, const StoredTables& tables, const std::vector<ZarrArray>& arrays) {
  ZarrFolder folder(wanted.path, tables, wanted.durability);
  std::vector<ZarrDocument> documents =
      folder.texts().with_definitions(wanted.before, wanted.after, arrays, tables.records);
  std::vector<std::string> names;
  for (std::size_t var = wanted.before.variables().size(); var < wanted.after.variables().size(); ++var)
    names.push_back(wanted.after.variables()[var].name);
  folder.add_arrays(names);
  folder.publish({}, std::move(documents)).raise();
}

}  // namespace weir
