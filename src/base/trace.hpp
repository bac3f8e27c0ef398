// SPDX-License-Identifier: Apache-2.0
// What one rank did, and when: spans (a step, its begin and end) and marks (a decision, its moment). Told once:
//
//  1. A Trace has two lanes, each for one thread: main() for the one that the model calls from (or that listens while
//  it does not, engine/background_threads.hpp), writer() for the background writer. A lane has memory for so many
//     events, given by start(); without start() it keeps nothing and costs a branch. What comes when a lane is full is
//     counted and dropped: the beginning of a run is kept whole.
//  2. Span times a piece of work: at its end it adds its seconds to a sum of the Tally, tracing or not, and leaves an
//     event where tracing is on. A span within a span counts in both sums and lies within the other in the trace.
//  3. Call is the span of one call of the model's, and tells CallClock, so that HiddenSpan, on the writer's lane, can
//     leave out what the model spent in Weir's calls meanwhile: work is hidden only while the model computes.
//  4. What lies between calls is the model's own time. It is not recorded: the reader of the trace derives it.
//
// Times are now_seconds() of the rank's own clock. No MPI, no global state, nothing allocated after start(). Each lane
// has one thread that writes; events() may be read by another thread meanwhile and gives what is whole by then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"

namespace weir {

// compress: of a write, what the processor does for the file's filters.
enum class Step : std::uint8_t { call, plan, put, forward, rearrange, write, commit, wait, read, get, compress };
// Decisions: a rank arrives at a unit; a unit's slots are taken; a rank is told a relay; units may be written; a slot's
// tile is in the file; a rank's memory is used up.
enum class Mark : std::uint8_t { offered, assigned, relay, released, written, full };
constexpr int step_count = 11;

std::string_view name(Step step) noexcept;
std::string_view name(Mark mark) noexcept;

// What a span or a mark is about; what does not apply stays as it is.
struct Detail {
  std::int64_t number = -1;  // of the record in a put, else of the unit or cycle
  std::int64_t bytes = -1;
  int file = -1;  // number within the instance
  int var = -1;   // number within the file
  int peer = -1;  // the rank on the other side
};

struct TraceEvent {
  double begin, end;  // alike for a mark
  Detail detail;
  std::uint8_t kind;  // a Step, or a Mark where is_mark is 1
  std::uint8_t is_mark;
};

// The events of one thread.
class TraceLane {
 public:
  TraceLane() = default;
  TraceLane(const TraceLane&) = delete;
  TraceLane& operator=(const TraceLane&) = delete;

  // Room for so many events; pages are taken as they fill. Before any other thread knows the lane.
  void start(std::size_t events);
  bool on() const noexcept { return room_ > 0; }
  void add(const TraceEvent& event) noexcept;
  void mark(Mark mark, const Detail& detail = {}) noexcept {
    if (on()) add_mark(mark, detail);
  }
  // In the order of their ends: a span comes after those within it.
  std::span<const TraceEvent> events() const noexcept;
  // Events that came when the lane was full.
  std::int64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  void add_mark(Mark mark, const Detail& detail) noexcept;

  std::unique_ptr<std::byte[]> memory_;
  std::size_t room_ = 0;
  std::atomic<std::size_t> count_{0};
  std::atomic<std::int64_t> dropped_{0};
};

// How long the model has been in Weir's calls. One thread enters and leaves; any thread asks.
class CallClock {
 public:
  // False within a call: it is part of that one.
  bool enter(double now) noexcept {
    const double ended = state_.load(std::memory_order_relaxed);
    if (ended < 0) return false;
    state_.store(ended - now, std::memory_order_release);
    began_ = now;
    return true;
  }
  void leave(double now) noexcept {
    began_ = 0;
    state_.store(state_.load(std::memory_order_relaxed) + now, std::memory_order_release);
  }
  // In calls until now, one that goes on included.
  double seconds(double now) const noexcept {
    const double state = state_.load(std::memory_order_acquire);
    return state < 0 ? std::max(0.0, state + now) : state;
  }
  // When the call that goes on began; 0 outside calls. For the thread that enters.
  double began() const noexcept { return began_; }

 private:
  // Outside calls: the seconds in calls so far. Within one: those before it less the time of its begin, which is below
  // 0 because a clock is ahead of any time that was measured by it.
  std::atomic<double> state_{0};
  double began_ = 0;
};

class Trace {
 public:
  // Keeps events from now on. `began`: the time that all of them come after. Before any other thread knows the trace.
  void start(std::size_t events_per_lane, double began = now_seconds());
  bool on() const noexcept { return main_.on(); }
  TraceLane& main() noexcept { return main_; }
  TraceLane& writer() noexcept { return writer_; }
  const TraceLane& main() const noexcept { return main_; }
  const TraceLane& writer() const noexcept { return writer_; }
  CallClock& calls() noexcept { return calls_; }
  const CallClock& calls() const noexcept { return calls_; }
  double began() const noexcept { return began_; }

 private:
  TraceLane main_, writer_;
  CallClock calls_;
  double began_ = 0;
};

// Adds the time until its end to `seconds`, and to the lane. On the lane's thread.
class Span {
 public:
  Span(TraceLane& lane, Step step, double& seconds, const Detail& detail = {}) noexcept
      : lane_(lane), seconds_(&seconds), detail_(detail), step_(step), begin_(now_seconds()) {}
  // For the trace alone: where it is off, not even the clock is read.
  Span(TraceLane& lane, Step step, const Detail& detail) noexcept
      : lane_(lane), seconds_(nullptr), detail_(detail), step_(step), begin_(lane.on() ? now_seconds() : 0) {}
  ~Span() {
    if (!seconds_ && !lane_.on()) return;
    const double end = now_seconds();
    if (seconds_) *seconds_ += end - begin_;
    if (lane_.on()) lane_.add({begin_, end, detail_, static_cast<std::uint8_t>(step_), 0});
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  // For what is known only once the work is done.
  Detail& detail() noexcept { return detail_; }

 private:
  TraceLane& lane_;
  double* seconds_;
  Detail detail_;
  Step step_;
  double begin_;
};

// One call of the model's. A call within a call is part of it and counts once.
class Call {
 public:
  Call(Trace& trace, double& seconds, double begin = now_seconds()) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Trace& trace_;
  double& seconds_;
  double begin_;
  bool outermost_;
};

// As Span, on the thread besides the model: its seconds go to `seconds`, and those of them that the model spent outside
// Weir's calls to `hidden_seconds`.
class HiddenSpan {
 public:
  HiddenSpan(Trace& trace, Step step, double& seconds, double& hidden_seconds, const Detail& detail = {}) noexcept;
  ~HiddenSpan();
  HiddenSpan(const HiddenSpan&) = delete;
  HiddenSpan& operator=(const HiddenSpan&) = delete;

 private:
  Trace& trace_;
  double& seconds_;
  double& hidden_seconds_;
  Detail detail_;
  Step step_;
  double begin_;
  double in_calls_;
};

// The text of a trace, of a run (trace_file.hpp) or a simulated one: Chrome trace JSON, which Perfetto opens and `weir
// report` draws. An event a line, a process a host, a thread a rank and one more for its writer thread. Times are
// microseconds. Pure, Local.

// As it stands in JSON, in quotes.
std::string in_json(const std::string& text);

class TraceText {
 public:
  static constexpr int lanes = 2;  // of a rank: its own, its writer thread's

  // Of a run by what program, in its words.
  struct Head {
    std::string producer, strategy;
    int ranks, hosts;
  };
  struct Lane {
    int host, rank, number;
  };
  // Of an event, in JSON; "": it has none.
  struct Names {
    std::string_view variable, file;
  };

  explicit TraceText(const Head& head);
  // What is added is of this lane, until the next one.
  void go_to(const Lane& lane);
  void name_host(const std::string& name);
  void name_lane(std::int64_t dropped, double clock_ahead_seconds);
  // Its times in seconds since the run's begin.
  void add(const TraceEvent& event, const Names& names = {});
  void end() { text_ += "\n]}\n"; }
  // What was added since the last time.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void line(std::string_view text);

  Lane lane_{};
  std::string place_;  // of it
  bool first_ = true;
  std::string text_;
};

}  // namespace weir
