// SPDX-License-Identifier: Apache-2.0
#include "memory/packed_ring.hpp"

#include <algorithm>

#include "base/cycle_number.hpp"

namespace weir {

std::uint32_t PackedRing::in_the_way(std::int64_t bytes) const noexcept {
  const std::int64_t begin = begin_of(bytes), end = begin + bytes;
  for (auto span = spans_.rbegin(); span != spans_.rend(); ++span)
    if (span->begin < end && begin < span->end) return span->cycle;
  return 0;
}

std::int64_t PackedRing::take(std::int64_t bytes, std::uint32_t cycle) {
  const std::int64_t begin = begin_of(bytes);
  if (bytes > 0) spans_.push_back({cycle, begin, begin + bytes});
  head_ = begin + bytes;
  in_use_ += bytes;
  return begin;
}

void PackedRing::give_back(std::uint32_t cycle) noexcept {
  const auto kept =
      std::find_if(spans_.begin(), spans_.end(), [&](const Span& span) { return later(span.cycle, cycle); });
  for (auto span = spans_.begin(); span != kept; ++span) in_use_ -= span->end - span->begin;
  spans_.erase(spans_.begin(), kept);
  if (spans_.empty()) head_ = 0;
}

}  // namespace weir
