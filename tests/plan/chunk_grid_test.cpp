// SPDX-License-Identifier: Apache-2.0
// Chunks: tiles are cut between them, so that each has one owner, whatever the strategy and the decomposition.
#include "plan/chunk_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "messages.hpp"
#include "plan/strategy.hpp"
#include "random_layouts.hpp"

namespace weir {
namespace {

Shape random_chunk(const Shape& shape) {
  Shape chunk;
  for (const std::int64_t length : shape) chunk.push_back(*rc::gen::inRange<std::int64_t>(1, length + 3));
  return chunk;
}

// The elements of a chunk in file order.
std::set<std::int64_t> elements_of(const Chunk& chunk, const Shape& shape) {
  const std::vector<std::int64_t> steps = strides(shape);
  std::set<std::int64_t> found;
  for (std::int64_t element = 0; element < elements(shape); ++element) {
    bool inside = true;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t index = element / steps[d] % shape[d];
      inside = inside && chunk.lo[d] <= index && index < chunk.hi[d];
    }
    if (inside) found.insert(element);
  }
  return found;
}

RC_GTEST_PROP(ChunkGrid, TilesHoldWholeChunksEachOnce, ()) {
  PlanRequest request;
  request.shape = reference::random_shape(*rc::gen::inRange(1, 5), 300);
  const ChunkGrid grid(request.shape, random_chunk(request.shape));
  request.granule = grid.granule();
  request.rounds = *rc::gen::inRange(1, 6);
  request.writers.resize(*rc::gen::inRange<std::size_t>(1, 6));
  std::iota(request.writers.begin(), request.writers.end(), 0);
  std::int64_t next = 0, covered = 0;
  for (const RangeTile& tile : cut_evenly(request, *rc::gen::inRange(1, 8)))
    grid.visit(tile.first, tile.last, [&](const Chunk& chunk) {
      RC_ASSERT(chunk.number == next++);
      const std::set<std::int64_t> held = elements_of(chunk, request.shape);
      RC_ASSERT(!held.empty() && *held.begin() >= tile.first && *held.rbegin() < tile.last);
      covered += std::ssize(held);
    });
  RC_ASSERT(next == grid.chunks());
  RC_ASSERT(covered == elements(request.shape));
}

// Who writes a chunk is one rank, also where the strategy goes by groups whose parts cross it.
RC_GTEST_PROP(ChunkGrid, AChunkHasOneOwnerUnderEveryStrategy, ()) {
  reference::Random random = reference::random_source();
  const int ranks = *rc::gen::inRange(1, 9);
  const reference::Decomposition made = reference::decompose(
      reference::random_shape(*rc::gen::inRange(1, 4), 300), ranks,
      *rc::gen::element(reference::Pieces::regular, reference::Pieces::irregular, reference::Pieces::maps), true,
      random);
  Config config;
  config.strategy = *rc::gen::element(StrategyKind::serial, StrategyKind::collective, StrategyKind::rows,
                                      StrategyKind::columns, StrategyKind::remap, StrategyKind::dynamic);
  std::vector<int> hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank / 2);
  const Machine machine = Machine::from_leaders(hosts);
  const auto strategy = make_strategy(config);
  const ChunkGrid grid(made.shape, random_chunk(made.shape));
  PlanRequest request;
  request.shape = made.shape;
  request.flat = made.flat;
  request.hosts = machine.hosts();
  request.granule = grid.granule();
  request.rounds = *rc::gen::inRange(1, 4);
  request.writers = strategy->writers(machine, config);
  std::vector<int> writers(static_cast<std::size_t>(grid.chunks()), 0);
  const std::vector<Plan> plans = reference::plan_all(machine, *strategy, request, made.layouts, true);
  for (const Plan& plan : plans)
    for (const Round& round : plan.rounds)
      for (const Stretch& stretch : round.tile.stretches)
        grid.visit(stretch.element, stretch.element + stretch.count,
                   [&](const Chunk& chunk) { ++writers[static_cast<std::size_t>(chunk.number)]; });
  RC_ASSERT(std::count(writers.begin(), writers.end(), 1) == std::ssize(writers));
}

TEST(ChunkGrid, CutsAPlaneIntoStripsOfChunks) {
  const ChunkGrid grid({3, 10, 4}, {1, 4, 4});
  EXPECT_EQ(grid.granule(), (Granule{16, 40}));
  EXPECT_EQ(grid.chunks(), 9);
  const std::int64_t begins[] = {0, 16, 32, 40, 56, 72, 80, 96, 112, 120};
  for (std::int64_t number = 0; number < 10; ++number) {
    EXPECT_EQ(grid.granule().begin(number), begins[number]);
    EXPECT_EQ(grid.granule().before(begins[number]), number);
    EXPECT_EQ(grid.granule().before(begins[number] + 1), number + 1);
  }
  std::vector<std::int64_t> numbers;
  grid.visit(32, 72, [&](const Chunk& chunk) { numbers.push_back(chunk.number); });
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{2, 3, 4}));
}

}  // namespace
}  // namespace weir
