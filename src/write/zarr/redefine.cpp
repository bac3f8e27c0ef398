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
  folder.add_arrays(new_folders(wanted.before, wanted.after, first));
  folder.publish({}, std::move(documents)).raise();
}

}  // namespace weir
