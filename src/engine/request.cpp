// SPDX-License-Identifier: Apache-2.0
#include "engine/request.hpp"

#include "formats/output_file.hpp"

namespace weir {

RangeFailure stage(const Cycle& cycle, const Entry& entry, const Buffer& buffer, Staging& staging, const Reach& reach) {
  const StoreHint store_hint = entry.file->past_page_cache() ? StoreHint::streaming : StoreHint::cached;
  RangeFailure failure;
  std::int64_t packed = entry.reservation.packed;
  for (const Outgoing& out : entry.steps().outgoing) {
    if (!is_packed(cycle, out.owner, reach)) {
      const Slot holder = cycle.holder(out.owner);
      std::byte* tile = staging.tile(reach.number(holder.rank), holder.tile_buffer, entry.reservation.tile);
      failure.merge(encode(out.to_tile, buffer.values, buffer.memory_type, tile, buffer.external_type, entry.fill,
                           store_hint, entry.file->infinities));
    } else {
      std::byte* message = staging.packed(packed);
      failure.merge(encode(out.to_packed, buffer.values, buffer.memory_type, message, buffer.external_type, entry.fill,
                           StoreHint::cached, entry.file->infinities));
      packed += out.count * entry.plan->element_bytes;
    }
  }
  return failure;
}

}  // namespace weir
