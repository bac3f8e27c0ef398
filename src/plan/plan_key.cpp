// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_key.hpp"

#include <algorithm>

#include "plan/chunk_grid.hpp"

namespace weir {

PlanPlace place_of(const PlacedRecord& what, const Owning& own, const CutRule& cuts) {
  const Spread spread{what.elements * what.element_bytes, own.bundle_bytes, std::ssize(own.owners), own.hosts,
                      std::max<std::int64_t>(1, granules_in(cuts.granule, what.elements))};
  const FilePlace in_file = place_in_file(what.file, what.variable, what.is_record, what.number);
  return plan_place(own.strategy, spread, in_file, cuts);
}

PlanRequest request_of(const PlanKey& key, const Layout& layout, const Owning& own) {
  PlanRequest request = request_at(key.place, key.element_bytes, own.bundle_bytes);
  request.shape = layout.shape();
  request.flat = layout.flat();
  request.cover = key.cover;
  request.read = key.read;
  request.writers = own.owners;
  request.hosts = own.hosts;
  return request;
}

}  // namespace weir
