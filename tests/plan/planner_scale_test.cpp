// SPDX-License-Identifier: Apache-2.0
// Planning for thousands of simulated ranks: still exactly once, and no rank is told what all ranks hold. Bytes stay on
// their host where a writer there can take them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "delivery.hpp"
#include "messages.hpp"
#include "plan/planner.hpp"
#include "random_layouts.hpp"

namespace weir {
namespace {

using reference::Random;

Machine hosts_of(int hosts, int ranks_per_host) {
  std::vector<int> leaders;
  for (int rank = 0; rank < hosts * ranks_per_host; ++rank) leaders.push_back(rank / ranks_per_host);
  return Machine::from_leaders(leaders);
}

std::vector<Layout> one_box_each(const Shape& shape, const BoxList& boxes) {
  std::vector<Layout> layouts;
  for (std::size_t b = 0; b < boxes.size(); ++b)
    layouts.push_back(Layout::boxes(shape, boxes[b].lo, reference::lengths_of(boxes[b]), {}));
  return layouts;
}

struct Setting {
  Setting(StrategyKind kind, Shape shape, Machine on) : machine(std::move(on)) {
    config.strategy = kind;
    config.writers_per_host = 2;
    strategy = make_strategy(config);
    request.shape = std::move(shape);
    request.writers = strategy->writers(machine, config);
  }
  reference::Problem problem(const std::vector<Layout>& layouts) const {
    return {machine, *strategy, request, layouts, true};
  }

  Machine machine;
  Config config;
  std::unique_ptr<Strategy> strategy;
  PlanRequest request;
};

void expect_delivered(const Setting& setting, const std::vector<Layout>& layouts, const std::vector<Plan>& plans) {
  reference::Delivery delivery(setting.machine, layouts, plans, true);
  const Shape space = setting.request.space();
  const reference::ModelFile file =
      setting.strategy->part_files() ? delivery.run_parts(space) : delivery.run(elements(space));
  for (std::size_t element = 0; element < file.content.size(); ++element)
    ASSERT_EQ(file.content[element], static_cast<std::int64_t>(element)) << "element " << element;
}

// A share of all messages: that of one of `sharers` ranks that divide the work, four times over for unequal shares.
void expect_shared(const reference::Exchange& exchange, std::size_t sharers) {
  EXPECT_LE(exchange.most_words(), 4 * exchange.total_words() / static_cast<std::int64_t>(sharers))
      << "of " << exchange.total_words() << " words";
}

TEST(PlanScale, RemapOfABlockDecompositionOnManyHosts) {
  Setting setting(StrategyKind::remap, {61, 93, 117}, hosts_of(64, 64));
  setting.request.stripe_bytes = 4096;
  setting.request.stripe_phase = 1234;
  const auto layouts =
      one_box_each(setting.request.shape, reference::regular_blocks(setting.request.shape, {16, 16, 16}));
  reference::Exchange exchange;
  const auto plans = reference::plan_by_messages(setting.problem(layouts), exchange);
  ASSERT_EQ(setting.request.writers.size(), 128U);
  expect_shared(exchange, setting.request.writers.size());
  EXPECT_LE(exchange.most_messages(), 1024U);
  expect_delivered(setting, layouts, plans);
}

TEST(PlanScale, GroupsOfABlockDecompositionOnManyHosts) {
  for (const StrategyKind kind : {StrategyKind::rows, StrategyKind::collective, StrategyKind::file_per_domain}) {
    Setting setting(kind, {31, 93, 117}, hosts_of(32, 64));
    const auto layouts =
        one_box_each(setting.request.shape, reference::regular_blocks(setting.request.shape, {8, 16, 16}));
    reference::Exchange exchange;
    const auto plans = reference::plan_by_messages(setting.problem(layouts), exchange);
    expect_shared(exchange, 32);
    expect_delivered(setting, layouts, plans);
  }
}

TEST(PlanScale, IrregularBoxes) {
  Random random(7);
  Setting setting(StrategyKind::remap, {60, 301, 203}, hosts_of(40, 50));
  const BoxList boxes = reference::irregular_boxes(setting.request.shape, 2000, random);
  ASSERT_EQ(boxes.size(), 2000U);
  const auto layouts = one_box_each(setting.request.shape, boxes);
  reference::Exchange exchange;
  const auto plans = reference::plan_by_messages(setting.problem(layouts), exchange);
  expect_shared(exchange, setting.request.writers.size() / 4);
  expect_delivered(setting, layouts, plans);
}

TEST(PlanScale, OneDirectoryForAllIrregularBoxes) {
  Random random(8);
  Setting setting(StrategyKind::serial, {60, 301, 203}, hosts_of(40, 50));
  const auto layouts =
      one_box_each(setting.request.shape, reference::irregular_boxes(setting.request.shape, 2000, random));
  reference::Exchange exchange;
  expect_delivered(setting, layouts, reference::plan_by_messages(setting.problem(layouts), exchange));
}

// Every rank holds elements from anywhere, as an atmosphere's columns are dealt to ranks to balance its physics.
TEST(PlanScale, OffsetMaps) {
  Random random(9);
  for (const StrategyKind kind : {StrategyKind::remap, StrategyKind::collective, StrategyKind::file_per_domain}) {
    Setting setting(kind, {3, 50021}, hosts_of(20, 100));
    setting.request.flat = true;
    std::vector<std::vector<std::int64_t>> maps(2000);
    for (std::int64_t column = 0; column < 50021; ++column) {
      auto& map = maps[static_cast<std::size_t>(reference::draw(random, 0, 2000))];
      for (std::int64_t level = 0; level < 3; ++level) map.push_back(level * 50021 + column);
    }
    std::vector<Layout> layouts;
    for (const auto& map : maps) layouts.push_back(Layout::map(setting.request.shape, map));
    reference::Exchange exchange;
    const auto plans = reference::plan_by_messages(setting.problem(layouts), exchange);
    expect_shared(exchange, 20);
    expect_delivered(setting, layouts, plans);
  }
}

std::int64_t between_hosts(const Machine& machine, const std::vector<Plan>& plans) {
  std::int64_t sum = 0;
  for (int rank = 0; rank < machine.ranks(); ++rank)
    for (const Round& round : plans[static_cast<std::size_t>(rank)].rounds)
      for (const Outgoing& out : round.outgoing)
        if (!machine.same_host(rank, out.owner_or_slot)) sum += out.count;
  return sum;
}

// A host holds a slab of the slowest dimension, cut in 4 x 4 blocks among its ranks; `slab_of` says which host's slab
// is which. Slabs of `planes` planes.
std::vector<Layout> slabs(const std::vector<int>& slab_of, std::int64_t planes, const Shape& shape) {
  const auto blocks = reference::regular_blocks({shape[1], shape[2]}, {4, 4});
  std::vector<Layout> layouts;
  for (const int slab : slab_of)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      layouts.push_back(
          Layout::boxes(shape, Shape{slab * planes, blocks[b].lo[0], blocks[b].lo[1]},
                        Shape{planes, blocks[b].hi[0] - blocks[b].lo[0], blocks[b].hi[1] - blocks[b].lo[1]}, {}));
  return layouts;
}

class PlanLocality : public testing::TestWithParam<int> {  // rounds
 protected:
  static constexpr int hosts = 8;
  static constexpr std::int64_t planes = 10;
  PlanLocality() : setting_(StrategyKind::remap, {hosts * planes, 33, 29}, hosts_of(hosts, 16)) {
    setting_.request.rounds = GetParam();
  }
  std::vector<Plan> plan(const std::vector<int>& slab_of) const {
    return reference::plan_all(setting_.machine, *setting_.strategy, setting_.request,
                               slabs(slab_of, planes, setting_.request.shape), true);
  }
  std::int64_t total() const { return elements(setting_.request.shape); }

  Setting setting_;
};

TEST_P(PlanLocality, SlabsStayOnTheirHosts) {
  std::vector<int> slab_of(hosts);
  std::iota(slab_of.begin(), slab_of.end(), 0);
  EXPECT_LE(between_hosts(setting_.machine, plan(slab_of)), total() / 50);
  std::reverse(slab_of.begin(), slab_of.end());
  EXPECT_LE(between_hosts(setting_.machine, plan(slab_of)), total() / 50);
  std::swap(slab_of[1], slab_of[6]);
  EXPECT_LE(between_hosts(setting_.machine, plan(slab_of)), total() / 50);
}

// Tiles that follow their bytes to another host are dealt to all writers there, in every round.
TEST_P(PlanLocality, MovedTilesAreDealtEvenly) {
  std::vector<int> slab_of(hosts);
  std::iota(slab_of.rbegin(), slab_of.rend(), 0);
  const std::int64_t fair = total() / static_cast<std::int64_t>(setting_.request.writers.size()) / GetParam();
  const std::vector<Plan> plans = plan(slab_of);
  for (const Reserve& reserve : plans[0].reserves) EXPECT_LE(reserve.tile, fair + fair / 4);
}

INSTANTIATE_TEST_SUITE_P(Rounds, PlanLocality, testing::Values(1, 2, 3));

}  // namespace
}  // namespace weir
