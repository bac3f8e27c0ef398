// SPDX-License-Identifier: Apache-2.0
#include "put/memory_budget.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/blocks.hpp"
#include "base/quantity.hpp"

namespace weir {

namespace {

constexpr std::int64_t largest_budget = std::numeric_limits<int>::max();  // MPI counts a message's bytes in an int
constexpr std::int64_t alignment = 64;  // a cache line: two ranks then never write one line
// A unit of this many bytes (or bundle_size, if that is larger) on its fullest seat is not made larger.
constexpr std::int64_t unit_bytes = 4LL << 20;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Of tile memory, wherever in a block it begins.
std::int64_t taken(std::int64_t tile_bytes) {
  return aligned(tile_bytes) + (tile_bytes < fewest_aligned_bytes ? 0 : block_bytes);
}

}  // namespace

Need need_of(const Reserve& most, int element_bytes, std::int64_t first_byte) noexcept {
  return {most.tile * element_bytes, most.packed * element_bytes, most.received * element_bytes,
          first_byte % block_bytes};
}

MemoryBudget::MemoryBudget(std::int64_t buffer_limit_bytes, bool passes_on)
    : budget_(std::min(buffer_limit_bytes / 4, largest_budget) / alignment * alignment),
      passed_(passes_on ? budget_ / 2 / alignment * alignment : 0),
      ring_(budget_) {}

bool MemoryBudget::possible(const Need& need) const noexcept {
  return taken(need.tile) <= budget_ && aligned(need.packed) <= packed_limit() && need.received <= budget_;
}

bool MemoryBudget::fits(const Need& need) const noexcept {
  return used_.tile + taken(need.tile) <= budget_ && used_.packed + aligned(need.packed) <= packed_limit() &&
         used_.received + need.received <= budget_;
}

std::uint32_t MemoryBudget::in_the_way(const Need& need) const noexcept {
  return ring_.in_the_way(aligned(need.packed));
}

Place MemoryBudget::reserve(const Need& need, std::uint32_t cycle) {
  Place place{used_.tile, ring_.take(aligned(need.packed), cycle)};
  if (need.tile >= fewest_aligned_bytes) place.tile += missing_to(used_.tile, need.remainder, block_bytes);
  used_.tile += taken(need.tile);
  used_.packed += aligned(need.packed);
  used_.received += need.received;
  return place;
}

int more_rounds(int rounds, const std::vector<Need>& needs, const MemoryBudget& budget, const PlanRequest& request) {
  std::int64_t largest = 0;
  bool possible = true;
  for (const Need& need : needs) {
    possible = possible && budget.possible(need);
    largest = std::max({largest, need.tile, need.packed, need.received});
  }
  if (possible) return 0;
  const std::int64_t parts = granules_in(request.granule, elements(request.shape));
  require(rounds < parts, WEIR_EMEMORY, [&] {
    if (!request.granule.any()) return std::string("buffer_limit is too small to plan one element: raise it");
    return "the chunks that lie side by side take " + show_bytes(request.granule.elements * request.element_bytes) +
           ", more than buffer_limit leaves for a tile (" + show_bytes(budget.budget_bytes()) +
           "): raise it, or make chunks shorter along the slowest dimension";
  });
  const std::int64_t times = largest / budget.budget_bytes() + 1;
  return static_cast<int>(
      std::min<std::int64_t>(std::max<std::int64_t>(rounds * times, std::int64_t{rounds} + 1), parts));
}

bool record_ends_cycle(std::int64_t tile_bytes, bool collective, const Config& config) noexcept {
  return config.overlap != OverlapKind::none && tile_bytes >= config.bundle_bytes && !collective;
}

bool unit_is_full(std::int64_t tile_bytes, const Config& config) noexcept {
  return tile_bytes >= std::max(unit_bytes, config.bundle_bytes);
}

}  // namespace weir
