// SPDX-License-Identifier: Apache-2.0
#include "plan/strategy.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "plan/strategies.hpp"

namespace weir {

std::vector<RangeTile> Strategy::tiles(const PlanRequest&) const {
  return {};
}

std::int64_t Strategy::group(const Layout&, int rank, const Machine&) const {
  return rank;
}

std::vector<int> Strategy::writers(const Machine& machine, const Config& config) const {
  return choose_writers(machine, config.writers, config.writers_per_host);
}

std::unique_ptr<Strategy> make_strategy(const Config& config) {
  switch (config.strategy) {
    case StrategyKind::serial:
      return make_serial();
    case StrategyKind::collective:
      return make_collective();
    case StrategyKind::rows:
      return make_rows();
    case StrategyKind::columns:
      return make_columns();
    case StrategyKind::remap:
      return make_remap();
    case StrategyKind::servers:
      return make_servers();
    case StrategyKind::dynamic:
      return make_dynamic();
    case StrategyKind::file_per_rank:
      return make_file_per_rank();
    case StrategyKind::file_per_domain:
      return make_file_per_domain(config.domains);
    case StrategyKind::automatic:
      break;  // settled before
  }
  throw Error(WEIR_EINTERNAL, "a strategy has no maker");
}

std::unique_ptr<Strategy> make_range_strategy() {
  return make_remap();
}

namespace {

// Where the first k of n nearly equal shares of `length` end. Not length * k / n, which may pass 2^63.
std::int64_t share(std::int64_t length, std::int64_t k, std::int64_t n) {
  return length / n * k + length % n * k / n;
}

// Moves a cut to where writes like to begin. Rounds down; the caller keeps cuts ascending.
std::int64_t settle_on_stripe(const PlanRequest& request, std::int64_t cut) {
  const std::int64_t byte = request.stripe_phase + cut * request.element_bytes;
  const std::int64_t boundary = byte / request.stripe_bytes * request.stripe_bytes - request.stripe_phase;
  // A stripe boundary inside an element cannot be met: the element goes to the writer before it.
  return std::max<std::int64_t>(0, (boundary + request.element_bytes - 1) / request.element_bytes);
}

std::int64_t settle_on_row(const PlanRequest& request, std::int64_t cut, std::int64_t tile_elements) {
  const std::int64_t row = std::max<std::int64_t>(1, request.shape.empty() ? 1 : request.shape.back());
  return row * 8 <= tile_elements ? cut / row * row : cut;
}

// Where a cut of a tile of so many elements goes.
std::int64_t settle_cut(const PlanRequest& request, std::int64_t cut, std::int64_t tile_elements, bool on_stripes) {
  return on_stripes ? settle_on_stripe(request, cut) : settle_on_row(request, cut, tile_elements);
}

// Where share k of n of the elements [first, last) ends. Of granules, of which the last one of an array may be short,
// the granules are shared.
std::int64_t cut_at(const PlanRequest& request, const RangeTile& range, std::int64_t k, std::int64_t n,
                    bool on_stripes) {
  const std::int64_t length = range.last - range.first;
  if (!request.granule.any()) return settle_cut(request, range.first + share(length, k, n), length / n, on_stripes);
  const std::int64_t first = request.granule.before(range.first);
  return std::min(range.last, request.granule.begin(first + share(request.granule.before(range.last) - first, k, n)));
}

// A part in rounds. They fit memory only if they are small, so tiles below a stripe are cut within it.
void cut_in_rounds(const PlanRequest& request, const RangeTile& part, std::vector<RangeTile>& tiles) {
  const std::int64_t length = part.last - part.first, even = length / request.rounds;
  const bool on_stripes = request.stripe_bytes > 0 && even * request.element_bytes >= request.stripe_bytes;
  std::int64_t first = part.first;
  for (int round = 0; round < request.rounds; ++round) {
    const std::int64_t cut = cut_at(request, part, round + 1, request.rounds, on_stripes);
    const std::int64_t last = round + 1 == request.rounds ? part.last : std::max(first, cut);
    if (first < last) tiles.push_back({first, last, part.owner, round});
    first = last;
  }
}

// A part is not smaller than a bundle, but of several hosts each gets one if that is a quarter of a bundle: a write is
// cheaper than a journey. Then each host has as many parts as another, in the order of hosts, since models mostly lay
// neighbours in the file on neighbouring ranks: so fewer pieces leave their host. Its writers take them in turn.
struct WriterShares {
  std::int64_t hosts, parts, writers;  // the parts and the writers of all these hosts
  std::int64_t first_of(std::int64_t host) const noexcept {
    return host * (writers / hosts) + std::min(host, writers % hosts);
  }
  std::int64_t writers_of(std::int64_t host) const noexcept { return first_of(host + 1) - first_of(host); }
  std::int64_t parts_each() const noexcept { return parts / hosts; }
  std::int64_t writer_of(std::int64_t part, std::int64_t first) const noexcept {
    const std::int64_t host = part / parts_each(), turn = part % parts_each();
    return first_of(host) + (first + turn) % writers_of(host);
  }
};

WriterShares deal(const Spread& spread, std::int64_t most_parts) noexcept {
  const std::int64_t bytes = spread.variable_bytes, bundle = spread.bundle_bytes;
  std::int64_t worth = bundle > 0 ? bytes / bundle : most_parts;
  if (bytes / spread.hosts >= bundle / 4) worth = std::max(worth, spread.hosts);
  const std::int64_t parts = std::clamp<std::int64_t>(worth, 1, std::min(most_parts, spread.granules));
  if (parts > spread.writers || parts < spread.hosts) return {1, parts, spread.writers};
  return {spread.hosts, parts - parts % spread.hosts, spread.writers};
}

}  // namespace

int first_writer(const Spread& spread, std::int64_t place, std::int64_t whole) noexcept {
  const WriterShares dealt = deal(spread, spread.writers);
  const std::int64_t writers = dealt.writers_of(0);  // no host has more
  const std::int64_t first = std::min(writers - 1, place * writers / std::max<std::int64_t>(1, whole));
  return static_cast<int>(first - first % dealt.parts_each());
}

FilePlace place_in_file(const FileOffsets& file, int var, bool is_record, std::int64_t record) noexcept {
  const std::int64_t begin = file.first_byte(var, 0);
  if (!is_record) return {begin, file.fixed_end, begin};
  return {begin - file.record_begin, file.record_bytes, file.first_byte(var, record)};
}

PlanPlace plan_place(const Strategy& strategy, const Spread& spread, const FilePlace& in_file, const CutRule& cuts) {
  if (strategy.by_group() && !cuts.granule.any()) return {};
  return {first_writer(spread, in_file.place, in_file.whole), cuts.stripe_bytes,
          cuts.stripe_bytes > 0 ? in_file.first_byte % cuts.stripe_bytes : 0, cuts.granule};
}

PlanRequest request_at(const PlanPlace& place, int element_bytes, std::int64_t bundle_bytes) {
  PlanRequest request;
  request.element_bytes = element_bytes;
  request.stripe_bytes = place.stripe_bytes;
  request.stripe_phase = place.stripe_phase;
  request.bundle_bytes = bundle_bytes;
  request.first_writer = place.first_writer;
  request.granule = place.granule;
  return request;
}

std::vector<RangeTile> cut_evenly(const PlanRequest& request, int parts) {
  const std::int64_t total = elements(request.shape);
  const auto writers = static_cast<std::int64_t>(request.writers.size());
  const std::int64_t granules = std::max<std::int64_t>(1, granules_in(request.granule, total));
  const WriterShares dealt =
      deal({total * request.element_bytes, request.bundle_bytes, writers, request.hosts, granules}, parts);
  const std::int64_t count = dealt.parts;
  std::vector<RangeTile> tiles;
  RangeTile part{0, 0, 0, 0};
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t cut = cut_at(request, {0, total, 0, 0}, p + 1, count, request.stripe_bytes > 0);
    part.last = p + 1 == count ? total : std::max(part.first, cut);
    part.owner = request.writers[static_cast<std::size_t>(dealt.writer_of(p, request.first_writer))];
    cut_in_rounds(request, part, tiles);
    part.first = part.last;
  }
  return tiles;
}

std::int64_t process_line(const Layout& layout, int aggregated, int rank, const Machine& machine) {
  if (layout.flat() || layout.pieces().size() != 1) {
    const int columns = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(machine.ranks()))));
    return aggregated == 1 ? rank / columns : rank % columns;
  }
  const Box box = layout.pieces()[0];
  // A sum over the bounds: equal bounds give equal labels on every rank.
  std::uint64_t label = fnv_start;
  for (int d = 0; d < box.ndims(); ++d) {
    if (d == box.ndims() - aggregated) continue;
    for (std::int64_t bound : {box.lo[static_cast<std::size_t>(d)], box.hi[static_cast<std::size_t>(d)]})
      label = fnv_add(label, static_cast<std::uint64_t>(bound));
  }
  return static_cast<std::int64_t>(label >> 1);
}

}  // namespace weir
