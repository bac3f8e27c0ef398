// SPDX-License-Identifier: Apache-2.0
#include "base/trace.hpp"

#include <array>
#include <type_traits>

namespace weir {

static_assert(std::is_trivially_copyable_v<TraceEvent>, "events travel between ranks as bytes");

std::string_view name(Step step) noexcept {
  constexpr std::array<std::string_view, step_count> names{"call",   "plan", "put",  "forward", "rearrange", "write",
                                                           "commit", "wait", "read", "get",     "compress"};
  return names[static_cast<std::size_t>(step)];
}

std::string_view name(Mark mark) noexcept {
  constexpr std::array<std::string_view, 6> names{"offered", "assigned", "relay", "released", "written", "full"};
  return names[static_cast<std::size_t>(mark)];
}

void TraceLane::start(std::size_t events) {
  memory_.reset(new std::byte[events * sizeof(TraceEvent)]);  // not cleared: no page is touched
  room_ = events;
}

void TraceLane::add(const TraceEvent& event) noexcept {
  const std::size_t count = count_.load(std::memory_order_relaxed);
  if (count == room_) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  new (memory_.get() + count * sizeof(TraceEvent)) TraceEvent(event);
  count_.store(count + 1, std::memory_order_release);
}

void TraceLane::add_mark(Mark mark, const Detail& detail) noexcept {
  const double now = now_seconds();
  add({now, now, detail, static_cast<std::uint8_t>(mark), 1});
}

std::span<const TraceEvent> TraceLane::events() const noexcept {
  return {reinterpret_cast<const TraceEvent*>(memory_.get()), count_.load(std::memory_order_acquire)};
}

void Trace::start(std::size_t events_per_lane, double began) {
  began_ = began;
  main_.start(events_per_lane);
  writer_.start(events_per_lane);
}

Call::Call(Trace& trace, double& seconds, double begin) noexcept
    : trace_(trace), seconds_(seconds), begin_(begin), outermost_(trace.calls().enter(begin_)) {}

Call::~Call() {
  if (!outermost_) return;
  const double end = now_seconds();
  trace_.calls().leave(end);
  seconds_ += end - begin_;
  if (trace_.on()) trace_.main().add({begin_, end, {}, static_cast<std::uint8_t>(Step::call), 0});
}

HiddenSpan::HiddenSpan(Trace& trace, Step step, double& seconds, double& hidden_seconds, const Detail& detail) noexcept
    : trace_(trace),
      seconds_(seconds),
      hidden_seconds_(hidden_seconds),
      detail_(detail),
      step_(step),
      begin_(now_seconds()),
      in_calls_(trace.calls().seconds(begin_)) {}

HiddenSpan::~HiddenSpan() {
  const double end = now_seconds();
  const double seen = std::min(end - begin_, trace_.calls().seconds(end) - in_calls_);
  seconds_ += end - begin_;
  hidden_seconds_ += end - begin_ - std::max(0.0, seen);
  if (trace_.writer().on()) trace_.writer().add({begin_, end, detail_, static_cast<std::uint8_t>(step_), 0});
}

}  // namespace weir
