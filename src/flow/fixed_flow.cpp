// SPDX-License-Identifier: Apache-2.0
// Fixed owners: the plan's.
#include <algorithm>
#include <iterator>
#include <utility>

#include "flow/duty_list.hpp"
#include "flow/flow.hpp"
#include "flow/writer_thread.hpp"
#include "forward/forward.hpp"

namespace weir {

namespace {

class FixedFlow final : public Flow {
 public:
  explicit FixedFlow(const FlowParts& parts)
      : parts_(parts), background_(parts.config.overlap == OverlapKind::background), forward_(parts.comm) {
    if (background_)
      thread_ = std::make_unique<WriterThread>(WriterThread::Work{[](const Duty&) { return true; },
                                                                  [this](Duty& duty) { write_beside(duty); },
                                                                  [](const Duty&) { return false; }});
  }

  // The place that this cycle fills was written by the cycle before the last one.
  bool begin(Cycle& cycle) override {
    cycle.place = static_cast<int>(cycle.number % places_per_rank);
    if (cycle.number <= places_per_rank) return true;
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = cycle.number});
    await(duties_[cycle.number % places_per_rank]);
    return parts_.board.await_written(cycle.number - places_per_rank, parts_.deadline());
  }

  bool make_room(std::uint32_t) override { return true; }
  bool full(std::int64_t) const noexcept override { return false; }
  bool beside() const noexcept override { return background_; }
  void progress() override {}

  bool finish(Cycle& cycle) override {
    if (!put_in_place(cycle)) return false;
    {
      const Span span(parts_.trace.main(), Step::forward, parts_.tally.forward_seconds, {.number = cycle.number});
      forward_.exchange(cycle.batch, parts_.staging, parts_.deadline());
      parts_.staging.give_back(cycle.number);
    }
    rearrange(cycle);
    Duty& duty = duties_[cycle.number % places_per_rank];
    duty.cycle = cycle.number;
    duty.entries = cycle.batch.entries();
    duty.tiles = {{parts_.comm.rank(), cycle.place}};
    duty.done = false;
    prepare(duty);
    if (collective(duty)) await_others(duty);
    if (background_ && !collective(duty) && (owns(cycle) || !others_done(duty))) {
      thread_->add(duty);
      return true;
    }
    {
      const Span span(parts_.trace.main(), Step::write, parts_.tally.write_seconds, {.number = cycle.number});
      if (!owns(cycle) || collective(duty))
        write(duty);
      else
        parts_.write_and_wait(duty, [this, &duty] { write(duty); });
    }
    duty.done = true;
    await(duty);
    return true;
  }

  bool settle() override {
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds);
    for (Duty& duty : duties_) await(duty);
    return true;
  }

  void pause(const std::function<void()>& change) override { thread_ ? thread_->pause(change) : change(); }

  void end(std::uint32_t) override {
    if (thread_) thread_->drop();
    for (Duty& duty : duties_) {
      duty.failures.clear();
      duty.cycle = 0;
    }
  }
  void restart(std::uint32_t) override {}
  bool abandon() noexcept override { return !thread_ || thread_->abandon(); }
  std::int64_t messages() const noexcept override { return forward_.messages(); }
  std::int64_t message_bytes() const noexcept override { return forward_.bytes(); }
  std::int64_t control_messages() const noexcept override { return 0; }

 private:
  static bool collective(const Duty& duty) {
    return std::any_of(duty.entries.begin(), duty.entries.end(),
                       [](const Entry& entry) { return entry.file->output->collective(); });
  }

  // Where a file must be laid out anew first, what was begun before is finished.
  void prepare(const Duty& duty) {
    if (!must_prepare(duty)) return;
    await_others(duty);
    prepare_tiles(duty);
  }

  // What a rank says of a cycle it says of all cycles before it too (mpi/board.hpp). So the cycles of a rank end in
  // their order, those in which it has nothing to write among them.
  void await_others(const Duty& duty) {
    for (Duty& other : duties_)
      if (&other != &duty) await(other);
  }
  bool others_done(const Duty& duty) const {
    return std::all_of(std::begin(duties_), std::end(duties_),
                       [&](const Duty& other) { return &other == &duty || other.cycle == 0 || other.done; });
  }

  // Whether this rank has a tile to write.
  static bool owns(const Cycle& cycle) {
    const auto& entries = cycle.batch.entries();
    return std::any_of(entries.begin(), entries.end(),
                       [](const Entry& entry) { return entry.steps().tile_elements > 0; });
  }

  // Says that this rank's pieces are in place; an owner waits for those of its host. False where a rank has lost step.
  bool put_in_place(const Cycle& cycle) {
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = cycle.number});
    parts_.staging.synchronize();
    parts_.board.say_put(cycle.number);
    parts_.staging.hold(cycle.place, parts_.staging.tile_bytes());
    if (owns(cycle) && !parts_.board.await_put(cycle.number, parts_.deadline())) return false;
    parts_.staging.synchronize();
    return true;
  }

  void rearrange(const Cycle& cycle) {
    const Span span(parts_.trace.main(), Step::rearrange, parts_.tally.rearrange_seconds, {.number = cycle.number});
    for (const Arrival& arrival : forward_.arrivals()) {
      const Entry& entry = cycle.batch.entries()[arrival.entry];
      place(arrival.incoming->to_tile, arrival.bytes, parts_.staging.own_tile(cycle.place, entry.place.tile),
            entry.plan->element_bytes);
    }
  }

  // Any thread.
  void write(Duty& duty) {
    write_tiles(duty, parts_.staging, parts_.comm.number());
    parts_.board.say_written(duty.cycle);
  }

  void write_beside(Duty& duty) {
    const RollCall::InStorage here(parts_.roll_call);
    const HiddenSpan span(parts_.trace, Step::write, duty.seconds, duty.hidden_seconds, {.number = duty.cycle});
    write(duty);
  }

  // Until it is written; takes what it has found. A duty that was never begun is done.
  void await(Duty& duty) {
    if (duty.cycle == 0) return;
    if (thread_) thread_->await(duty, parts_.deadline());
    duty.cycle = 0;
    parts_.tally.write_seconds += std::exchange(duty.seconds, 0.0);
    parts_.tally.hidden_seconds += std::exchange(duty.hidden_seconds, 0.0);
    std::move(duty.failures.begin(), duty.failures.end(), std::back_inserter(parts_.noted));
    duty.failures.clear();
  }

  FlowParts parts_;
  bool background_;
  Forward forward_;
  Duty duties_[places_per_rank];
  std::unique_ptr<WriterThread> thread_;
};

}  // namespace

std::unique_ptr<Flow> make_fixed_flow(const FlowParts& parts) {
  return std::make_unique<FixedFlow>(parts);
}

}  // namespace weir
