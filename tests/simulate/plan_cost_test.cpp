// SPDX-License-Identifier: Apache-2.0
// What a plan costs is what the plan says, that all ranks' planners make together.
#include "simulate/plan_cost.hpp"

#include <gtest/gtest.h>

#include "../plan/messages.hpp"
#include "machines.hpp"

namespace weir::simulate {
namespace {

Machine nodes_of(int ranks, int a_node) {
  std::vector<int> leaders;
  for (int rank = 0; rank < ranks; ++rank) leaders.push_back(rank / a_node);
  return Machine::from_leaders(leaders);
}

void expect_same(const Plan& plan, const PlanCost& cost, int rank) {
  ASSERT_EQ(plan.rounds.size(), cost.rounds.size());
  for (std::size_t r = 0; r < plan.rounds.size(); ++r) {
    const Round& round = plan.rounds[r];
    const auto pieces = cost.rounds[r].pieces_of(rank);
    ASSERT_EQ(pieces.size(), round.outgoing.size()) << "rank " << rank;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      EXPECT_EQ(pieces[p].owner, round.outgoing[p].owner_or_slot);
      EXPECT_EQ(pieces[p].elements, round.outgoing[p].count);
      EXPECT_EQ(pieces[p].by_message, round.outgoing[p].by_message);
    }
    const TileCost* tile = cost.rounds[r].tile_of(rank);
    ASSERT_EQ(tile != nullptr, round.tile.elements > 0);
    EXPECT_EQ(cost.reserves[r].tile, plan.reserves[r].tile);
    EXPECT_EQ(cost.reserves[r].packed, plan.reserves[r].packed);
    EXPECT_EQ(cost.reserves[r].received, plan.reserves[r].received);
    if (!tile) continue;
    EXPECT_EQ(tile->elements, round.tile.elements - round.tile.gap_elements);
    EXPECT_EQ(tile->stretches, std::ssize(round.tile.stretches));
    EXPECT_EQ(tile->received, round.received_elements);
  }
}

TEST(PlanCost, IsThatOfThePlansOfAllRanks) {
  for (const char* name : {"weak", "cam-fvb", "cmaq-ca", "licom"})
    for (const StrategyKind kind : {StrategyKind::serial, StrategyKind::remap, StrategyKind::rows,
                                    StrategyKind::columns, StrategyKind::collective, StrategyKind::file_per_domain}) {
      const int ranks = 21;
      const Machine machine = nodes_of(ranks, 4);
      Config config;
      config.strategy = kind;
      const auto strategy = make_strategy(config);
      const Workload work = make_workload({name, ranks, 0.01, 0, {}});
      const Decomposition& decomposition = work.decompositions.back();
      PlanRequest request;
      request.shape = decomposition.shape;
      request.stripe_bytes = 4096;
      request.stripe_phase = 100;
      request.rounds = kind == StrategyKind::remap ? 3 : 1;
      request.writers = strategy->writers(machine, config);
      std::vector<Layout> layouts;
      for (int rank = 0; rank < ranks; ++rank) layouts.push_back(decomposition.layout(rank));
      const std::vector<Plan> plans = reference::plan_all(machine, *strategy, request, layouts, true);
      const PlanCost cost = plan_costs({machine, *strategy, request, decomposition, ranks, true, false});
      for (int rank = 0; rank < ranks; ++rank) expect_same(plans[static_cast<std::size_t>(rank)], cost, rank);
    }
}

TEST(PlanCost, AnOverlapIsAnErrorAsInARun) {
  const Machine machine = nodes_of(2, 2);
  Config config;
  const auto strategy = make_strategy(config);
  PlanRequest request;
  request.shape = {10};
  request.writers = {0};
  const Shape start{0}, count{6};
  const Decomposition twice{{10}, [&](int) { return Layout::boxes({{10}}, start, count, {}); }, false};
  EXPECT_THROW(plan_costs({machine, *strategy, request, twice, 2, true, false}), Error);
}

}  // namespace
}  // namespace weir::simulate
