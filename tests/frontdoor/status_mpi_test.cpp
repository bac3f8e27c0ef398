// SPDX-License-Identifier: Apache-2.0
// ranks: 1 4
// What rank 0 keeps beside the report while a run goes on (src/instance/run_status.hpp).
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "faults/faults.hpp"

namespace {

using Json = nlohmann::json;

class StatusTest : public faults::FaultTest {
 protected:
  void start_reporting() { start("durability: cache\nreport: " + path("report.json") + "\n"); }
  std::string status_path() const { return path("report.json.live"); }
  // On rank 0, as it is once `holds` is true of it; on the others, and where it never is, empty. All wait for it.
  template <class Holds>
  Json status_once(Holds holds) {
    Json found;
    const auto end = faults::Clock::now() + faults::longest_call;
    while (rank_ == 0 && found.is_null() && faults::Clock::now() < end) {
      const Json now = Json::parse(contents(status_path()), nullptr, false);
      if (now.is_object() && holds(now))
        found = now;
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    wait_for_all(team_);
    return found;
  }
};

// At once, before anything is put: a run that is watched from its start on.
TEST_F(StatusTest, IsThereFromTheStartOn) {
  start_reporting();
  const Json status = status_once([](const Json&) { return true; });
  if (rank_ != 0) return;
  ASSERT_TRUE(status.is_object());
  EXPECT_EQ(status["weir_status"], 1);
  EXPECT_EQ(status["state"], "running");
  EXPECT_EQ(status["ranks"], ranks_);
  EXPECT_EQ(status["process"], ::getpid());
  EXPECT_EQ(status["records"], 0);
  EXPECT_EQ(status["warning"], "");
}

TEST_F(StatusTest, TellsOfRecordsAndCommitsAndGoesAtTheEnd) {
  start_reporting();
  weir_file* file = begin();
  for (std::int64_t record = 0; record < 3; ++record) EXPECT_EQ(put_field(file, record), WEIR_OK);
  Json status = status_once([](const Json& now) { return now["records"] == 3; });
  if (rank_ == 0) {
    ASSERT_TRUE(status.is_object());
    ASSERT_EQ(status["open_files"].size(), 1U);
    EXPECT_EQ(status["open_files"][0]["path"], path());
    EXPECT_EQ(status["open_files"][0]["records"], 3);
    EXPECT_EQ(status["open_files"][0]["committed"], 0);
    EXPECT_EQ(status["bytes"], 3 * 2 * ranks_ * 6 * 4);  // of all ranks
    EXPECT_GT(status["visible_seconds"], 0);
    EXPECT_GE(status["output_seconds"], status["visible_seconds"]);
  }
  EXPECT_EQ(put_field(file, 2), WEIR_OK);  // once more: no other record, and no more bytes
  EXPECT_EQ(weir_sync(file), WEIR_OK);
  status = status_once([](const Json& now) { return now["open_files"][0]["committed"] == 3; });
  if (rank_ == 0) {
    ASSERT_TRUE(status.is_object());
    EXPECT_EQ(status["bytes"], 3 * 2 * ranks_ * 6 * 4);
    EXPECT_GT(status["high_water_bytes"], 0);
  }
  EXPECT_EQ(weir_close(file), WEIR_OK);
  EXPECT_EQ(end().code, WEIR_OK);
  expect_files({"file.nc", "report.json"});
}

// One rank is in another call than the others: the sentence is there for who looks on, and the file stays.
TEST_F(StatusTest, TellsOfAFailedFile) {
  start_reporting();
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  if (rank_ == ranks_ - 1) {
    EXPECT_EQ(weir_fail(file, WEIR_EIO, "the input ended"), WEIR_EIO);
  }
  EXPECT_EQ(weir_sync(file), WEIR_EIO);
  const Json status =
      status_once([](const Json& now) { return now["warning"].get<std::string>().ends_with("the input ended"); });
  if (rank_ == 0) {
    EXPECT_TRUE(status.is_object()) << contents(status_path());
  }
  EXPECT_EQ(weir_close(file), WEIR_EIO);
  EXPECT_EQ(end().code, WEIR_OK);
  MPI_Barrier(team_);
  if (rank_ == 0) {
    EXPECT_FALSE(faults::fs::exists(status_path()));
  }
}

// Who is waited for: rank 0 has come to a meeting, the last rank has not.
TEST_F(StatusTest, TellsWhoIsBehind) {
  if (ranks_ == 1) GTEST_SKIP() << "nobody to wait for";
  start_reporting();
  weir_file* file = begin();
  EXPECT_EQ(put_field(file, 0), WEIR_OK);
  if (rank_ < ranks_ - 1) {
    EXPECT_EQ(weir_sync(file), WEIR_OK);
  } else {
    Json status;
    const auto last = faults::Clock::now() + faults::longest_call;
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      status = Json::parse(contents(status_path()), nullptr, false);
    } while (faults::Clock::now() < last &&
             (!status.is_object() || status["behind"] != std::to_string(rank_) || status["in_call_seconds"] == 0));
    EXPECT_EQ(status["behind"], std::to_string(rank_));
    EXPECT_GT(status["in_call_seconds"], 0);
    EXPECT_EQ(weir_sync(file), WEIR_OK);
  }
  EXPECT_EQ(weir_close(file), WEIR_OK);
}

// Opening a pipe that nobody reads does not come back, as a storage may not: the status is given up, and the run ends.
TEST_F(StatusTest, AStorageThatHangsHoldsUpNobody) {
  if (rank_ == 0) {
    ASSERT_EQ(::mkfifo((status_path() + ".new").c_str(), 0600), 0);
  }
  wait_for_all(team_);
  start_reporting();
  make_good_file(2);
  EXPECT_EQ(end().code, WEIR_OK);
  expect_files({"file.nc", "report.json", "report.json.live.new"});
}

// A report on standard error, or none, leaves nothing beside the run.
TEST_F(StatusTest, IsNotThereWithoutAReportInAFile) {
  start("durability: cache\n");
  make_good_file(1);
  EXPECT_EQ(end().code, WEIR_OK);
  expect_files({"file.nc"});
}

}  // namespace
