// SPDX-License-Identifier: Apache-2.0
// Simulated time. Things happen one after another, by time and, at one time, in the order in which they were asked for:
// the same run twice is the same to the bit. Each participant is a fiber (fiber.hpp), whose text reads as what a rank
// does (wait, then go on), or, where millions are needed, an Action. Nothing here knows what is simulated. Pure, Local.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "simulate/fiber.hpp"

namespace weir::simulate {

struct Event {
  double time;
  std::uint64_t number;
  Action* action;
  // Times are not negative, and ordered as their bits are: compared by no jump, since either may well be the earlier.
  bool before(const Event& other) const noexcept {
    const auto own = std::bit_cast<std::uint64_t>(time), others = std::bit_cast<std::uint64_t>(other.time);
    return (own < others) | ((own == others) & (number < other.number));
  }
};

// What is to happen, the first of it at hand.
class EventHeap {
 public:
  bool empty() const noexcept { return events_.empty(); }
  void add(const Event& event);
  Event take_first() noexcept;

 private:
  void rise(std::size_t at) noexcept;
  void sink_first(const Event& event) noexcept;
  std::size_t first_of_four(std::size_t begin) const noexcept;
  std::size_t first_from(std::size_t begin) const noexcept;

  std::vector<Event> events_;  // of four children each: half as deep as one of two
};

// The same, and what comes next is known some events ahead, so that it can be fetched.
class EventQueue {
 public:
  bool empty() const noexcept { return next_ == end_ && later_.empty(); }
  const Event& first() const noexcept { return near_[next_]; }  // once looked ahead
  void add(const Event& event);
  // Knows what comes next.
  void look_ahead();
  Event take_first() noexcept;

 private:
  static constexpr std::size_t fewest = 8, most = 24, room = 64;
  void fetch() const noexcept;

  std::array<Event, room> near_;  // from next_ to end_, in their order: before all of later_
  std::size_t next_ = 0, end_ = 0;
  EventHeap later_;
};

class Engine {
 public:
  double now() const noexcept { return now_; }
  // `time` is not before now(). often: of something of which there is little, and which has most of what happens: kept
  // by itself, it stays in the processor's caches.
  void at(double time, Action& action) { many_.add({time > now_ ? time : now_, next_++, &action}); }
  void at_often(double time, Action& action) { few_.add({time > now_ ? time : now_, next_++, &action}); }
  // At this time, after all that was asked for before.
  void soon(Action& action) { soon_.push_back(&action); }
  // Begins work that may wait, and comes back when it waits for the first time, or is done. What it refers to outlives
  // the fibers.
  void start(std::function<void()> work) { fibers_.start(-1, std::move(work)); }
  // The same, of a rank's life: what the rank touches is fetched before it goes on.
  void start_life(int rank, std::function<void()> work) { fibers_.start(rank, std::move(work)); }
  void fetch(int rank, int step) const noexcept {
    if (fibers_.fetcher) fibers_.fetcher->fetch(rank, step);
  }
  void set_fetcher(const RankFetcher* fetcher) noexcept { fibers_.fetcher = fetcher; }
  // Until nothing is left to happen. Rethrows what work threw.
  void run();
  // Ends what waits.
  void end_fibers() noexcept { fibers_.end_all(); }
  std::int64_t events() const noexcept { return events_; }

  // Of work: waits until then, or for so long.
  void until(double time) {
    if (time <= now_) return;
    Fiber& fiber = fibers_.running();
    at(time, fiber);
    fiber.leave();
  }
  void pause(double seconds) { until(now_ + seconds); }
  Fiber& running() const { return fibers_.running(); }

 private:
  EventQueue& earliest() noexcept;
  void do_soon();

  double now_ = 0;
  std::uint64_t next_ = 0;
  std::int64_t events_ = 0;
  EventQueue few_, many_;
  std::vector<Action*> soon_;
  Fibers fibers_;
};

// Wakes all who wait for it, when it is told to: while (!condition) signal.wait();
class Signal {
 public:
  explicit Signal(Engine& engine) noexcept : engine_(&engine) {}
  void tell() {
    last_ = nullptr;
    for (Fiber* fiber = std::exchange(first_, nullptr); fiber; fiber = fiber->next) engine_->soon(*fiber);
  }
  void wait() {
    Fiber& fiber = engine_->running();
    fiber.next = nullptr;
    (last_ ? last_->next : first_) = &fiber;
    last_ = &fiber;
    fiber.leave();
  }

  // The rank that waits first is fetched; steps as an action's.
  void fetch(int step) const noexcept {
    if (step == 0) __builtin_prefetch(this);
    if (step == 1 && first_) __builtin_prefetch(first_);
    if (step >= 2 && first_) first_->fetch_stack(step - 2);
  }

 private:
  Engine* engine_;
  Fiber* first_ = nullptr;  // who waits, in the order in which they came
  Fiber* last_ = nullptr;
};

}  // namespace weir::simulate
