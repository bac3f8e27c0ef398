// SPDX-License-Identifier: Apache-2.0
// alone: more cases of RapidCheck, for the whole process
// Plans of every strategy over random decompositions and machines, carried out in memory: exactly once, within the
// reserves, by the right writers, and always the same. What must be refused is refused in words that help.
#include "plan/planner.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "delivery.hpp"
#include "messages.hpp"
#include "random_layouts.hpp"

namespace weir {
namespace {

// RapidCheck's hundred cases are few for all that varies here; a user's own RC_PARAMS stays.
[[maybe_unused]] const int more_cases = setenv("RC_PARAMS", "max_success=1000", 0);

constexpr StrategyKind all_strategies[] = {
    StrategyKind::serial, StrategyKind::collective,    StrategyKind::rows,           StrategyKind::columns,
    StrategyKind::remap,  StrategyKind::file_per_rank, StrategyKind::file_per_domain};

Machine random_machine(int ranks) {
  std::vector<int> leaders;
  const int hosts = *rc::gen::inRange(1, 5);
  const bool in_blocks = *rc::gen::arbitrary<bool>();
  for (int rank = 0; rank < ranks; ++rank) leaders.push_back(in_blocks ? rank * hosts / ranks : rank % hosts);
  return Machine::from_leaders(leaders);
}

// A whole planning problem, drawn at random.
struct Case {
  Case(int ranks, bool holes)
      : random(reference::random_source()),
        machine(random_machine(ranks)),
        made(reference::decompose(
            reference::random_shape(*rc::gen::inRange(1, 5), 1500), ranks,
            *rc::gen::element(reference::Pieces::regular, reference::Pieces::irregular, reference::Pieces::several,
                              reference::Pieces::maps, reference::Pieces::mixed),
            holes, random)) {
    config.strategy =
        *rc::gen::elementOf(std::vector<StrategyKind>(std::begin(all_strategies), std::end(all_strategies)));
    config.writers = *rc::gen::inRange(0, ranks + 2);
    config.writers_per_host = *rc::gen::inRange(1, 4);
    config.domains = *rc::gen::inRange(0, 4);
    strategy = make_strategy(config);
    shared = *rc::gen::arbitrary<bool>();
    request.shape = made.shape;
    request.flat = made.flat;
    request.element_bytes = *rc::gen::element(1, 2, 4, 8);
    request.rounds = *rc::gen::inRange(1, 6);
    request.stripe_bytes = *rc::gen::element<std::int64_t>(0, 0, 64, 100, 512);
    request.stripe_phase = request.stripe_bytes ? *rc::gen::inRange<std::int64_t>(0, request.stripe_bytes) : 0;
    request.bundle_bytes = *rc::gen::element<std::int64_t>(0, 0, 300, 100000);
    request.writers = strategy->writers(machine, config);
    request.first_writer = *rc::gen::inRange(0, static_cast<int>(request.writers.size()));
    RC_TAG(std::string(name(config.strategy)));
  }

  std::vector<Plan> plan() const { return reference::plan_all(machine, *strategy, request, made.layouts, shared); }
  reference::Problem problem() const { return {machine, *strategy, request, made.layouts, shared}; }
  bool complete() const { return std::find(made.holder.begin(), made.holder.end(), -1) == made.holder.end(); }
  reference::ModelFile carry_out(const std::vector<Plan>& plans) const {
    reference::Delivery delivery(machine, made.layouts, plans, shared);
    return strategy->part_files() ? delivery.run_parts(request.space()) : delivery.run(elements(request.shape));
  }

  reference::Random random;
  Machine machine;
  reference::Decomposition made;
  Config config;
  std::unique_ptr<Strategy> strategy;
  PlanRequest request;
  bool shared = false;
};

int random_ranks() {
  return *rc::gen::inRange(1, 14);
}

RC_GTEST_PROP(Plan, DeliversEveryElementExactlyOnce, ()) {
  Case c(random_ranks(), *rc::gen::arbitrary<bool>());
  c.request.cover =
      c.complete() ? *rc::gen::element(WEIR_FILL, WEIR_NOFILL, WEIR_COVER) : *rc::gen::element(WEIR_FILL, WEIR_NOFILL);
  const reference::ModelFile file = c.carry_out(c.plan());
  const bool fills = c.request.cover == WEIR_FILL && !c.strategy->part_files();
  for (std::size_t element = 0; element < file.content.size(); ++element) {
    const std::int64_t hole = fills ? reference::filled : reference::untouched;
    RC_ASSERT(file.content[element] == (c.made.holder[element] < 0 ? hole : static_cast<std::int64_t>(element)));
  }
}

RC_GTEST_PROP(Plan, ReservesHoldTheNeediestRank, ()) {
  const Case c(random_ranks(), *rc::gen::arbitrary<bool>());
  const std::vector<Plan> plans = c.plan();
  for (std::size_t round = 0; round < plans[0].rounds.size(); ++round) {
    Reserve most;
    for (const Plan& plan : plans) {
      RC_ASSERT(plan.rounds.size() == static_cast<std::size_t>(c.request.rounds));
      most.tile = std::max(most.tile, plan.rounds[round].tile.elements);
      most.packed = std::max(most.packed, plan.rounds[round].packed_elements);
      most.received = std::max(most.received, plan.rounds[round].received_elements);
    }
    for (const Plan& plan : plans) {
      RC_ASSERT(plan.reserves.at(round).tile == most.tile);
      RC_ASSERT(plan.reserves.at(round).packed == most.packed);
      RC_ASSERT(plan.reserves.at(round).received == most.received);
    }
  }
}

// A group's data are written by a member of it, a range's by one of the appointed writers.
RC_GTEST_PROP(Plan, OnlyWritersWrite, ()) {
  const Case c(random_ranks(), *rc::gen::arbitrary<bool>());
  const reference::ModelFile file = c.carry_out(c.plan());
  for (std::size_t element = 0; element < file.writer.size(); ++element) {
    const int writer = file.writer[element], holder = c.made.holder[element];
    if (c.strategy->by_group()) {
      if (holder < 0) continue;
      const auto group = [&](int rank) {
        return c.strategy->group(c.made.layouts[static_cast<std::size_t>(rank)], rank, c.machine);
      };
      RC_ASSERT(group(writer) == group(holder));
    } else {
      RC_ASSERT(std::count(c.request.writers.begin(), c.request.writers.end(), writer) == 1);
    }
  }
}

RC_GTEST_PROP(Plan, StripeHasOneWriter, ()) {
  Case c(random_ranks(), *rc::gen::arbitrary<bool>());
  RC_PRE(!c.strategy->by_group() && c.request.stripe_bytes > 0);
  const reference::ModelFile file = c.carry_out(c.plan());
  const auto stripe_of = [&](std::size_t element) {
    return (c.request.stripe_phase + static_cast<std::int64_t>(element) * c.request.element_bytes) /
           c.request.stripe_bytes;
  };
  for (std::size_t element = 1; element < file.writer.size(); ++element) {
    if (stripe_of(element) != stripe_of(element - 1)) continue;
    RC_ASSERT(file.writer[element] == file.writer[element - 1]);
  }
}

RC_GTEST_PROP(Plan, IsTheSameWhateverOrderMessagesArriveIn, ()) {
  Case c(random_ranks(), *rc::gen::arbitrary<bool>());
  const std::vector<Plan> plans = c.plan(), again = c.plan();
  reference::Exchange disorderly(&c.random);
  const std::vector<Plan> by_messages = reference::plan_by_messages(c.problem(), disorderly);
  RC_ASSERT(reference::numbers_of(again) == reference::numbers_of(plans));
  RC_ASSERT(reference::numbers_of(by_messages) == reference::numbers_of(plans));
  for (std::size_t rank = 0; rank < plans.size(); ++rank)
    RC_ASSERT(to_json(again[rank], static_cast<int>(rank)) == to_json(plans[rank], static_cast<int>(rank)));
}

RC_GTEST_PROP(Plan, HoleIsAnErrorWhereCoverIsAsked, ()) {
  Case c(random_ranks(), *rc::gen::arbitrary<bool>());
  c.request.cover = WEIR_COVER;
  try {
    (void)c.plan();
    RC_ASSERT(c.complete());
  } catch (const Error& error) {
    RC_ASSERT(!c.complete());
    RC_ASSERT(error.code() == WEIR_ECOVER);
  }
}

// One rank holds a box that others hold too: the error names ranks that really hold one element both.
RC_GTEST_PROP(Plan, OverlapIsAnErrorThatNamesTheRanks, ()) {
  Case c(random_ranks() + 1, *rc::gen::arbitrary<bool>());
  const int ranks = c.machine.ranks();
  const auto element = reference::draw(c.random, 0, elements(c.made.shape));
  const int holder = c.made.holder[static_cast<std::size_t>(element)];
  RC_PRE(holder >= 0);
  const int intruder = (holder + *rc::gen::inRange(1, ranks)) % ranks;
  BoxList one(static_cast<int>(c.made.shape.size()));
  range_boxes(c.made.shape, element, element + 1, one);
  Layout layout = reference::box_layout(c.made.shape, one, c.random);
  c.made.layouts[static_cast<std::size_t>(intruder)] = c.made.flat ? layout.flattened() : layout;
  try {
    (void)c.plan();
    RC_FAIL("an overlap was not found");
  } catch (const Error& error) {
    const std::string text = error.what();
    RC_ASSERT(error.code() == WEIR_EOVERLAP);
    RC_ASSERT(text.find("rank " + std::to_string(holder) + " holds [") != std::string::npos);
    RC_ASSERT(text.find("rank " + std::to_string(intruder) + " holds [") != std::string::npos);
  }
}

class PlanErrors : public testing::Test {
 protected:
  PlanErrors() {
    config_.strategy = StrategyKind::remap;
    request_.shape = {4, 10};
    request_.writers = {0, 2};
  }
  // A rank a list of boxes of the 4 x 10 array: start and count.
  std::string message(const std::vector<std::vector<std::int64_t>>& starts,
                      const std::vector<std::vector<std::int64_t>>& counts) {
    std::vector<Layout> layouts;
    for (std::size_t rank = 0; rank < starts.size(); ++rank)
      layouts.push_back(Layout::boxes(request_.shape, starts[rank], counts[rank], {}));
    const Machine machine = Machine::from_leaders({0, 0, 2});
    try {
      (void)reference::plan_all(machine, *make_strategy(config_), request_, layouts, true);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  Config config_;
  PlanRequest request_;
};

TEST_F(PlanErrors, OverlapNamesRanksAndBoxes) {
  EXPECT_EQ(message({{0, 0}, {0, 4}, {1, 0}}, {{1, 5}, {1, 6}, {3, 10}}),
            "rank 0 holds [0:1, 0:5) and rank 1 holds [0:1, 4:10): every element must be held by one rank only");
}

TEST_F(PlanErrors, OverlapWithinOneRank) {
  EXPECT_EQ(message({{0, 0, 0, 4}, {1, 0}, {}}, {{1, 5, 1, 6}, {3, 10}, {}}),
            "rank 0 holds [0:1, 0:5) and rank 0 holds [0:1, 4:10): every element must be held by one rank only");
}

TEST_F(PlanErrors, OverlapIsFoundByGroupToo) {
  for (const StrategyKind kind : {StrategyKind::collective, StrategyKind::file_per_rank}) {
    config_.strategy = kind;
    EXPECT_EQ(message({{0, 0}, {0, 4}, {1, 0}}, {{1, 5}, {1, 6}, {3, 10}}),
              "rank 0 holds [0:1, 0:5) and rank 1 holds [0:1, 4:10): every element must be held by one rank only");
  }
}

TEST_F(PlanErrors, HoleNamesTheBox) {
  request_.cover = WEIR_COVER;
  EXPECT_EQ(
      message({{0, 0}, {2, 0}, {1, 3}}, {{1, 10}, {2, 10}, {1, 7}}),
      "no rank holds [1:2, 0:3), and every element must be put: the file asks for full cover (WEIR_COVER), or the "
      "record has values already and lies in chunks, which are written whole");
}

// Four hosts of a rank each, a tile of two rows each.
std::vector<Plan> remap_over_four_hosts(const std::vector<Layout>& layouts) {
  Config config;
  config.strategy = StrategyKind::remap;
  PlanRequest request;
  request.shape = {8, 11};
  request.writers = {0, 1, 2, 3};
  request.hosts = 4;
  return reference::plan_all(Machine::from_leaders({0, 1, 2, 3}), *make_strategy(config), request, layouts, true);
}

TEST(Plan, HostThatHoldsMostOfATileHasIt) {
  std::vector<Layout> layouts;
  for (std::int64_t rank = 0; rank < 4; ++rank)
    layouts.push_back(Layout::boxes(Shape{8, 11}, Shape{2 * (3 - rank), 0}, Shape{2, 11}, {}));
  for (const Plan& plan : remap_over_four_hosts(layouts)) {
    EXPECT_EQ(plan.rounds[0].tile.elements, 22);
    EXPECT_EQ(plan.summary.between_hosts, 0);
  }
}

// Else it would have all tiles, and its card all bytes.
TEST(Plan, HostThatHoldsALittleMoreOfAllTilesHasItsShare) {
  std::vector<Layout> layouts;
  const Shape first{0, 4, 7, 9, 11};
  for (std::size_t rank = 0; rank < 4; ++rank)
    layouts.push_back(Layout::boxes(Shape{8, 11}, Shape{0, first[rank]}, Shape{8, first[rank + 1] - first[rank]}, {}));
  for (const Plan& plan : remap_over_four_hosts(layouts)) EXPECT_EQ(plan.rounds[0].tile.elements, 22);
}

// They are then written past the page cache as they lie. Small ones lie without gaps.
TEST(Plan, LargeTilesLieInBlocksAsTheVariableDoes) {
  for (const StrategyKind kind : {StrategyKind::serial, StrategyKind::remap})
    for (const std::int64_t rows : {3, 3000}) {
      Config config;
      config.strategy = kind;
      PlanRequest request;
      request.shape = {rows, 101};
      request.element_bytes = 8;
      request.rounds = 2;
      request.writers = kind == StrategyKind::serial ? std::vector{0} : std::vector{0, 2};
      std::vector<Layout> layouts;
      for (std::int64_t rank = 0; rank < 3; ++rank)
        layouts.push_back(Layout::boxes(request.shape, Shape{rank * rows / 3, 0}, Shape{rows / 3, 101}, {}));
      for (const Plan& plan :
           reference::plan_all(Machine::from_leaders({0, 0, 0}), *make_strategy(config), request, layouts, true))
        for (const Round& round : plan.rounds) {
          std::int64_t written = 0;
          for (const Stretch& stretch : round.tile.stretches) {
            written += stretch.count;
            EXPECT_TRUE(rows == 3 || (stretch.at - stretch.element) % 512 == 0);
          }
          EXPECT_LT(round.tile.elements - written, rows == 3000 ? 512 : 1);
        }
    }
}

TEST(PlanJson, SaysWhatIsSentReceivedAndWritten) {
  Config config;
  config.strategy = StrategyKind::serial;
  PlanRequest request;
  request.shape = {3, 4};
  request.writers = {0};
  const std::vector<Layout> layouts{Layout::boxes(request.shape, Shape{0, 0}, Shape{1, 4}, {}),
                                    Layout::boxes(request.shape, Shape{2, 0}, Shape{1, 3}, {})};
  const auto plans = reference::plan_all(Machine::from_leaders({0, 1}), *make_strategy(config), request, layouts, true);
  EXPECT_EQ(to_json(plans[0], 0),
            R"({"rank":0,"element_bytes":4,"summary":{"bytes":28,"bytes_between_hosts":12,"messages":1,"owners":1,)"
            R"("writes":1,"filled_bytes":20},"rounds":[{"tile_bytes":48,"packed_bytes":0,"received_bytes":12,)"
            R"("sends":[{"to":0,"bytes":16,"by":"shared memory"}],"receives":[{"from":1,"bytes":12}],)"
            R"("writes":[{"element":0,"count":12}],"filled_elements":5}]})");
  EXPECT_EQ(to_json(plans[1], 1),
            R"({"rank":1,"element_bytes":4,"summary":{"bytes":28,"bytes_between_hosts":12,"messages":1,"owners":1,)"
            R"("writes":1,"filled_bytes":20},"rounds":[{"tile_bytes":0,"packed_bytes":12,"received_bytes":0,)"
            R"("sends":[{"to":0,"bytes":12,"by":"message"}],"receives":[],"writes":[],"filled_elements":0}]})");
}

}  // namespace
}  // namespace weir
