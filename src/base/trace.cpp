// SPDX-License-Identifier: Apache-2.0
#include "base/trace.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/text.hpp"

namespace weir {

static_assert(std::is_trivially_copyable_v<TraceEvent>, "events travel between ranks as bytes");

std::string_view name(Step step) noexcept {
  constexpr std::array<std::string_view, step_count> names{"call",      "plan",  "put",      "forward",
                                                           "rearrange", "write", "commit",   "wait",
                                                           "read",      "get",   "compress", "accumulate"};
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

namespace {

std::string args_of(const TraceEvent& event, const TraceText::Names& names) {
  const Detail& detail = event.detail;
  const bool put = !event.is_mark && static_cast<Step>(event.kind) == Step::put;
  std::string text;
  const auto say = [&text](const char* key, std::string_view value) {
    text.append(text.empty() ? "\"" : ",\"").append(key).append("\":").append(value);
  };
  if (!names.variable.empty()) say("variable", names.variable);
  if (!names.file.empty()) say("file", names.file);
  if (detail.number >= 0) say(put ? "record" : "unit", std::to_string(detail.number));
  if (detail.bytes >= 0) say("bytes", std::to_string(detail.bytes));
  if (detail.peer >= 0) say("peer", std::to_string(detail.peer));
  return text.empty() ? "" : ",\"args\":{" + text + "}";
}

}  // namespace

std::string in_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

TraceText::TraceText(const Head& head)
    : text_(formatted("{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"producer\":{},\"strategy\":{},\"ranks\":{},"
                      "\"hosts\":{}}},\"traceEvents\":[\n",
                      in_json(head.producer), in_json(head.strategy), head.ranks, head.hosts)) {}

// Numbers from 1: viewers take process or thread 0 for the idle one.
void TraceText::go_to(const Lane& lane) {
  lane_ = lane;
  place_ = formatted(R"("pid":{},"tid":{})", lane.host + 1, lanes * lane.rank + lane.number + 1);
}

void TraceText::name_host(const std::string& name) {
  line(R"({"ph":"M","name":"process_name",)" + place_ + R"(,"args":{"name":)" + in_json(name) + "}}");
}

void TraceText::name_lane(std::int64_t dropped, double clock_ahead_seconds) {
  const std::string title = formatted("rank {}{}", lane_.rank, lane_.number == 0 ? "" : " writer thread");
  char ahead[32];
  std::snprintf(ahead, sizeof ahead, "%.9f", clock_ahead_seconds);
  line(
      formatted("{{\"ph\":\"M\",\"name\":\"thread_name\",{},\"args\":{{\"name\":\"{}\",\"dropped\":{},\"clock_ahead_"
                "seconds\":{}}}}}",
                place_, title, dropped, ahead));
  line(formatted(R"({{"ph":"M","name":"thread_sort_index",{},"args":{{"sort_index":{}}}}})", place_,
                 lanes * lane_.rank + lane_.number));
}

void TraceText::add(const TraceEvent& event, const Names& names) {
  const double begin = event.begin * 1e6, length = (event.end - event.begin) * 1e6;
  char times[80];
  if (event.is_mark)
    std::snprintf(times, sizeof times, "\"ts\":%.3f,\"s\":\"t\"", begin);
  else
    std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", begin, length);
  const std::string_view title =
      event.is_mark ? name(static_cast<Mark>(event.kind)) : name(static_cast<Step>(event.kind));
  line(std::string(event.is_mark ? R"({"ph":"i","name":")" : R"({"ph":"X","name":")") + std::string(title) + "\"," +
       place_ + "," + times + args_of(event, names) + "}");
}

void TraceText::line(std::string_view text) {
  text_.append(std::exchange(first_, false) ? "" : ",\n").append(text);
}

}  // namespace weir
