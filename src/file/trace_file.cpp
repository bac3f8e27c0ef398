// SPDX-License-Identifier: Apache-2.0
#include "file/trace_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

namespace {

constexpr std::size_t most_events_per_lane = std::size_t{1} << 17;
constexpr std::size_t fewest_events_per_lane = std::size_t{1} << 10;
constexpr std::size_t most_events_in_all = std::size_t{1} << 24;
constexpr std::size_t block_events = std::size_t{1} << 14;
constexpr int clock_questions = 16;
constexpr int lanes = TraceText::lanes;
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

// Rank 0's file while it is written.
class TraceFile {
 public:
  TraceFile(const TracedRun& run, double zero)
      : run_(run),
        zero_(zero),
        text_({"weir", std::string(name(run.config.strategy)), run.machine.ranks(), run.machine.hosts()}) {}

  Status open();
  void begin_rank(int rank, const Head& head, double clock_ahead);
  void add(int lane, std::span<const TraceEvent> events);
  Status store();
  Status close();

 private:
  template <class Call>
  Status call(Call call) const;
  void go_to(int lane);
  TraceText::Names names_of(const Detail& detail) const;
  Status status(bool good) const;

  const TracedRun& run_;
  double zero_;
  double clock_ahead_ = 0;
  int rank_ = 0;
  TraceText text_;  // that has not gone to the file
  std::shared_ptr<std::ofstream> out_ = std::make_shared<std::ofstream>();
};

// Of the file, which may be slow.
template <class Call>
Status TraceFile::call(Call call) const {
  return run_.calls ? run_.calls->run(std::move(call), formatted("writing {}", run_.config.trace)) : call();
}

Status TraceFile::status(bool good) const {
  if (good) return {};
  return {WEIR_EIO,
          formatted("the trace cannot be written to {}: give a path in a folder that exists and has room, or leave out "
                    "the key trace",
                    run_.config.trace),
          {Scope::this_call}};
}

Status TraceFile::open() {
  const Status opened = call([out = out_, path = run_.config.trace] { return out->open(path), Status(); });
  return opened.ok() ? store() : opened;
}

// What was said since the last time.
Status TraceFile::store() {
  const auto write = [out = out_, text = text_.take()] {
    return (*out << text << std::flush).good() ? Status() : Status{WEIR_EIO, "", {Scope::this_call}};
  };
  return status(call(write).ok());
}

void TraceFile::go_to(int lane) {
  text_.go_to({run_.machine.host_of[static_cast<std::size_t>(rank_)], rank_, lane});
}

void TraceFile::begin_rank(int rank, const Head& head, double clock_ahead) {
  rank_ = rank;
  clock_ahead_ = clock_ahead;
  for (int lane = 0; lane < lanes; ++lane) {
    if (lane > 0 && head.events[lane] == 0) continue;
    go_to(lane);
    if (lane == 0 && run_.machine.neighbours(rank).front() == rank)
      text_.name_host(formatted("host {} ({})", run_.machine.host_of[static_cast<std::size_t>(rank)], head.host));
    text_.name_lane(head.dropped[lane], clock_ahead);
  }
}

TraceText::Names TraceFile::names_of(const Detail& detail) const {
  const auto found = run_.files.find(detail.file);
  if (found == run_.files.end()) return {};
  const TracedFile& file = found->second;
  const bool named = detail.var >= 0 && detail.var < std::ssize(file.variables);
  return {named ? file.variables[static_cast<std::size_t>(detail.var)] : std::string_view(), file.path};
}

void TraceFile::add(int lane, std::span<const TraceEvent> events) {
  go_to(lane);
  for (TraceEvent event : events) {
    event.begin = std::max(0.0, event.begin - clock_ahead_ - zero_);
    event.end = std::max(event.begin, event.end - clock_ahead_ - zero_);
    text_.add(event, names_of(event.detail));
  }
}

Status TraceFile::close() {
  text_.end();
  const Status stored = store();
  static_cast<void>(call([out = out_] { return out->close(), Status(); }));
  return stored.ok() ? status(out_->good()) : stored;
}

// How far the clock of `rank` is ahead of this one, from the quickest of several answers.
double ask_clock(const Comm& comm, int rank, const WaitLimit& wait) {
  double quickest = wait.seconds, ahead = 0;
  for (int i = 0; i < clock_questions; ++i) {
    const double asked = now_seconds();
    send(comm, {}, rank, wait.begin(), what);
    double there = 0;
    receive(comm, bytes_of(there), rank, wait.begin(), what);
    const double answered = now_seconds();
    if (answered - asked >= quickest) continue;
    quickest = answered - asked;
    ahead = there - (asked + answered) / 2;
  }
  return ahead;
}

void answer_clock(const Comm& comm, const WaitLimit& wait) {
  for (int i = 0; i < clock_questions; ++i) {
    receive(comm, {}, 0, wait.begin(), what);
    const double here = now_seconds();
    send(comm, bytes_of(here), 0, wait.begin(), what);
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
void tell(const TracedRun& run, const Trace& trace, const WaitLimit& wait) {
  receive(run.comm, {}, 0, wait.begin(), what);
  if (!run.machine.same_host(0, run.comm.rank())) answer_clock(run.comm, wait);
  const Head head = head_of(trace);
  send(run.comm, bytes_of(head), 0, wait.begin(), what);
  for (const TraceLane* lane : {&trace.main(), &trace.writer()}) {
    const Events events = in_order(*lane);
    const std::span<const TraceEvent> all(events);
    for (std::size_t at = 0; at < all.size(); at += block_events)
      send(run.comm, std::as_bytes(all.subspan(at, std::min(block_events, all.size() - at))), 0, wait.begin(), what);
  }
}

void hear(const TracedRun& run, int rank, TraceFile& file, const WaitLimit& wait) {
  send(run.comm, {}, rank, wait.begin(), what);
  const double clock_ahead = run.machine.same_host(0, rank) ? 0 : ask_clock(run.comm, rank, wait);
  Head head;
  receive(run.comm, bytes_of(head), rank, wait.begin(), what);
  file.begin_rank(rank, head, clock_ahead);
  Events block;
  for (int lane = 0; lane < lanes; ++lane)
    for (auto left = static_cast<std::size_t>(head.events[lane]); left > 0; left -= block.size()) {
      block.resize(std::min(block_events, left));
      receive(run.comm, std::as_writable_bytes(std::span(block)), rank, wait.begin(), what);
      file.add(lane, block);
      static_cast<void>(file.store());  // close() tells
    }
}

void write_own(const Trace& trace, TraceFile& file) {
  file.begin_rank(0, head_of(trace), 0);
  file.add(0, in_order(trace.main()));
  file.add(1, in_order(trace.writer()));
}

}  // namespace

TracedFile traced(const OpenFile& file) {
  TracedFile names{in_json(std::filesystem::path(file.path).filename().string()), {}};
  for (const Variable& variable : file.schema.variables()) names.variables.push_back(in_json(variable.name));
  return names;
}

std::size_t traced_events(int ranks) noexcept {
  return std::clamp(most_events_in_all / static_cast<std::size_t>(ranks), fewest_events_per_lane, most_events_per_lane);
}

void write_trace(const TracedRun& run, Trace& trace) {
  const WaitLimit wait{run.config.timeout_seconds, run.watch};
  if (const double began = trace.calls().began(); began > 0)
    trace.main().add({began, now_seconds(), {}, static_cast<std::uint8_t>(Step::call), 0});
  TraceFile file(run, trace.began());
  Status status = run.comm.rank() == 0 ? file.open() : Status();
  status = broadcast_value(run.comm, status, 0, wait.begin(), what);
  status.raise();
  if (run.comm.rank() == 0) {
    write_own(trace, file);
    for (int rank = 1; rank < run.comm.size(); ++rank) hear(run, rank, file, wait);
    status = file.close();
  } else {
    tell(run, trace, wait);
  }
  status = broadcast_value(run.comm, status, 0, wait.begin(), what);
  status.raise();
}

}  // namespace weir
