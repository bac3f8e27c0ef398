// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// The report's arithmetic: visible and hidden seconds, slack, and each rank's share.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "faults/faults.hpp"
#include "instance/instance.hpp"

namespace {

using Json = nlohmann::json;

// Of an instance whose rank has been in calls for `call`, and has counted `hidden` and `slack` seconds.
Json report_of(double call, double hidden, double slack) {
  weir::Instance instance(MPI_COMM_WORLD, "durability: cache\n");
  instance.trace().calls().enter(1000);
  instance.trace().calls().leave(1000 + call);
  instance.tally().hidden_seconds = hidden;
  instance.tally().slack_seconds = slack;
  return Json::parse(instance.report());
}

class ReportTest : public faults::FaultTest {
 protected:
  // What this rank writes to standard error meanwhile.
  template <class Call>
  static std::string said_while(Call call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
  }
  void start_with_unknown(const std::string& config) {
    ::setenv("WEIR_OF_ANOTHER_PROGRAM", "1", 1);
    start(config);
    ::unsetenv("WEIR_OF_ANOTHER_PROGRAM");
  }
};

TEST_F(ReportTest, WithoutHiddenWorkTheModelWaitedForAllOfIt) {
  const Json report = report_of(1 + rank_, 0, 0);
  EXPECT_DOUBLE_EQ(report["visible_seconds"], ranks_);
  EXPECT_DOUBLE_EQ(report["output_seconds"], ranks_);
  EXPECT_DOUBLE_EQ(report["hidden_seconds"], 0);
  EXPECT_EQ(report["busiest_rank"], ranks_ - 1);
}

// The last rank wrote 40 s beside the model, rank 0 waited longest.
TEST_F(ReportTest, OutputIsVisibleAndHiddenOfTheBusiestRank) {
  const bool busy = rank_ == ranks_ - 1;
  const double call = rank_ == 0 ? 0.9 : 0.5;
  const Json report = report_of(call, busy ? 40 : 0, 0);
  EXPECT_DOUBLE_EQ(report["visible_seconds"], 0.9);
  EXPECT_DOUBLE_EQ(report["hidden_seconds"], 40);
  EXPECT_DOUBLE_EQ(report["output_seconds"], ranks_ == 1 ? 40.9 : 40.5);
  EXPECT_EQ(report["busiest_rank"], ranks_ - 1);
  const std::string took = ranks_ == 1 ? "40.9" : "40.5";
  EXPECT_EQ(report["sentence"], "output took " + took + " s; the model waited for 0.9 s of it.");
}

TEST_F(ReportTest, SlackIsHiddenAndNotVisible) {
  const Json report = report_of(10, 2, 8);
  EXPECT_DOUBLE_EQ(report["visible_seconds"], 2);
  EXPECT_DOUBLE_EQ(report["hidden_seconds"], 10);
  EXPECT_DOUBLE_EQ(report["slack_seconds"], 8);
  EXPECT_DOUBLE_EQ(report["output_seconds"], 12);
  for (const char* key : {"visible_seconds", "hidden_seconds", "slack_seconds"})
    EXPECT_EQ(report["per_rank"][key].size(), static_cast<std::size_t>(ranks_)) << key;
}

// The last rank computes longer than the others, once they have come to say that they are about to meet it.
TEST_F(ReportTest, WaitingForALateRankIsNotWaitingForWeir) {
  using namespace std::chrono;
  start("durability: cache\n");
  weir_file* file = nullptr;
  ASSERT_EQ(weir_create(weir_, path().c_str(), WEIR_CLOBBER, &file), WEIR_OK);
  ASSERT_EQ(weir_enddef(file), WEIR_OK);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = steady_clock::now();
  if (rank_ == ranks_ - 1) std::this_thread::sleep_for(milliseconds(400));
  double computed = duration<double>(steady_clock::now() - begin).count(), longest = 0;
  ASSERT_EQ(weir_sync(file), WEIR_OK);
  ASSERT_EQ(weir_close(file), WEIR_OK);
  MPI_Allreduce(&computed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const char* json = nullptr;
  ASSERT_EQ(weir_report(weir_, &json), WEIR_OK);
  const Json report = Json::parse(json);
  const double late = report["per_rank"]["late_seconds"][rank_];
  // On a machine that stalls another rank may have computed as long.
  if (longest - computed > 0.3) {
    EXPECT_GT(late, 0.1);
  }
  EXPECT_LE(late, report["late_seconds"]);
}

TEST_F(ReportTest, SharesOfTheRanksMakeTheWhole) {
  start("strategy: remap\ndebug.ranks_per_host: 2\n");
  make_good_file(3);
  const char* json = nullptr;
  ASSERT_EQ(weir_report(weir_, &json), WEIR_OK);
  const Json report = Json::parse(json);
  const auto total = [&](const char* key) {
    const std::vector<std::int64_t> each = report["per_rank"][key];
    EXPECT_EQ(std::ssize(each), ranks_);
    return std::accumulate(each.begin(), each.end(), std::int64_t{0});
  };
  EXPECT_EQ(total("bytes_written"), report["files"][0]["bytes_written"]);
  EXPECT_EQ(total("messages"), report["messages"]);
  EXPECT_EQ(total("message_bytes"), report["message_bytes"]);
  const std::vector<std::int64_t> written = report["per_rank"]["bytes_written"];
  EXPECT_EQ(report["ranks_that_wrote"], std::count_if(written.begin(), written.end(), [](auto b) { return b > 0; }));
  EXPECT_EQ(report["bytes_per_writer"]["max"], *std::max_element(written.begin(), written.end()));
  EXPECT_GT(report["bytes_per_writer"]["min"], 0);
  EXPECT_GT(report["visible_seconds"], 0);
  EXPECT_DOUBLE_EQ(report["output_seconds"], report["visible_seconds"]);
  const std::vector<double> visible = report["per_rank"]["visible_seconds"];
  EXPECT_DOUBLE_EQ(report["visible_seconds"], *std::max_element(visible.begin(), visible.end()));
}

// Rank 0 writes all and comes first: it waits within its own call for the pieces of the others. On a busy machine it
// may come late itself, but not each time.
TEST_F(ReportTest, AWriterThatWaitsForPiecesIsToldToWait) {
  if (ranks_ == 1) GTEST_SKIP() << "nobody to wait for";
  constexpr double late_seconds = 0.05;
  start("strategy: serial\ndurability: cache\n");
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  const auto waited = [&] {
    EXPECT_EQ(weir_sync(file), WEIR_OK) << weir_error(weir_);
    const char* json = nullptr;
    EXPECT_EQ(weir_report(weir_, &json), WEIR_OK);
    return Json::parse(json)["seconds"]["wait"]["max"].get<double>();
  };
  bool told = false;
  double before = waited();
  for (std::int64_t record = 1; record < 40 && !told; ++record) {
    if (rank_ != 0) std::this_thread::sleep_for(std::chrono::duration<double>(late_seconds));
    EXPECT_EQ(put_field(file, record), WEIR_OK);
    const double after = waited();
    told = after - before > 0.8 * late_seconds;
    before = after;
  }
  EXPECT_TRUE(told);
  EXPECT_EQ(weir_close(file), WEIR_OK);
}

// An unknown variable of the environment ends no run, but it is told: in JSON, and in the lines for people.
TEST_F(ReportTest, TellsWhatIsToBeKnownOfTheConfiguration) {
  EXPECT_EQ(said_while([&] { start_with_unknown("report: \"-\"\n"); }), "") << "the report says it";
  const char* json = nullptr;
  ASSERT_EQ(weir_report(weir_, &json), WEIR_OK);
  const Json notes = Json::parse(json)["notes"];
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].get<std::string>().find("WEIR_OF_ANOTHER_PROGRAM"), std::string::npos) << notes;
  const std::string lines = said_while([&] { EXPECT_EQ(end().code, WEIR_OK) << weir_init_error(); });
  EXPECT_EQ(lines.find("weir: environment variable WEIR_OF_ANOTHER_PROGRAM") != lines.npos, rank_ == 0) << lines;
}

// Who asks for no report, or for one in a file, is told at the start, once.
TEST_F(ReportTest, AnUnknownVariableIsToldWithoutAReport) {
  for (const std::string& config : {std::string("strategy: remap\n"), "report: " + path("report.json") + "\n"}) {
    const std::string lines = said_while([&] { start_with_unknown(config); });
    EXPECT_EQ(lines, rank_ == 0 ? "weir: environment variable WEIR_OF_ANOTHER_PROGRAM is not a key of Weir and is not "
                                  "similar to one: it has no effect\n"
                                : "");
    const std::string later = said_while([&] {
      make_good_file(1);
      EXPECT_EQ(end().code, WEIR_OK) << weir_init_error();
    });
    EXPECT_EQ(later, "");
  }
}

// What a call has cost until now counts before it has ended: a report that weir_finalize makes has the commit of the
// files it closed.
TEST_F(ReportTest, TheCallThatGoesOnCounts) {
  weir::Instance instance(MPI_COMM_WORLD, "durability: cache\n");
  const weir::Call call(instance.trace(), instance.tally().visible_seconds);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(Json::parse(instance.report())["visible_seconds"], 0.02);
}

}  // namespace
