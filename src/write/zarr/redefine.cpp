// SPDX-License-Identifier: Apache-2.0
#include "write/redefine.hpp"

#include "write/zarr/folder.hpp"
#include "write/zarr/groups.hpp"

namespace weir {

void redefine_zarr(const Redefinition& wanted, const StoredTables& tables, const std::vector<ZarrArray>& arrays) {
  ZarrFolder folder(wanted.path, tables, wanted.durability);
  std::vector<ZarrDocument> documents =
      folder.texts().with_definitions(wanted.before, wanted.after, arrays, tables.records);
  const int first = static_cast<int>(wanted.before.variables().size());
  std::vector<std::string> folders = new_folders(wanted.before, wanted.after, first);
  // Groups that hold nothing, or nothing that Weir takes, are not in `before`.
  std::erase_if(folders, [&](const std::string& name) {
    return wanted.after.find_variable(name) < 0 && folder.texts().has_group(name);
  });
  folder.add_arrays(folders);
  folder.publish({}, std::move(documents)).raise();
}

}  // namespace weir
