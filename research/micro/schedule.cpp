// SPDX-License-Identifier: Apache-2.0
// Google Benchmark of the scheduler: microseconds a decision on machines of 10^2 to 10^5 ranks, 64 on a node.
//
// The goal is 5 us a decision, and a total that grows no worse than linearly. A job is driven through: each unit is
// offered by all ranks or, where the first offer mans it and the others know at once, by the first; the tiles of the
// unit `in_flight` before it are written. `us_event` is over all events (an offer, a tile written), `us_unit` a whole
// unit. slots:0 is a slot a node.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "schedule/scheduler.hpp"

namespace {

using weir::ChooseKind;
using weir::HopKind;

constexpr int ranks_a_node = 64;
constexpr std::int64_t in_flight = 2;

weir::Machine machine_of(int ranks) {
  std::vector<int> leaders(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) leaders[static_cast<std::size_t>(rank)] = rank / ranks_a_node;
  return weir::Machine::from_leaders(leaders);
}

// Ranks in the order they arrive: neighbours about together, as ranks that exchange halos do.
std::vector<int> arrival_order(int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(1);
  for (std::size_t first = 0; first < order.size(); first += 4096)
    std::shuffle(order.begin() + static_cast<std::ptrdiff_t>(first),
                 order.begin() + static_cast<std::ptrdiff_t>(std::min(first + 4096, order.size())), random);
  return order;
}

class Job {
 public:
  Job(const weir::Machine& machine, const weir::ScheduleParameters& parameters, int slots)
      : scheduler_(machine, parameters), order_(arrival_order(machine.ranks())), slots_(slots) {}

  // One more unit. Returns the number of events.
  std::int64_t step(bool all_offer) {
    std::int64_t events = 0;
    for (const int rank : order_) {
      scheduler_.offer(rank, unit_, slots_);
      ++events;
      if (!all_offer && scheduler_.slots(unit_) != nullptr) break;
    }
    if (unit_ >= in_flight) events += write(unit_ - in_flight);
    ++unit_;
    return events;
  }

 private:
  std::int64_t write(std::int64_t unit) {
    done_ = *scheduler_.slots(unit);
    for (const weir::Slot& slot : done_) scheduler_.written(slot.rank, unit, slot.tile_buffer);
    return static_cast<std::int64_t>(done_.size());
  }

  weir::Scheduler scheduler_;
  std::vector<int> order_;
  int slots_;
  std::int64_t unit_ = 0;
  std::vector<weir::Slot> done_;
};

void schedule(benchmark::State& state, ChooseKind choose, HopKind hops, bool all_offer) {
  const weir::Machine machine = machine_of(static_cast<int>(state.range(0)));
  weir::ScheduleParameters parameters;
  parameters.choose = choose;
  parameters.hops = hops;
  parameters.tiles_per_rank = 4;
  const int slots = state.range(1) == 0 ? machine.hosts() : static_cast<int>(state.range(1));
  Job job(machine, parameters, slots);
  for (int unit = 0; unit < 4; ++unit) job.step(all_offer);
  std::int64_t events = 0;
  double seconds = 0;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    events += job.step(all_offer);
    const std::chrono::duration<double> step = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(step.count());
    seconds += step.count();
  }
  state.counters["us_event"] = seconds / static_cast<double>(events) * 1e6;
  state.counters["us_unit"] = seconds / static_cast<double>(state.iterations()) * 1e6;
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"ranks", "slots"})->UseManualTime();
  for (const std::int64_t slots : {0, 2})
    for (const std::int64_t ranks : {128, 1000, 10000, 100000}) bench->Args({ranks, slots});
}

BENCHMARK_CAPTURE(schedule, arrival, ChooseKind::arrival, HopKind::one, true)->Apply(sizes);
BENCHMARK_CAPTURE(schedule, arrival_two_hops, ChooseKind::arrival, HopKind::two, true)->Apply(sizes);
BENCHMARK_CAPTURE(schedule, recent, ChooseKind::recent, HopKind::one, false)->Apply(sizes);
BENCHMARK_CAPTURE(schedule, recent_all_offer, ChooseKind::recent, HopKind::one, true)->Apply(sizes);
BENCHMARK_CAPTURE(schedule, warm, ChooseKind::warm, HopKind::one, false)->Apply(sizes);

}  // namespace
