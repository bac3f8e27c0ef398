// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// Configurations that cannot be had, or differ between ranks, by weir_init: all ranks are told the same sentence.
#include <algorithm>
#include <cstdlib>

#include "base/config_keys.hpp"
#include "base/text.hpp"
#include "faults/faults.hpp"

namespace faults {
namespace {

using Configuration = FaultTest;

TEST_F(Configuration, NamesWhatIsNotKnown) {
  expect_same(try_start("strategy: remapp\n"), WEIR_ECONFIG, {"remapp", "did you mean \"remap\""});
  expect_same(try_start("strateggy: remap\n"), WEIR_ECONFIG, {"strateggy", "strategy"});
  expect_same(try_start("buffer_limit: 3\n"), WEIR_ECONFIG, {"buffer_limit", "64KiB"});
  expect_same(try_start("timeout: 0\n"), WEIR_ECONFIG, {"timeout"});
  expect_same(try_start(folder_.string() + "/no_such.yaml"), WEIR_ECONFIG, {"no_such.yaml"});
}

TEST_F(Configuration, StrategyWithoutWriters) {
  expect_same(try_start("writers_per_host: 0\n"), WEIR_ECONFIG, {"writers_per_host", "at least 1"});
  expect_same(try_start("writers: -1\n"), WEIR_ECONFIG, {"writers", "-1"});
  expect_same(try_start("strategy: dynamic\ndebug.hops: two\n"), WEIR_ECONFIG, {"debug.hops: two", "control: rank"});
  expect_same(try_start("strategy: dynamic\nprogress: thread\n"), WEIR_ECONFIG,
              {"progress: thread", "MPI_THREAD_MULTIPLE", "progress: auto"});
  expect_same(try_start("strategy: remap\nprogress: thread\n"), WEIR_ECONFIG, {"progress: thread", "dynamic"});
  expect_same(try_start("strategy: remap\ncontrol: rank\ndebug.hops: two\n"), WEIR_ECONFIG,
              {"debug.hops: two", "dynamic"});
}

// A rank that Weir takes for itself is one that the model does not have.
TEST_F(Configuration, ReservesMoreRanksThanThereAre) {
  const std::string all = std::to_string(ranks_), one_more = std::to_string(ranks_ + 1);
  expect_same(try_start("strategy: servers\nservers: 0\n"), WEIR_ECONFIG, {"servers", "at least one"});
  expect_same(try_start("strategy: servers\nservers: " + all + "\n"), WEIR_ECONFIG,
              {"reserves " + all + " rank(s) of " + all, "start the model with more"});
  expect_same(try_start("strategy: servers\nservers: " + one_more + "\n"), WEIR_ECONFIG,
              {"reserves " + one_more + " rank(s) of " + all});
  world_ = MPI_COMM_SELF;
  expect_same(try_start("strategy: dynamic\ncontrol: rank\n"), WEIR_ECONFIG,
              {"reserves 1 rank(s) of 1", "start the model with more"});
}

// A key, a value of all ranks but the last, and one of that rank, as they are shown.
struct Differing {
  const char *key, *all, *last;
};
void PrintTo(const Differing& differing, std::ostream* out) {
  *out << differing.key;
}
const std::vector<Differing> every_key{
    {"strategy", "remap", "serial"},
    {"sink", "auto", "null"},
    {"debug.forward", "auto", "messages"},
    {"writers", "0", "1"},
    {"writers_per_host", "1", "2"},
    {"debug.ranks_per_host", "0", "1"},
    {"domains", "0", "1"},
    {"buffer_limit", "1MiB", "2MiB"},
    {"stripe_size", "0", "1MiB"},
    {"bundle_size", "256KiB", "1"},
    {"header_free", "0", "512"},
    {"variable_align", "0", "512"},
    {"record_align", "0", "512"},
    {"timeout", "20s", "20.0001s"},
    {"storage_timeout", "0s", "90s"},
    {"durability", "storage", "cache"},
    {"page_cache", "auto", "through"},
    {"control", "hosted", "rank"},
    {"debug.choose", "auto", "arrival"},
    {"debug.hops", "one", "two"},
    {"overlap", "auto", "none"},
    {"progress", "auto", "calls"},
    {"writer_cores", "auto", "none"},
    {"writers_per_variable", "0", "2"},
    {"flush_after", "1", "2"},
    {"writers_at_once", "0", "1"},
    {"servers", "1", "2"},
    {"tuned", "auto", "none"},
    {"trace", "", "/dev/null"},
    {"report", "", "-"},
    {"hints", "a=1;b=2", "a=1;b=3"},
    {"format", "auto", "netcdf4"},
    {"compression", "zlib", "none"},
    {"compression_level", "1", "2"},
    {"chunk_records", "1", "2"},
    {"records", "all", "1"},
    {"until_time", "all", "1"},
    {"streams", "{s: {file: s.nc, every: 1 day, fields: [sst]}}", "{s: {file: s.nc, every: 2 days, fields: [sst]}}"},
    {"restart", "", "restart_{time}.nc"},
    {"commit_group", "", "*.nc"},
    {"collective", "no", "yes"},
    {"done_marker", "no", "yes"},
    {"files", "{\"*.nc\": {writers: 1}}", "{\"*.nc\": {writers: 2}}"}};

class DifferingKey : public FaultTest, public testing::WithParamInterface<Differing> {};

TEST_P(DifferingKey, IsNamedWithBothValuesAndRanks) {
  if (ranks_ == 1) GTEST_SKIP() << "needs two ranks";
  const auto& [key, all, last] = GetParam();
  const std::string name(key), value = rank_ == ranks_ - 1 ? last : all;
  std::string text;
  for (const char* line : {"strategy: dynamic\n", "control: rank\n", "sink: \"null\"\n"})  // all values go with these
    if (!std::string(line).starts_with(name + ":")) text += line;
  text += name + ": " + (value.starts_with("{") ? value : "'" + value + "'") + "\n";
  expect_same(try_start(text), WEIR_ECONFIG,
              {name + " is " + weir::in_quotes(last) + " on rank " + std::to_string(ranks_ - 1) + " and " +
                   weir::in_quotes(all) + " on rank 0",
               "give all ranks the same"});
  EXPECT_EQ(weir_, nullptr);
}
INSTANTIATE_TEST_SUITE_P(All, DifferingKey, testing::ValuesIn(every_key), [](const auto& tested) {
  std::string name(tested.param.key);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(DifferingKeys, AreAllTested) {
  for (const weir::ConfigKey& key : weir::config_keys())
    EXPECT_TRUE(std::any_of(every_key.begin(), every_key.end(), [&](const auto& d) { return key.name == d.key; }))
        << key.name;
}

// As where mpirun does not hand the environment to all hosts.
TEST_F(Configuration, OfTheEnvironmentOfOneRank) {
  if (ranks_ == 1) GTEST_SKIP() << "needs two ranks";
  const std::string last = std::to_string(ranks_ - 1);
  if (rank_ == ranks_ - 1) setenv("WEIR_REPORT", "-", 1);
  expect_same(
      try_start("strategy: remap\n"), WEIR_ECONFIG,
      {"the configuration differs: report is \"-\" on rank " + last + " and \"\" on rank 0", "mpirun -x WEIR_REPORT"});
  unsetenv("WEIR_REPORT");
  start();  // the ranks are not out of sync
}

// What is written at the end is tried at the start, and leaves nothing there.
TEST_F(Configuration, WhereNothingCanBeWritten) {
  for (const std::string key : {"report", "trace"}) {
    expect_same(try_start(key + ": " + path("no/such.json") + "\n"), WEIR_EIO, {key, "no/such.json", "does not exist"});
    expect_same(try_start(key + ": " + folder_.string() + "\n"), WEIR_EIO, {key, "is a directory"});
  }
  start("report: " + path("report.json") + "\ntrace: " + path("trace.json") + "\n");
  expect_files({});
  expect_same(end(), WEIR_OK, {});
  expect_files({"report.json", "trace.json"});
}

// The program has gone elsewhere.
TEST_F(Configuration, RelativePathsAreOfTheFolderAtTheStart) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  start("report: report.json\ntrace: trace.json\n");
  fs::current_path(before);
  expect_same(end(), WEIR_OK, {});
  expect_files({"report.json", "trace.json"});
}

// A disk that is full only then.
TEST_F(Configuration, AReportThatFailsAtTheEndIsAllRanksError) {
  for (const std::string strategy : {"remap", "servers"}) {
    if (ranks_ == 1 && strategy == "servers") continue;
    for (const std::string key : {"report", "trace"}) {
      start("strategy: " + strategy + "\n" + key + ": /dev/full\n");
      if (weir_ == nullptr) continue;  // this rank has served
      const Outcome outcome = end();
      EXPECT_EQ(outcome.code, WEIR_EIO) << key;
      EXPECT_NE(outcome.message.find("/dev/full"), std::string::npos) << outcome.message;
    }
  }
}

}  // namespace
}  // namespace faults
