// SPDX-License-Identifier: Apache-2.0
// Strategies: how the file order is cut and which ranks belong together.
#include "plan/strategy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "random_layouts.hpp"

namespace weir {
namespace {

PlanRequest random_request() {
  PlanRequest request;
  request.shape = reference::random_shape(*rc::gen::inRange(1, 5), 5000);
  request.element_bytes = *rc::gen::element(1, 2, 4, 8);
  request.rounds = *rc::gen::inRange(1, 6);
  request.writers.resize(*rc::gen::inRange<std::size_t>(1, 12));
  std::iota(request.writers.begin(), request.writers.end(), 100);
  request.first_writer = *rc::gen::inRange(0, static_cast<int>(request.writers.size()));
  return request;
}

RC_GTEST_PROP(CutEvenly, CoversTheVariableInOrder, ()) {
  PlanRequest request = random_request();
  request.hosts = *rc::gen::inRange(1, 6);
  request.stripe_bytes = *rc::gen::element<std::int64_t>(0, 64, 100, 4096);
  request.stripe_phase = request.stripe_bytes ? *rc::gen::inRange<std::int64_t>(0, request.stripe_bytes) : 0;
  request.bundle_bytes = *rc::gen::element<std::int64_t>(0, 100, 5000);
  std::int64_t at = 0;
  for (const RangeTile& tile : cut_evenly(request, *rc::gen::inRange(1, 20))) {
    RC_ASSERT(tile.first == at && tile.last > at);
    RC_ASSERT(tile.round >= 0 && tile.round < request.rounds);
    RC_ASSERT(std::count(request.writers.begin(), request.writers.end(), tile.owner) == 1);
    at = tile.last;
  }
  RC_ASSERT(at == elements(request.shape));
}

RC_GTEST_PROP(CutEvenly, TilesAreOfNearlyOneSize, ()) {
  const PlanRequest request = random_request();
  const int parts = *rc::gen::inRange(1, 20);
  const std::int64_t even = elements(request.shape) / (parts * request.rounds), row = request.shape.back();
  const std::int64_t moved = row * 8 <= elements(request.shape) / parts ? 2 * row : 0;
  for (const RangeTile& tile : cut_evenly(request, parts)) {
    RC_ASSERT(tile.last - tile.first <= even + 2 + moved);
    if (row * 9 <= even) RC_ASSERT(tile.first % row == 0);
  }
}

// Rounds of a part follow each other and are one writer's; parts go to the writers in turn.
RC_GTEST_PROP(CutEvenly, PartsGoToWritersInTurn, ()) {
  PlanRequest request = random_request();
  request.shape = {*rc::gen::inRange<std::int64_t>(1000, 2000)};
  const int parts = *rc::gen::inRange(1, 20), writers = static_cast<int>(request.writers.size());
  const auto tiles = cut_evenly(request, parts);
  RC_ASSERT(tiles.size() == static_cast<std::size_t>(parts * request.rounds));
  for (int t = 0; t < parts * request.rounds; ++t) {
    RC_ASSERT(tiles[static_cast<std::size_t>(t)].round == t % request.rounds);
    RC_ASSERT(tiles[static_cast<std::size_t>(t)].owner == 100 + (request.first_writer + t / request.rounds) % writers);
  }
}

// Other writers begin at other stripes; rounds do where a round is not less than a stripe, and else they stay small.
RC_GTEST_PROP(CutEvenly, CutsOnStripeBoundaries, ()) {
  PlanRequest request = random_request();
  request.stripe_bytes = *rc::gen::inRange<std::int64_t>(8, 3000);
  request.stripe_phase = *rc::gen::inRange<std::int64_t>(0, request.stripe_bytes);
  const int parts = *rc::gen::inRange(1, static_cast<int>(request.writers.size()) + 1);
  const auto tiles = cut_evenly(request, parts);
  const auto boundary = [&](const RangeTile& tile) {
    const std::int64_t byte = request.stripe_phase + tile.first * request.element_bytes;
    return tile.first == 0 || byte % request.stripe_bytes < request.element_bytes;
  };
  for (std::size_t begin = 0, end = 0; begin < tiles.size(); begin = end) {
    while (end < tiles.size() && tiles[end].owner == tiles[begin].owner) ++end;
    const std::int64_t even = (tiles[end - 1].last - tiles[begin].first) / request.rounds;
    const bool on_stripes = even * request.element_bytes >= request.stripe_bytes;
    RC_ASSERT(boundary(tiles[begin]));
    for (std::size_t t = begin; t < end; ++t) {
      if (on_stripes) RC_ASSERT(boundary(tiles[t]));
      if (!on_stripes) RC_ASSERT(tiles[t].last - tiles[t].first <= even + 1 + even / 8);
    }
  }
}

// Data that lie in the file in the order of hosts stay on their host, though there are fewer parts than writers.
RC_GTEST_PROP(CutEvenly, HostsHaveTheirShareInOrder, ()) {
  PlanRequest request = random_request();
  request.rounds = 1;
  request.hosts = *rc::gen::inRange(2, 6);
  const int a_host = *rc::gen::inRange(1, 6), parts = request.hosts * a_host;
  request.writers.resize(static_cast<std::size_t>(parts));
  std::iota(request.writers.begin(), request.writers.end(), 0);
  request.first_writer = *rc::gen::inRange(0, parts);
  const int wanted = *rc::gen::inRange(request.hosts, parts + 1);
  request.shape = {parts * 1000};
  request.bundle_bytes = elements(request.shape) * request.element_bytes / wanted;
  std::vector<int> of_host(static_cast<std::size_t>(request.hosts));
  for (const RangeTile& tile : cut_evenly(request, parts)) {
    const int host = tile.owner / a_host;
    ++of_host[static_cast<std::size_t>(host)];
    if (wanted == parts) continue;
    RC_ASSERT(tile.first >= elements(request.shape) / request.hosts * host);
    RC_ASSERT(tile.last <= elements(request.shape) / request.hosts * (host + 1));
  }
  for (const int count : of_host) RC_ASSERT(count == (wanted == parts ? a_host : wanted / request.hosts));
}

// Variables of one size, one after the other in the file: the writers have as much to do as each other, and there are
// no more plans than that takes.
RC_GTEST_PROP(FirstWriter, SpreadsVariablesOverWritersWithFewPlans, ()) {
  const int hosts = *rc::gen::inRange(1, 6), a_host = *rc::gen::inRange(1, 6), writers = hosts * a_host;
  const int most = *rc::gen::inRange(1, writers + 1), variables = writers * *rc::gen::inRange(1, 5);
  PlanRequest request;
  request.shape = {most * 1000};
  request.bundle_bytes = 1000 * request.element_bytes;
  request.writers.resize(static_cast<std::size_t>(writers));
  std::iota(request.writers.begin(), request.writers.end(), 0);
  request.hosts = hosts;
  const std::int64_t bytes = elements(request.shape) * request.element_bytes;
  std::set<int> beginnings;
  std::vector<int> busy(static_cast<std::size_t>(writers));
  std::size_t parts = 0;
  for (int v = 0; v < variables; ++v) {
    request.first_writer = first_writer({bytes, request.bundle_bytes, writers, hosts}, v * bytes, variables * bytes);
    beginnings.insert(request.first_writer);
    const auto tiles = cut_evenly(request, writers);
    parts = tiles.size();
    for (const RangeTile& tile : tiles) ++busy[static_cast<std::size_t>(tile.owner)];
  }
  const auto groups = (static_cast<std::size_t>(writers) + parts - 1) / parts;
  RC_ASSERT(beginnings.size() <= groups);
  const auto [least, largest] = std::minmax_element(busy.begin(), busy.end());
  RC_ASSERT(*least > 0);
  if (static_cast<std::size_t>(writers) % parts == 0) RC_ASSERT(*largest == *least);
}

// So they do where each variable is a few chunks or shards, and is worth more parts than it has of these.
RC_GTEST_PROP(FirstWriter, SpreadsVariablesOfFewGranules, ()) {
  const int writers = *rc::gen::inRange(2, 9), granules = *rc::gen::inRange(1, writers + 1);
  PlanRequest request;
  request.shape = {(granules - 1) * std::int64_t{1000} + *rc::gen::inRange(1, 1001)};  // the last one may be short
  request.granule = {1000, request.shape[0], true};
  request.bundle_bytes = 1;
  request.writers.resize(static_cast<std::size_t>(writers));
  std::iota(request.writers.begin(), request.writers.end(), 0);
  const std::int64_t bytes = elements(request.shape) * request.element_bytes, variables = 3 * writers;
  std::vector<int> busy(static_cast<std::size_t>(writers));
  for (std::int64_t v = 0; v < variables; ++v) {
    request.first_writer = first_writer({bytes, 1, writers, 1, granules}, v * bytes, variables * bytes);
    const auto tiles = cut_evenly(request, writers);
    RC_ASSERT(std::ssize(tiles) == granules);
    for (const RangeTile& tile : tiles) ++busy[static_cast<std::size_t>(tile.owner)];
  }
  const auto [least, largest] = std::minmax_element(busy.begin(), busy.end());
  RC_ASSERT(*least > 0);
  if (writers % granules == 0) RC_ASSERT(*largest == *least);
}

RC_GTEST_PROP(CutEvenly, NoTileIsSmallerThanABundle, ()) {
  PlanRequest request = random_request();
  request.hosts = *rc::gen::inRange(1, 6);
  request.rounds = 1;
  request.shape = {*rc::gen::inRange<std::int64_t>(1, 5000)};
  request.bundle_bytes = *rc::gen::inRange<std::int64_t>(1, 30000);
  const auto tiles = cut_evenly(request, *rc::gen::inRange(1, 20));
  const std::int64_t bundle = request.hosts == 1 ? request.bundle_bytes : request.bundle_bytes / 4;
  const std::int64_t least = (bundle + request.element_bytes - 1) / request.element_bytes;
  for (const RangeTile& tile : tiles) RC_ASSERT(tiles.size() == 1 || tile.last - tile.first >= least - 1);
}

TEST(CutEvenly, LargestVariables) {
  PlanRequest request;
  request.shape = {std::int64_t{1} << 30, std::int64_t{1} << 30};
  request.element_bytes = 1;
  request.rounds = 1000;
  request.writers.assign(1000, 0);
  const auto tiles = cut_evenly(request, 1000);
  EXPECT_EQ(tiles.size(), 1000000U);
  EXPECT_EQ(tiles.back().last, std::int64_t{1} << 60);
}

TEST(CutEvenly, EmptyVariable) {
  PlanRequest request;
  request.shape = {5, 0};
  request.writers = {0};
  EXPECT_TRUE(cut_evenly(request, 3).empty());
}

std::int64_t label(StrategyKind kind, const Layout& layout, int rank, const Machine& machine, int domains = 0) {
  Config config;
  config.strategy = kind;
  config.domains = domains;
  return make_strategy(config)->group(layout, rank, machine);
}

TEST(ProcessLines, RowsAndColumnsOfAGridOfRanks) {
  const Shape shape{5, 12, 21};
  const BoxList blocks = reference::regular_blocks(shape, {1, 3, 4});
  const Machine machine = Machine::from_leaders(std::vector<int>(12, 0));
  for (int a = 0; a < 12; ++a)
    for (int b = 0; b < 12; ++b) {
      const auto layout = [&](int rank) {
        const Box box = blocks[static_cast<std::size_t>(rank)];
        return Layout::boxes(shape, box.lo, reference::lengths_of(box), {});
      };
      const auto same = [&](StrategyKind kind) {
        return label(kind, layout(a), a, machine) == label(kind, layout(b), b, machine);
      };
      EXPECT_EQ(same(StrategyKind::rows), a / 4 == b / 4);
      EXPECT_EQ(same(StrategyKind::columns), a % 4 == b % 4);
      EXPECT_EQ(same(StrategyKind::collective), a == b);
    }
}

TEST(ProcessLines, RanksWithoutABoxAreTakenAsAGrid) {
  const Machine machine = Machine::from_leaders(std::vector<int>(9, 0));
  const Layout map = Layout::map(Shape{4, 5}, {});
  for (int rank = 0; rank < 9; ++rank) {
    EXPECT_EQ(label(StrategyKind::rows, map, rank, machine), rank / 3);
    EXPECT_EQ(label(StrategyKind::columns, map, rank, machine), rank % 3);
  }
}

TEST(FilePerDomain, DomainIsAHostOrAStretchOfRanks) {
  const Machine machine = Machine::from_leaders({0, 1, 0, 1, 4, 4, 0});
  const Layout layout = Layout::map(Shape{4, 5}, {});
  std::set<std::int64_t> labels;
  std::int64_t last = 0;
  for (int rank = 0; rank < 7; ++rank) {
    EXPECT_EQ(label(StrategyKind::file_per_domain, layout, rank, machine),
              machine.host_of[static_cast<std::size_t>(rank)]);
    const std::int64_t domain = label(StrategyKind::file_per_domain, layout, rank, machine, 3);
    EXPECT_GE(domain, last);
    labels.insert(last = domain);
  }
  EXPECT_EQ(labels.size(), 3U);
}

TEST(Strategy, EveryKindHasAMakerOfItsKind) {
  for (const StrategyKind kind :
       {StrategyKind::serial, StrategyKind::collective, StrategyKind::rows, StrategyKind::columns, StrategyKind::remap,
        StrategyKind::file_per_rank, StrategyKind::file_per_domain}) {
    Config config;
    config.strategy = kind;
    const auto strategy = make_strategy(config);
    EXPECT_EQ(strategy->kind(), kind);
    EXPECT_EQ(strategy->part_files(), kind == StrategyKind::file_per_rank || kind == StrategyKind::file_per_domain);
    EXPECT_EQ(strategy->by_group(), kind != StrategyKind::serial && kind != StrategyKind::remap);
  }
}

TEST(Strategy, SerialHasOneWriter) {
  Config config;
  config.strategy = StrategyKind::serial;
  config.writers = 5;
  EXPECT_EQ(make_strategy(config)->writers(Machine::from_leaders({0, 0, 2}), config), (std::vector<int>{0}));
}

// On many hosts `dynamic` cuts a variable into fewer slots than there are hosts, unless the configuration says how
// many.
TEST(Dynamic, HasAtMostSoManySlotsByItself) {
  std::vector<int> leader_of(1000);
  std::iota(leader_of.begin(), leader_of.end(), 0);
  Config config;
  config.strategy = StrategyKind::dynamic;
  const auto slots = [&](int hosts, int asked) {
    config.writers_per_variable = asked;
    const std::span<const int> some(leader_of.data(), static_cast<std::size_t>(hosts));
    return make_strategy(config)->writers(Machine::from_leaders({some.begin(), some.end()}), config).size();
  };
  EXPECT_EQ(slots(200, 0), 200U);
  EXPECT_EQ(slots(256, 0), 256U);
  EXPECT_EQ(slots(1000, 0), 256U);
  EXPECT_EQ(slots(1000, 700), 700U);
}

}  // namespace
}  // namespace weir
