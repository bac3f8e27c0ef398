// SPDX-License-Identifier: Apache-2.0
// What the simulator rests on: ranks that share a schedule hear what ranks with schedules of their own come to.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <span>

#include "schedule/control.hpp"
#include "schedule/local_control.hpp"
#include "schedule/memory_budget.hpp"

namespace weir {
namespace {

bool same(std::span<const Slot> a, std::span<const Slot> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Slot& x, const Slot& y) { return x.rank == y.rank && x.tile_buffer == y.tile_buffer; });
}

Machine some_machine(int most_ranks) {
  const int ranks = *rc::gen::inRange(1, most_ranks), a_host = *rc::gen::inRange(1, ranks + 1);
  std::vector<int> leaders;
  for (int rank = 0; rank < ranks; ++rank) leaders.push_back(rank / a_host * a_host);
  return Machine::from_leaders(leaders);
}

ScheduleParameters some_parameters() {
  ScheduleParameters how;
  how.choose = *rc::gen::element(ChooseKind::recent, ChooseKind::warm);
  how.flush_after = *rc::gen::inRange(1, 4);
  how.writers_per_node = *rc::gen::inRange(1, 3);
  return how;
}

std::int64_t some_series() {
  return *rc::gen::inRange(0, 4);
}

// Ranks come to units at their own pace, the first of them far before the last.
RC_GTEST_PROP(SharedSchedule, ImpliedSlotsAndReleasesAreTheSame, ()) {
  const Machine machine = some_machine(12);
  const ScheduleParameters how = some_parameters();
  const int slots = *rc::gen::inRange(1, machine.ranks() + 1), units = *rc::gen::inRange(1, 40);
  Config config;
  config.strategy = StrategyKind::dynamic;
  const int window = cycles_in_flight(config, machine, fewest_tile_buffers, slots);
  const auto shared = std::make_shared<ImpliedSchedule>(machine, how, window, std::max(units, window) + 1);
  std::vector<std::unique_ptr<Control>> together, alone;
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    together.push_back(make_implied_control(shared));
    alone.push_back(make_implied_control(std::make_shared<ImpliedSchedule>(machine, how, window, window + 1)));
  }
  std::vector<std::int64_t> series;
  for (int unit = 0; unit <= units; ++unit) series.push_back(some_series());
  const int settles = *rc::gen::inRange(1, units + 1);  // so often
  std::vector<int> reached(alone.size(), 0);
  for (std::int64_t left = std::int64_t{units} * machine.ranks(); left > 0; --left) {
    auto rank = static_cast<std::size_t>(*rc::gen::inRange(0, machine.ranks()));
    while (reached[rank] == units) rank = (rank + 1) % reached.size();
    const int unit = ++reached[rank];
    for (auto* controls : {&together, &alone})
      (*controls)[rank]->offer(unit, slots, series[static_cast<std::size_t>(unit)]);
    const auto one = together[rank]->slots(unit), other = alone[rank]->slots(unit);
    RC_ASSERT(!one.empty() && same(one, other));
    if (unit % settles == 0)
      for (auto* controls : {&together, &alone}) (*controls)[rank]->release(unit);
    RC_ASSERT(together[rank]->released() == alone[rank]->released());
  }
}

// A list that any number of readers go through.
struct List {
  std::vector<ControlEvent> events;
};
class Reader final : public ControlEvents {
 public:
  explicit Reader(std::shared_ptr<List> list) : list_(std::move(list)) {}
  void append(const ControlEvent& event) override { list_->events.push_back(event); }
  bool read(ControlEvent& event) override {
    if (at_ == list_->events.size()) return false;
    event = list_->events[at_++];
    return true;
  }
  void clear() override { list_->events.clear(); }
  void rewind() override { at_ = 0; }

 private:
  std::shared_ptr<List> list_;
  std::size_t at_ = 0;
};

RC_GTEST_PROP(SharedSchedule, HostedSlotsAreTheSameForAll, ()) {
  const int ranks = *rc::gen::inRange(1, 9), slots = *rc::gen::inRange(1, ranks + 1);
  const Machine machine = Machine::from_leaders(std::vector<int>(static_cast<std::size_t>(ranks), 0));
  ScheduleParameters how = some_parameters();
  how.choose = *rc::gen::element(ChooseKind::arrival, ChooseKind::recent, ChooseKind::warm);
  const auto list = std::make_shared<List>();
  const auto schedule = [&] { return std::make_shared<HostedSchedule>(std::make_unique<Reader>(list), machine, how); };
  const auto shared = schedule();
  std::vector<std::unique_ptr<Control>> together, alone;
  for (int rank = 0; rank < ranks; ++rank) {
    together.push_back(make_hosted_control(rank, shared));
    alone.push_back(make_hosted_control(rank, schedule()));
  }
  for (int unit = 1; unit <= 20; ++unit) {
    const int first = *rc::gen::inRange(0, ranks);
    const std::int64_t series = some_series();
    for (int k = 0; k < ranks; ++k) together[static_cast<std::size_t>((first + k) % ranks)]->offer(unit, slots, series);
    const std::span<const Slot> one = together[0]->slots(unit);
    RC_ASSERT(!one.empty());
    for (int rank = 0; rank < ranks; ++rank) RC_ASSERT(same(one, alone[static_cast<std::size_t>(rank)]->slots(unit)));
    RC_ASSERT(together[0]->released() == alone[0]->released());
    for (const Slot& slot : one) together[static_cast<std::size_t>(slot.rank)]->written(unit, slot.tile_buffer);
  }
}

}  // namespace
}  // namespace weir
