// SPDX-License-Identifier: Apache-2.0
#include "base/trace_text.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace weir {

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
    : text_(R"({"displayTimeUnit":"ms","otherData":{"producer":)" + in_json(head.producer) +
            ",\"strategy\":" + in_json(head.strategy) + ",\"ranks\":" + std::to_string(head.ranks) +
            ",\"hosts\":" + std::to_string(head.hosts) + "},\"traceEvents\":[\n") {}

// Numbers from 1: viewers take process or thread 0 for the idle one.
void TraceText::go_to(const Lane& lane) {
  lane_ = lane;
  place_ =
      "\"pid\":" + std::to_string(lane.host + 1) + ",\"tid\":" + std::to_string(lanes * lane.rank + lane.number + 1);
}

void TraceText::name_host(const std::string& name) {
  line(R"({"ph":"M","name":"process_name",)" + place_ + R"(,"args":{"name":)" + in_json(name) + "}}");
}

void TraceText::name_lane(std::int64_t dropped, double clock_ahead_seconds) {
  const std::string title = "rank " + std::to_string(lane_.rank) + (lane_.number == 0 ? "" : " writer thread");
  char ahead[32];
  std::snprintf(ahead, sizeof ahead, "%.9f", clock_ahead_seconds);
  line(R"({"ph":"M","name":"thread_name",)" + place_ + R"(,"args":{"name":")" + title + R"(","dropped":)" +
       std::to_string(dropped) + R"(,"clock_ahead_seconds":)" + ahead + "}}");
  line(R"({"ph":"M","name":"thread_sort_index",)" + place_ + R"(,"args":{"sort_index":)" +
       std::to_string(lanes * lane_.rank + lane_.number) + "}}");
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
