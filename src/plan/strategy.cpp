// SPDX-License-Identifier: Apache-2.0
#include "plan/strategy.hpp"

#include <algorithm>
#include <cmath>

#include "plan/strategies/strategies.hpp"

namespace weir {

std::vector<RangeTile> Strategy::tiles(const PlanRequest&) const { return {}; }

std::int64_t Strategy::group(const Layout&, int rank, const Machine&) const { return rank; }

std::vector<int> Strategy::writers(const Machine& machine, const Config& config) const {
  return choose_writers(machine, config.writers, config.writers_per_host);
}

std::unique_ptr<Strategy> make_strategy(const Config& config) {
  switch (config.strategy) {
    case StrategyKind::serial: return make_serial();
    case StrategyKind::collective: return make_collective();
    case StrategyKind::rows: return make_rows();
    case StrategyKind::columns: return make_columns();
    case StrategyKind::remap: return make_remap();
    case StrategyKind::file_per_rank: return make_file_per_rank();
    case StrategyKind::file_per_domain: return make_file_per_domain(config.domains);
  }
  throw Error(WEIR_EINTERNAL, "a strategy has no maker");
}

namespace {

// Moves a cut to where writes like to begin. Rounds down; the caller keeps cuts ascending.
std::int64_t settle(const PlanRequest& request, std::int64_t cut, std::int64_t tile_elements) {
  if (request.stripe_bytes > 0) {
    const std::int64_t byte = request.stripe_phase + cut * request.element_bytes;
    const std::int64_t boundary = byte / request.stripe_bytes * request.stripe_bytes - request.stripe_phase;
    // A stripe boundary inside an element cannot be met: the element goes to the writer before it.
    return std::max<std::int64_t>(0, (boundary + request.element_bytes - 1) / request.element_bytes);
  }
  const std::int64_t row = std::max<std::int64_t>(1, request.shape.empty() ? 1 : request.shape.back());
  return row * 8 <= tile_elements ? cut / row * row : cut;
}

}  // namespace

std::vector<RangeTile> cut_evenly(const PlanRequest& request, int parts) {
  const std::int64_t total = elements(request.shape);
  const std::int64_t bytes = total * request.element_bytes;
  const std::int64_t most = request.bundle_bytes > 0 ? (bytes + request.bundle_bytes - 1) / request.bundle_bytes : parts;
  const std::int64_t tiles_wide = std::clamp<std::int64_t>(most, 1, parts);
  const std::int64_t count = tiles_wide * request.rounds;
  const auto writers = static_cast<std::int64_t>(request.writers.size());
  std::vector<RangeTile> tiles;
  std::int64_t first = 0;
  for (std::int64_t t = 0; t < count; ++t) {
    // Not total * (t + 1) / count, which may pass 2^63 for the largest variables.
    const std::int64_t even = total / count * (t + 1) + total % count * (t + 1) / count;
    const std::int64_t last = t + 1 == count ? total : std::max(first, settle(request, even, total / count));
    const auto writer = static_cast<std::size_t>((request.first_writer + t / request.rounds) % writers);
    if (first < last) tiles.push_back({first, last, request.writers[writer], static_cast<int>(t % request.rounds)});
    first = last;
  }
  return tiles;
}

std::int64_t process_line(const Layout& layout, int aggregated, int rank, const Machine& machine) {
  if (layout.flat() || layout.pieces().size() != 1) {
    const int columns = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(machine.ranks()))));
    return aggregated == 1 ? rank / columns : rank % columns;
  }
  const Box box = layout.pieces()[0];
  // FNV-1a over the bounds: equal bounds give equal labels on every rank.
  std::uint64_t label = 14695981039346656037ULL;
  for (int d = 0; d < box.ndims(); ++d) {
    if (d == box.ndims() - aggregated) continue;
    for (std::int64_t bound : {box.lo[static_cast<std::size_t>(d)], box.hi[static_cast<std::size_t>(d)]})
      label = (label ^ static_cast<std::uint64_t>(bound)) * 1099511628211ULL;
  }
  return static_cast<std::int64_t>(label >> 1);
}

}  // namespace weir
