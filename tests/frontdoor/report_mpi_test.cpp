// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4 7
// The report's arithmetic: visible and hidden seconds, slack, and each rank's share; and the file of a job's reports.
#include <gtest/gtest.h>
#include <sys/file.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "base/descriptor.hpp"
#include "faults/faults.hpp"
#include "instance/instance.hpp"
#include "instance/report_file.hpp"

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

namespace fs = std::filesystem;

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

// A job's report in a file: instances side by side, one after another, with and without the job's rank 0.
class ReportFileTest : public ReportTest {
 protected:
  // An instance of these ranks makes a file; `color` as MPI_Comm_split has it.
  void run_instance(int color, const std::string& name, const std::string& to = "report.json") {
    MPI_Comm ranks = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, rank_, &ranks);
    if (ranks == MPI_COMM_NULL) return;
    weir_t* weir = nullptr;
    MPI_Comm model = MPI_COMM_NULL;
    weir_file* file = nullptr;
    const std::string config = "strategy: remap\ndurability: cache\nreport: " + path(to) + "\n";
    EXPECT_EQ(weir_init(ranks, config.c_str(), &model, &weir), WEIR_OK) << weir_init_error();
    EXPECT_EQ(weir_create(weir, path(name).c_str(), WEIR_CLOBBER, &file), WEIR_OK) << weir_error(weir);
    EXPECT_EQ(weir_enddef(file), WEIR_OK) << weir_error(weir);
    EXPECT_EQ(weir_finalize(&weir), WEIR_OK) << weir_init_error();
    MPI_Comm_free(&model);
    MPI_Comm_free(&ranks);
  }
  // Of each instance in the file, in any order: its file's name and its ranks' numbers in the job.
  std::map<std::string, std::vector<int>> told(const std::string& of = "report.json") {
    MPI_Barrier(MPI_COMM_WORLD);
    const Json whole = Json::parse(contents(path(of)));
    std::map<std::string, std::vector<int>> found;
    for (const Json& report : whole.contains("instances") ? whole["instances"] : Json::array({whole}))
      found[fs::path(report["files"][0]["path"].get<std::string>()).filename()] =
          report["per_rank"]["job_rank"].get<std::vector<int>>();
    MPI_Barrier(MPI_COMM_WORLD);
    return found;
  }
  std::vector<int> ranks_from(int first, int end) const {
    std::vector<int> ranks(static_cast<std::size_t>(end - first));
    std::iota(ranks.begin(), ranks.end(), first);
    return ranks;
  }
};

TEST_F(ReportFileTest, HasTheInstancesOfAllRanks) {
  using Told = std::map<std::string, std::vector<int>>;
  run_instance(0, "all.nc");
  Told wanted{{"all.nc", ranks_from(0, ranks_)}};
  EXPECT_EQ(told(), wanted);
  const int half = ranks_ / 2;
  run_instance(rank_ < half ? 0 : 1, rank_ < half ? "first.nc" : "last.nc");
  if (half > 0) wanted["first.nc"] = ranks_from(0, half);
  wanted["last.nc"] = ranks_from(half, ranks_);
  EXPECT_EQ(told(), wanted);
  run_instance(rank_ > 0 ? 0 : MPI_UNDEFINED, "without_0.nc");
  if (ranks_ > 1) wanted["without_0.nc"] = ranks_from(1, ranks_);
  EXPECT_EQ(told(), wanted);
  std::set<std::string> files{"report.json"};
  for (const auto& [name, ranks] : wanted) files.insert(name);
  expect_files(files);
}

// Each rank alone, all at the same time.
TEST_F(ReportFileTest, TakesOneAfterAnother) {
  std::map<std::string, std::vector<int>> wanted;
  for (int round = 0; round < 3; ++round) {
    run_instance(rank_, std::to_string(round) + "_" + std::to_string(rank_) + ".nc");
    for (int rank = 0; rank < ranks_; ++rank)
      wanted[std::to_string(round) + "_" + std::to_string(rank) + ".nc"] = {rank};
  }
  EXPECT_EQ(told(), wanted);
}

// An earlier job's, and what is no report, gives way; a link stays one.
TEST_F(ReportFileTest, IsOfThisJobAlone) {
  if (rank_ == 0) {
    fs::create_symlink("behind.json", path("report.json"));
    std::ofstream(path("behind.json")) << R"({"sentence": "an earlier job's"})";
    fs::last_write_time(path("behind.json"), fs::file_time_type::clock::now() - std::chrono::hours(1));
    std::ofstream(path("other.json")) << "no report";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  run_instance(0, "file.nc");
  run_instance(0, "other.nc", "other.json");
  EXPECT_EQ(told().count("file.nc"), 1U);
  EXPECT_EQ(told("other.json").count("other.nc"), 1U);
  EXPECT_TRUE(fs::is_symlink(path("report.json")));
  expect_files({"report.json", "behind.json", "other.json", "file.nc", "other.nc"});
}

TEST_F(ReportFileTest, WaitsForAProcessThatAdds) {
  run_instance(0, "first.nc");
  const std::string file = path("report.json");
  MPI_Barrier(MPI_COMM_WORLD);
  const weir::Descriptor held = weir::open_to_read(file);
  if (rank_ == 0) {
    ASSERT_EQ(::flock(held.number(), LOCK_EX), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::thread releases([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::flock(held.number(), LOCK_UN);
  });
  const auto before = std::chrono::steady_clock::now();
  weir::add_to_report(file, [](const std::string& text) { return weir::with_bridge(text, R"({"notes": ["added"]})"); });
  if (rank_ == 0) {
    EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(250));
  }
  releases.join();
  EXPECT_EQ(told().count("first.nc"), 1U);
  EXPECT_EQ(Json::parse(contents(file))["bridge"]["notes"], Json::array({"added"}));
}

TEST_F(ReportFileTest, EndsWithTheHundredth) {
  std::string file;
  for (std::size_t i = 0; i < weir::most_instances_told + 2; ++i) {
    file = weir::with_instance(file, R"({"sentence": "one"})");
    if (i == 1) file = weir::with_bridge(file, R"({"files": [{"path": "a"}], "notes": ["b"]})");
  }
  const Json whole = Json::parse(file);
  EXPECT_EQ(whole["instances"].size(), weir::most_instances_told);
  EXPECT_EQ(whole["more_instances"], true);
  EXPECT_EQ(whole["bridge"]["files"].size(), 1U);
  EXPECT_EQ(weir::with_bridge(file, R"({"notes": ["late"]})"), file);
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
