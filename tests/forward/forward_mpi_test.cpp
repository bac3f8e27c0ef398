// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// Forwarding to the plan's owners by messages alone: plans of random decompositions, several puts and rounds in one
// batch, carried by the code of a run. Every owner finds in its tile memory what the layouts say.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "../plan/messages.hpp"
#include "engine/request.hpp"
#include "engine/transport.hpp"
#include "mpi/agree.hpp"
#include "plan/planner.hpp"
#include "rearrange/copy.hpp"

namespace weir {
namespace {

// Every rank draws the same, so every rank can plan for all and take its own plan.
struct Put {
  Put(int ranks, std::int64_t first_value) : random(reference::random_source()), first(first_value) {
    made = reference::decompose(
        reference::random_shape(*rc::gen::inRange(1, 4), 1000), ranks,
        *rc::gen::element(reference::Pieces::regular, reference::Pieces::several, reference::Pieces::mixed),
        *rc::gen::arbitrary<bool>(), random);
    Config config;
    config.strategy = *rc::gen::element(StrategyKind::serial, StrategyKind::rows, StrategyKind::remap);
    config.writers = *rc::gen::inRange(1, ranks + 1);
    const Machine machine = Machine::from_leaders(std::vector<int>(static_cast<std::size_t>(ranks), 0));
    const auto strategy = make_strategy(config);
    PlanRequest request;
    request.shape = made.shape;
    request.flat = made.flat;
    request.element_bytes = 8;
    request.rounds = *rc::gen::inRange(1, 4);
    request.writers = strategy->writers(machine, config);
    plans = reference::plan_all(machine, *strategy, request, made.layouts, false);
  }
  Need need(std::size_t round) const {
    const Reserve& most = plans[0].reserves[round];
    return {8 * most.tile, 8 * most.packed, 8 * most.received};
  }

  reference::Random random;
  reference::Decomposition made;
  std::vector<Plan> plans;
  std::int64_t first;  // value of the array's first element; the others count on
};

std::int64_t host_order(const std::byte* bytes) {
  std::int64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | std::to_integer<std::int64_t>(bytes[i]);
  return value;
}

// Sends the cycle's pieces, and takes those of this rank's own tile until all have come and gone.
void exchange(Transport& transport, const Cycle& cycle, const Batch& batch, int rank) {
  PendingPuts pending;
  pending.cycle = cycle.number;
  pending.entries = batch.entries();
  pending.tiles = {{rank, cycle.tile_buffer}};
  for (const Entry& entry : pending.entries) pending.missing += std::ssize(entry.steps().incoming);
  transport.send(cycle, pending.entries);
  const Deadline deadline(60);
  for (Backoff backoff; pending.missing > 0 || !transport.sent(cycle.number); backoff.pause()) {
    transport.listen();
    const Status status = transport.receive(pending, false);
    RC_ASSERT(status.ok());
    RC_ASSERT(!deadline.passed());
  }
}

class World {
 public:
  World()
      : comm(Comm::duplicate(MPI_COMM_WORLD)),
        machine(Machine::from_leaders(std::vector<int>(static_cast<std::size_t>(comm.size()), 0))),
        reach(machine, comm.rank(), false),
        staging(comm, {false, true, false}, 8 << 20, {fewest_tile_buffers, 2 << 20, 2 << 20}, Deadline()),
        transport(comm, reach, staging, {trace, tally}, Deadline()) {
    cycle.fixed = true;
  }

  void stage_all(const Put& put) {
    std::vector<std::int64_t> values =
        reference::filled_buffer(put.made.layouts[static_cast<std::size_t>(comm.rank())]);
    for (std::int64_t& value : values) value += put.first;
    const Plan& plan = put.plans[static_cast<std::size_t>(comm.rank())];
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
      RC_ASSERT(staging.budget().fits(put.need(round)));
      batch.add({&file, 0, 0, &plan, round, staging.reserve(put.need(round), cycle.number), {}});
      const Entry& entry = batch.entries().back();
      RC_ASSERT(stage(cycle, entry, {values.data(), WEIR_INT64, WEIR_INT64}, staging, reach).count == 0);
    }
  }

  void exchange() { weir::exchange(transport, cycle, batch, comm.rank()); }

  // What this rank writes of a put, compared with the put's elements. Returns how many.
  std::int64_t check(const Put& put, const Entry& entry) const {
    std::int64_t count = 0;
    for (const Stretch& stretch : entry.steps().tile.stretches)
      for (std::int64_t i = 0; i < stretch.count; ++i) {
        const std::int64_t element = stretch.element + i;
        if (put.made.holder[static_cast<std::size_t>(element)] < 0) continue;
        RC_ASSERT(host_order(staging.own_tile(cycle.tile_buffer, entry.reservation.tile + 8 * (stretch.at + i))) ==
                  put.first + element);
        ++count;
      }
    return count;
  }

  // The next cycle, in the other place.
  void turn() {
    staging.close();
    batch.clear();
    cycle.tile_buffer = static_cast<int>(++cycle.number % fewest_tile_buffers);
  }

  Comm comm;
  Machine machine;
  Reach reach;
  Staging staging;
  Trace trace;
  Tally tally;
  Transport transport;
  OpenFile file;
  Cycle cycle;
  Batch batch;
};

RC_GTEST_PROP(Forward, BringsEveryPieceToItsPlace, ()) {
  static World* const world = new World;  // for all cases, and past MPI_Finalize, so that it is never freed
  std::vector<std::unique_ptr<Put>> puts;
  const int count = *rc::gen::inRange(1, 4);
  for (int p = 0; p < count; ++p)
    puts.push_back(std::make_unique<Put>(world->comm.size(), std::int64_t{1000000} * (p + 1)));
  for (const auto& put : puts) world->stage_all(*put);
  world->exchange();
  std::int64_t sums[2] = {0, 0};
  std::size_t e = 0;
  for (const auto& put : puts)
    for (std::size_t round = 0; round < put->plans[0].rounds.size(); ++round)
      sums[0] += world->check(*put, world->batch.entries()[e++]);
  for (const auto& put : puts)
    sums[1] += put->made.layouts[static_cast<std::size_t>(world->comm.rank())].elements_held();
  allreduce_sum(world->comm, sums, Deadline(60), "test");
  RC_ASSERT(sums[0] == sums[1]);
  world->turn();
}

// One message a pair of ranks, however many puts it is made of.
TEST(Forward, OneMessageAPairOfRanks) {
  const Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  const int ranks = comm.size(), rank = comm.rank();
  std::vector<Layout> layouts;
  for (std::int64_t r = 0; r < ranks; ++r)
    layouts.push_back(Layout::boxes(Shape{ranks, 5}, Shape{r, 0}, Shape{1, 5}, {}));
  Config config;
  config.strategy = StrategyKind::serial;
  PlanRequest request;
  request.shape = {ranks, 5};
  request.element_bytes = 8;
  request.writers = {0};
  const auto plans = reference::plan_all(Machine::from_leaders(std::vector<int>(static_cast<std::size_t>(ranks), 0)),
                                         *make_strategy(config), request, layouts, false);
  const Machine machine = Machine::from_leaders(std::vector<int>(static_cast<std::size_t>(ranks), 0));
  const Reach reach(machine, rank, false);
  Staging staging(comm, {false, true, false}, 1 << 20, {fewest_tile_buffers, 256 << 10, 256 << 10}, Deadline());
  Trace trace;
  Tally tally;
  Transport transport(comm, reach, staging, {trace, tally}, Deadline());
  OpenFile file;
  Cycle cycle;
  Batch batch;
  cycle.number = 1;
  cycle.fixed = true;
  const Reserve& most = plans[0].reserves[0];
  const Need need{8 * most.tile, 8 * most.packed, 8 * most.received};
  for (int put = 0; put < 10; ++put)
    batch.add({&file, 0, 0, &plans[static_cast<std::size_t>(rank)], 0, staging.reserve(need, 1), {}});
  exchange(transport, cycle, batch, rank);
  EXPECT_EQ(transport.traffic().messages, rank == 0 ? 0 : 1);
  EXPECT_EQ(transport.traffic().message_bytes, rank == 0 ? 0 : 10 * 5 * 8);
  EXPECT_EQ(tally.rearrange_seconds > 0, rank == 0 && ranks > 1) << "who places pieces tells how long it takes";
  EXPECT_EQ(transport.unpack_program_bytes(), 0) << "the plan's owners know where pieces go";
}

}  // namespace
}  // namespace weir
