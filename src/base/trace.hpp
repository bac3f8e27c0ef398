// SPDX-License-Identifier: Apache-2.0
// The trace of one rank: spans (a step, its begin and end) and marks (a decision, its moment). file/trace_file.hpp
// writes the traces of all ranks into one file; docs/observing.md is for users. No MPI, no global state.
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

// compress: the part of a write that the processor takes for filters. accumulate: folding a sample of streams.
enum class Step : std::uint8_t {
  call,
  plan,
  put,
  forward,
  rearrange,
  write,
  commit,
  wait,
  read,
  get,
  compress,
  accumulate
};
// Decisions: a rank arrives at a unit; a unit's slots are assigned; a rank gets a relay; units may be written; a slot's
// tile is in the file; a rank's memory is used up.
enum class Mark : std::uint8_t { offered, assigned, relay, released, written, full };
constexpr int step_count = 12;

std::string_view name(Step step) noexcept;
std::string_view name(Mark mark) noexcept;

// What a span or a mark is about; fields that do not apply keep their value.
struct Detail {
  std::int64_t number = -1;  // of the record in a put, else of the cycle
  std::int64_t bytes = -1;
  int file = -1;  // serial number
  int var = -1;   // number in the file
  int peer = -1;  // the other rank
};

struct TraceEvent {
  double begin, end;  // equal for a mark
  Detail detail;
  std::uint8_t kind;  // a Step, or a Mark if is_mark is 1
  std::uint8_t is_mark;
};

// The events of one thread. A lane has memory for as many events as start() says; without start() it keeps nothing and
// costs a branch. When it is full, events are counted and dropped, so the beginning of a run is complete.
// Thread: one writes; events() may be read by another meanwhile.
class TraceLane {
 public:
  TraceLane() = default;
  TraceLane(const TraceLane&) = delete;
  TraceLane& operator=(const TraceLane&) = delete;

  // Makes room for `events` events; pages are taken as they fill.
  // Requires: no other thread knows the lane.
  void start(std::size_t events);
  bool on() const noexcept { return room_ > 0; }
  void add(const TraceEvent& event) noexcept;
  void mark(Mark mark, const Detail& detail = {}) noexcept {
    if (on()) add_mark(mark, detail);
  }
  // The events in the order of their ends: a span comes after those within it.
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

// How long the model has been in Weir's calls.
// Thread: one enters and leaves; any reads.
class CallClock {
 public:
  // Begins a call; returns false within a call, which this one is then part of.
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
  // Seconds in calls until now, with the current one.
  double seconds(double now) const noexcept {
    const double state = state_.load(std::memory_order_acquire);
    return state < 0 ? std::max(0.0, state + now) : state;
  }
  // When the current call began; 0 outside calls. For the thread that enters.
  double began() const noexcept { return began_; }

 private:
  // Outside calls: the seconds in calls so far. In a call: the seconds in the calls before it, minus the time at which
  // it began. Negative while in a call, since a clock's time is larger than any time that it has measured.
  std::atomic<double> state_{0};
  double began_ = 0;
};

// The trace of a rank: a lane for the thread of the rank's calls (or the progress thread between them), a lane for the
// writer thread, and the clock of its calls. Times are now_seconds() of the rank's clock. The model's own time, between
// calls, is not recorded.
class Trace {
 public:
  // Keeps events from now on. `began`: a time before all of them. Allocates; nothing is allocated later.
  // Requires: no other thread knows the trace.
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

// A span: at its end it adds its seconds to a sum of the Tally, and to the lane if tracing is on. A span within a span
// counts in both sums. On the lane's thread.
class Span {
 public:
  Span(TraceLane& lane, Step step, double& seconds, const Detail& detail = {}) noexcept
      : lane_(lane), seconds_(&seconds), detail_(detail), step_(step), begin_(now_seconds()) {}
  // For the trace alone: if it is off, the clock is not read.
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
  // For facts that are known only when the work is done.
  Detail& detail() noexcept { return detail_; }

 private:
  TraceLane& lane_;
  double* seconds_;
  Detail detail_;
  Step step_;
  double begin_;
};

// The span of a call of the model. A call within a call is part of it.
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

// A span of the writer thread: its seconds go to `seconds`, and those during which the model was outside Weir's calls
// to `hidden_seconds`, since work is hidden only while the model computes.
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

// Returns the text as a JSON string, with quotes.
std::string in_json(const std::string& text);

// The text of a trace, of a run or of a simulated one: Chrome trace JSON, which Perfetto opens and `weir report` draws.
// An event is a line, a host a process, a rank a thread, with another thread for its writer thread. Times are
// microseconds. Pure, Local.
class TraceText {
 public:
  static constexpr int lanes = 2;  // of a rank: its own and its writer thread's

  // The program that made the trace, and the shape of its run.
  struct Head {
    std::string producer, strategy;
    int ranks, hosts;
  };
  struct Lane {
    int host, rank, number;
  };
  // Names of an event, as JSON; "": it has none.
  struct Names {
    std::string_view variable, file;
  };

  explicit TraceText(const Head& head);
  // Events are added to this lane from now on.
  void go_to(const Lane& lane);
  void name_host(const std::string& name);
  void name_lane(std::int64_t dropped, double clock_ahead_seconds);
  // Adds an event; its times are seconds since the run's begin.
  void add(const TraceEvent& event, const Names& names = {});
  void end() { text_ += "\n]}\n"; }
  // Returns what was added since the last call.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void line(std::string_view text);

  Lane lane_{};
  std::string place_;  // of it
  bool first_ = true;
  std::string text_;
};

}  // namespace weir
