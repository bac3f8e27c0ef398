// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_key.hpp"

#include <algorithm>

#include "plan/chunk_grid.hpp"

namespace weir {

PlanPlace place_of(const PlacedRecord& what, const Owning& own, const CutRule& cuts) {
  const Owners& owners = own.owners;
  const Spread spread{what.elements * what.element_bytes, owners.bundle_bytes, std::ssize(owners.ranks), owners.hosts,
                      std::max<std::int64_t>(1, granules_in(cuts.granule, what.elements))};
  const FilePlace in_file = place_in_file(what.file, what.variable, what.is_record, what.number);
  return plan_place(own.strategy, spread, in_file, cuts);
}

PlanRequest request_of(const PlanKey& key, const Layout& layout, const Owners& owners) {
  PlanRequest request = request_at(key.place, key.element_bytes, owners.bundle_bytes);
  request.shape = layout.shape();
  request.flat = layout.flat();
  request.cover = key.cover;
  request.read = key.read;
  request.writers = owners.ranks;
  request.hosts = owners.hosts;
  return request;
}

}  // namespace weir
