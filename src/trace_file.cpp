// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace weir {

namespace {

constexpr std::size_t most_events_per_lane = std::size_t{1} << 17;
constexpr std::size_t fewest_events_per_lane = std::size_t{1} << 10;
constexpr std::size_t most_events_in_all = std::size_t{1} << 24;
constexpr std::size_t block_events = std::size_t{1} << 14;
constexpr int clock_questions = 16;
constexpr int lanes = 2;  // main, writer
constexpr const char* what = "trace";

// What a rank says before its events.
struct Head {
  std::int64_t events[lanes] = {};
  std::int64_t dropped[lanes] = {};
  char host[64] = {};
};

using Events = std::vector<TraceEvent>;

// By begin, a span before those within it.
Events in_order(const TraceLane& lane) {
  Events events(lane.events().rbegin(), lane.events().rend());
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return events;
}

template <class Value>
std::span<const std::byte> bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class Value>
std::span<std::byte> bytes_of(Value& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Rank 0's file while it is written.
class TraceFile {
 public:
  TraceFile(const TracedRun& run, double zero) : run_(run), zero_(zero) {}

  Status open();
  void begin_rank(int rank, const Head& head, double clock_ahead);
  void add(int lane, std::span<const TraceEvent> events);
  Status close();

 private:
  void line(const std::string& text) { out_ << (std::exchange(first_, false) ? "" : ",\n") << text; }
  void name_lane(int lane, const Head& head, double clock_ahead);
  std::string place(int lane) const;
  std::string details(const TraceEvent& event) const;
  Status status() const;

  const TracedRun& run_;
  double zero_;
  double clock_ahead_ = 0;
  int rank_ = 0;
  bool first_ = true;
  std::ofstream out_;
};

Status TraceFile::status() const {
  if (out_.good()) return {};
  return {WEIR_EIO,
          "the trace cannot be written to " + run_.config.trace +
              ": give a path in a folder that exists and has room, or leave out the key trace",
          no_file};
}

Status TraceFile::open() {
  out_.open(run_.config.trace);
  out_ << "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"producer\":\"weir\",\"strategy\":"
       << quoted(std::string(name(run_.config.strategy))) << ",\"ranks\":" << run_.machine.ranks()
       << ",\"hosts\":" << run_.machine.hosts() << "},\"traceEvents\":[\n"
       << std::flush;
  return status();
}

// Numbers from 1: viewers take process or thread 0 for the idle one.
std::string TraceFile::place(int lane) const {
  const int host = run_.machine.host_of[static_cast<std::size_t>(rank_)];
  return "\"pid\":" + std::to_string(host + 1) + ",\"tid\":" + std::to_string(lanes * rank_ + lane + 1);
}

void TraceFile::begin_rank(int rank, const Head& head, double clock_ahead) {
  rank_ = rank;
  clock_ahead_ = clock_ahead;
  const int host = run_.machine.host_of[static_cast<std::size_t>(rank)];
  if (run_.machine.neighbours(rank).front() == rank)
    line(R"({"ph":"M","name":"process_name",)" + place(0) + R"(,"args":{"name":)" +
         quoted("host " + std::to_string(host) + " (" + head.host + ")") + "}}");
  for (int lane = 0; lane < lanes; ++lane)
    if (lane == 0 || head.events[lane] > 0) name_lane(lane, head, clock_ahead);
}

void TraceFile::name_lane(int lane, const Head& head, double clock_ahead) {
  const std::string title = "rank " + std::to_string(rank_) + (lane == 0 ? "" : " writer thread");
  char ahead[32];
  std::snprintf(ahead, sizeof ahead, "%.9f", clock_ahead);
  line(R"({"ph":"M","name":"thread_name",)" + place(lane) + R"(,"args":{"name":")" + title + R"(","dropped":)" +
       std::to_string(head.dropped[lane]) + R"(,"clock_ahead_seconds":)" + ahead + "}}");
  line(R"({"ph":"M","name":"thread_sort_index",)" + place(lane) + R"(,"args":{"sort_index":)" +
       std::to_string(lanes * rank_ + lane) + "}}");
}

std::string TraceFile::details(const TraceEvent& event) const {
  const Detail& detail = event.detail;
  const bool put = !event.is_mark && static_cast<Step>(event.kind) == Step::put;
  std::string text;
  const auto say = [&text](const char* key, const std::string& value) {
    text += (text.empty() ? "\"" : ",\"") + std::string(key) + "\":" + value;
  };
  if (const auto found = run_.files.find(detail.file); found != run_.files.end()) {
    const TracedFile& file = found->second;
    if (detail.var >= 0 && detail.var < std::ssize(file.variables))
      say("variable", file.variables[static_cast<std::size_t>(detail.var)]);
    say("file", file.path);
  }
  if (detail.number >= 0) say(put ? "record" : "unit", std::to_string(detail.number));
  if (detail.bytes >= 0) say("bytes", std::to_string(detail.bytes));
  if (detail.peer >= 0) say("peer", std::to_string(detail.peer));
  return text.empty() ? "" : ",\"args\":{" + text + "}";
}

void TraceFile::add(int lane, std::span<const TraceEvent> events) {
  const std::string where = place(lane);
  for (const TraceEvent& event : events) {
    const double begin = std::max(0.0, event.begin - clock_ahead_ - zero_) * 1e6;
    const double end = std::max(begin, (event.end - clock_ahead_ - zero_) * 1e6);
    char times[80];
    if (event.is_mark)
      std::snprintf(times, sizeof times, "\"ts\":%.3f,\"s\":\"t\"", begin);
    else
      std::snprintf(times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f", begin, end - begin);
    const std::string_view title =
        event.is_mark ? name(static_cast<Mark>(event.kind)) : name(static_cast<Step>(event.kind));
    line(std::string(event.is_mark ? R"({"ph":"i","name":")" : R"({"ph":"X","name":")") + std::string(title) + "\"," +
         where + "," + times + details(event) + "}");
  }
}

Status TraceFile::close() {
  out_ << "\n]}\n";
  out_.close();
  return status();
}

// How far the clock of `rank` is ahead of this one, from the quickest of several answers.
double ask_clock(const Comm& comm, int rank, const Deadline& deadline) {
  double quickest = deadline.seconds(), ahead = 0;
  for (int i = 0; i < clock_questions; ++i) {
    const double asked = now_seconds();
    send(comm, {}, rank, deadline, what);
    double there = 0;
    receive(comm, bytes_of(there), rank, deadline, what);
    const double answered = now_seconds();
    if (answered - asked >= quickest) continue;
    quickest = answered - asked;
    ahead = there - (asked + answered) / 2;
  }
  return ahead;
}

void answer_clock(const Comm& comm, const Deadline& deadline) {
  for (int i = 0; i < clock_questions; ++i) {
    receive(comm, {}, 0, deadline, what);
    const double here = now_seconds();
    send(comm, bytes_of(here), 0, deadline, what);
  }
}

Head head_of(const Trace& trace) {
  Head head;
  head.events[0] = std::ssize(trace.main().events());
  head.events[1] = std::ssize(trace.writer().events());
  head.dropped[0] = trace.main().dropped();
  head.dropped[1] = trace.writer().dropped();
  ::gethostname(head.host, sizeof head.host - 1);
  return head;
}

// One of the other ranks: waits for its turn, then tells what it recorded.
void tell(const TracedRun& run, const Trace& trace, const Deadline& deadline) {
  receive(run.comm, {}, 0, deadline, what);
  if (!run.machine.same_host(0, run.comm.rank())) answer_clock(run.comm, deadline);
  const Head head = head_of(trace);
  send(run.comm, bytes_of(head), 0, deadline, what);
  for (const TraceLane* lane : {&trace.main(), &trace.writer()}) {
    const Events events = in_order(*lane);
    const std::span<const TraceEvent> all(events);
    for (std::size_t at = 0; at < all.size(); at += block_events)
      send(run.comm, std::as_bytes(all.subspan(at, std::min(block_events, all.size() - at))), 0, deadline, what);
  }
}

void hear(const TracedRun& run, int rank, TraceFile& file, const Deadline& deadline) {
  send(run.comm, {}, rank, deadline, what);
  const double clock_ahead = run.machine.same_host(0, rank) ? 0 : ask_clock(run.comm, rank, deadline);
  Head head;
  receive(run.comm, bytes_of(head), rank, deadline, what);
  file.begin_rank(rank, head, clock_ahead);
  Events block;
  for (int lane = 0; lane < lanes; ++lane)
    for (auto left = static_cast<std::size_t>(head.events[lane]); left > 0; left -= block.size()) {
      block.resize(std::min(block_events, left));
      receive(run.comm, std::as_writable_bytes(std::span(block)), rank, deadline, what);
      file.add(lane, block);
    }
}

void write_own(const Trace& trace, TraceFile& file) {
  file.begin_rank(0, head_of(trace), 0);
  file.add(0, in_order(trace.main()));
  file.add(1, in_order(trace.writer()));
}

}  // namespace

TracedFile traced(const OpenFile& file) {
  TracedFile names{quoted(std::filesystem::path(file.path).filename().string()), {}};
  for (const Variable& variable : file.schema.variables()) names.variables.push_back(quoted(variable.name));
  return names;
}

std::size_t traced_events(int ranks) noexcept {
  return std::clamp(most_events_in_all / static_cast<std::size_t>(ranks), fewest_events_per_lane, most_events_per_lane);
}

void write_trace(const TracedRun& run, Trace& trace) {
  const Deadline deadline(run.config.timeout_seconds);
  if (const double began = trace.calls().began(); began > 0)
    trace.main().add({began, now_seconds(), {}, static_cast<std::uint8_t>(Step::call), 0});
  TraceFile file(run, trace.began());
  Status status = run.comm.rank() == 0 ? file.open() : Status();
  broadcast(run.comm, status, 0, deadline, what);
  status.raise();
  if (run.comm.rank() == 0) {
    write_own(trace, file);
    for (int rank = 1; rank < run.comm.size(); ++rank) hear(run, rank, file, deadline);
    status = file.close();
  } else {
    tell(run, trace, deadline);
  }
  broadcast(run.comm, status, 0, deadline, what);
  status.raise();
}

}  // namespace weir
