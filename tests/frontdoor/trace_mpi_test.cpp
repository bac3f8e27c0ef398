// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// The trace of a run: valid JSON with a span for every put of every rank, whole however many events there are; and a
// trace that cannot be written is an error on all ranks that spoils no file.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "faults/faults.hpp"
#include "file/trace_file.hpp"

namespace {

using Json = nlohmann::json;

struct Lane {
  std::string title;
  std::int64_t dropped = -1;
  std::vector<Json> spans, marks;  // in the order of the file
};

Json read_json(const std::string& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

std::map<int, Lane> lanes_of(const Json& trace) {
  std::map<int, Lane> lanes;
  for (const Json& event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    if (event["name"] == "thread_name") {
      lanes[event["tid"]].title = event["args"]["name"];
      lanes[event["tid"]].dropped = event["args"]["dropped"];
    }
    if (phase == "X") lanes[event["tid"]].spans.push_back(event);
    if (phase == "i") lanes[event["tid"]].marks.push_back(event);
  }
  return lanes;
}

double begin_of(const Json& span) {
  return span["ts"];
}
double end_of(const Json& span) {
  return span["ts"].get<double>() + span["dur"].get<double>();
}

class TraceTest : public faults::FaultTest {
 protected:
  static constexpr std::int64_t records = 3;

  std::string trace_path() const { return path("trace.json"); }
  // A model that puts temp and mask, then lets Weir go.
  void run_model(const std::string& keys) {
    start("strategy: remap\ntrace: " + trace_path() + "\n" + keys);
    weir_file* file = begin();
    const std::vector<short> mask(12, 1);
    EXPECT_EQ(weir_put(file, mask_, 0, rows_, WEIR_SHORT, mask.data()), WEIR_OK) << weir_error(weir_);
    for (std::int64_t r = 0; r < records; ++r) EXPECT_EQ(put_field(file, r), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
  }
  void expect_puts(const Lane& lane) const {
    std::vector<Json> puts;
    for (const Json& span : lane.spans)
      if (span["name"] == "put") puts.push_back(span);
    ASSERT_EQ(puts.size(), 1U + records) << lane.title;
    EXPECT_EQ(puts[0]["args"], Json({{"variable", "mask"}, {"file", "file.nc"}, {"record", 0}, {"bytes", 24}}));
    for (std::int64_t r = 0; r < records; ++r)
      EXPECT_EQ(puts[static_cast<std::size_t>(r) + 1]["args"],
                Json({{"variable", "temp"}, {"file", "file.nc"}, {"record", r}, {"bytes", 48}}));
  }
  // Each span lies within one call of the model's, calls follow each other, and none begins before the run.
  static void expect_calls(const Lane& lane) {
    std::vector<Json> calls;
    for (const Json& span : lane.spans)
      if (span["name"] == "call") calls.push_back(span);
    ASSERT_FALSE(calls.empty());
    constexpr double rounding = 0.002;  // microseconds
    for (std::size_t i = 1; i < calls.size(); ++i) EXPECT_GE(begin_of(calls[i]) + rounding, end_of(calls[i - 1]));
    for (const Json& span : lane.spans) {
      EXPECT_GE(begin_of(span), 0);
      EXPECT_TRUE(std::any_of(calls.begin(), calls.end(), [&](const Json& call) {
        return begin_of(span) + rounding >= begin_of(call) && end_of(span) <= end_of(call) + rounding;
      })) << span;
    }
  }
};

TEST_F(TraceTest, HasASpanForEveryPutOfEveryRank) {
  run_model("debug.ranks_per_host: 2\n");
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  const Json trace = read_json(trace_path());
  EXPECT_EQ(trace["otherData"]["ranks"], ranks_);
  EXPECT_EQ(trace["otherData"]["strategy"], "remap");
  const auto lanes = lanes_of(trace);
  ASSERT_EQ(lanes.size(), static_cast<std::size_t>(ranks_));
  int rank = 0;
  for (const auto& [tid, lane] : lanes) {
    EXPECT_EQ(tid, 2 * rank + 1);
    EXPECT_EQ(lane.title, "rank " + std::to_string(rank++));
    EXPECT_EQ(lane.dropped, 0);
    expect_puts(lane);
    expect_calls(lane);
    EXPECT_EQ(std::count_if(lane.spans.begin(), lane.spans.end(), [](const Json& s) { return s["name"] == "commit"; }),
              1);
  }
}

TEST_F(TraceTest, HasAProcessForEveryHost) {
  run_model("debug.ranks_per_host: 2\n");
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  std::map<int, std::string> hosts;
  const Json trace = read_json(trace_path());
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] == "process_name") hosts[event["pid"]] = event["args"]["name"];
    // All ranks are on one machine, so that one that is taken for another host has the same clock.
    if (event["name"] == "thread_name") {
      EXPECT_LT(std::abs(event["args"]["clock_ahead_seconds"].get<double>()), 1.0);
    }
    if (event["ph"] == "X") {
      EXPECT_EQ(event["pid"], ((event["tid"].get<int>() - 1) / 2) / 2 + 1);
    }
  }
  ASSERT_EQ(std::ssize(hosts), (ranks_ + 1) / 2);
  for (const auto& [pid, title] : hosts) EXPECT_EQ(title.find("host " + std::to_string(pid - 1) + " ("), 0U) << title;
}

TEST_F(TraceTest, WithoutTheKeyThereIsNone) {
  start();
  EXPECT_EQ(weir_close(begin()), WEIR_OK);
  ASSERT_EQ(end().code, WEIR_OK);
  expect_files({"file.nc"});
}

TEST_F(TraceTest, TwoInstancesHaveATraceEach) {
  run_model("");
  weir_t* other = nullptr;
  MPI_Comm model = MPI_COMM_NULL;
  const std::string config = "trace: " + path("other.json") + "\n";
  ASSERT_EQ(weir_init(MPI_COMM_WORLD, config.c_str(), &model, &other), WEIR_OK) << weir_init_error();
  EXPECT_EQ(weir_finalize(&other), WEIR_OK);
  MPI_Comm_free(&model);
  ASSERT_EQ(end().code, WEIR_OK);
  if (rank_ != 0) return;
  expect_puts(lanes_of(read_json(trace_path())).at(1));
  for (const auto& [tid, lane] : lanes_of(read_json(path("other.json"))))
    for (const Json& span : lane.spans) EXPECT_TRUE(span["name"] == "call" || span["name"] == "wait") << span["name"];
}

TEST_F(TraceTest, APathThatCannotBeWrittenIsTheSameErrorOnAllRanks) {
  expect_same(try_start("trace: " + path("nowhere/trace.json") + "\n"), WEIR_EIO, {"nowhere/trace.json", "trace"});
}

TEST_F(TraceTest, RanksThatDoNotAgreeOnTracingHearSoAtTheStart) {
  if (ranks_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  expect_same(try_start(rank_ == 1 ? "trace: " + trace_path() + "\n" : "trace: \"\"\n"), WEIR_ECONFIG,
              {"trace is ", "on rank 1", "on rank 0"});
}

// Hand-made traces, of more events than one message holds.
class TraceFileTest : public faults::FaultTest {
 protected:
  TraceFileTest() : comm_(weir::Comm::duplicate(MPI_COMM_WORLD)) {}
  void write(weir::Trace& trace) {
    config_.trace = path("trace.json");
    const weir::Machine machine = weir::Machine::from_leaders(std::vector<int>(static_cast<std::size_t>(ranks_), 0));
    weir::write_trace({config_, comm_, machine, {}}, trace);
  }

  weir::Comm comm_;
  weir::Config config_;
};

TEST_F(TraceFileTest, EveryEventOfBothLanesArrives) {
  constexpr int count = 20000;
  weir::Trace trace;
  trace.start(count);
  double seconds = 0;
  for (int i = 0; i < count / 2; ++i) {
    const weir::Span outer(trace.main(), weir::Step::commit, seconds, {.number = i});
    const weir::Span inner(trace.main(), weir::Step::wait, seconds, {.number = i, .peer = rank_});
  }
  for (int i = 0; i < count; ++i) trace.writer().mark(weir::Mark::written, {.number = i, .bytes = 8});
  write(trace);
  if (rank_ != 0) return;
  const auto lanes = lanes_of(read_json(path("trace.json")));
  ASSERT_EQ(lanes.size(), 2 * static_cast<std::size_t>(ranks_));
  for (int rank = 0; rank < ranks_; ++rank) {
    const Lane& main = lanes.at(2 * rank + 1);
    ASSERT_EQ(main.spans.size(), static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(main.spans[i]["args"]["unit"], i / 2);
      ASSERT_EQ(main.spans[i]["name"], i % 2 == 0 ? "commit" : "wait");
      ASSERT_EQ(main.spans[i]["args"].value("peer", -1), i % 2 == 0 ? -1 : rank);
    }
    const Lane& writer = lanes.at(2 * rank + 2);
    EXPECT_EQ(writer.title, "rank " + std::to_string(rank) + " writer thread");
    ASSERT_EQ(writer.marks.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(writer.marks.back()["args"], Json({{"unit", count - 1}, {"bytes", 8}}));
  }
}

TEST_F(TraceFileTest, SaysHowManyEventsWereDropped) {
  weir::Trace trace;
  trace.start(5);
  for (int i = 0; i < 12 + rank_; ++i) trace.main().mark(weir::Mark::offered);
  write(trace);
  if (rank_ != 0) return;
  const auto lanes = lanes_of(read_json(path("trace.json")));
  for (int rank = 0; rank < ranks_; ++rank) {
    EXPECT_EQ(lanes.at(2 * rank + 1).marks.size(), 5U);
    EXPECT_EQ(lanes.at(2 * rank + 1).dropped, 7 + rank);
  }
}

TEST_F(TraceFileTest, ManyRanksKeepFewerEventsEach) {
  EXPECT_GT(weir::traced_events(1), 100000U);
  EXPECT_EQ(weir::traced_events(64), weir::traced_events(1));
  EXPECT_LT(weir::traced_events(1000), weir::traced_events(64));
  EXPECT_GE(weir::traced_events(1000000), 1000U);
}

}  // namespace
