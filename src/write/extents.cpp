// SPDX-License-Identifier: Apache-2.0
#include "write/extents.hpp"

#include <algorithm>

#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_fill_bytes = 1 << 20;  // of memory, seen by as many extents as it takes

}  // namespace

void Extents::add(const ReadyTile& tile, std::int64_t begin) {
  const std::int64_t size = tile.plan->element_bytes;
  for (const Stretch& stretch : tile.plan->rounds[tile.round].stretches)
    extents_.push_back({begin + stretch.element * size, stretch.count * size, tile.memory + stretch.at * size});
}

void Extents::set_fill(const ExternalValue& value, int element_bytes, std::int64_t count) {
  const std::int64_t held = std::min(count, most_fill_bytes / element_bytes);
  fill_.resize(static_cast<std::size_t>(held * element_bytes));
  fill_elements(fill_.data(), held, value, element_bytes);
}

void Extents::add_fill(std::int64_t begin, std::int64_t bytes) {
  const std::int64_t held = std::ssize(fill_);
  for (std::int64_t at = 0; at < bytes; at += held)
    extents_.push_back({begin + at, std::min(held, bytes - at), fill_.data()});
}

Status Extents::write(Sink& sink) {
  std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  for (const Extent& extent : extents_) bytes_written_ += extent.bytes;
  Status status = sink.write(extents_);
  extents_.clear();
  return status;
}

}  // namespace weir
