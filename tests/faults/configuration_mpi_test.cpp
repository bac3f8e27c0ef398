// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// Configurations that cannot be had, by weir_init: all ranks are told the same sentence.
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
  expect_same(try_start("strategy: dynamic\nhops: two\n"), WEIR_ECONFIG, {"hops: two", "control: rank"});
  expect_same(try_start("strategy: dynamic\nprogress: thread\n"), WEIR_ECONFIG,
              {"progress: thread", "MPI_THREAD_MULTIPLE", "progress: auto"});
  expect_same(try_start("strategy: remap\nprogress: thread\n"), WEIR_ECONFIG, {"progress: thread", "dynamic"});
  expect_same(try_start("strategy: remap\ncontrol: rank\nhops: two\n"), WEIR_ECONFIG, {"hops: two", "dynamic"});
}

// A rank that Weir takes for itself is one that the model does not have.
TEST_F(Configuration, ReservesMoreRanksThanThereAre) {
  const std::string all = std::to_string(ranks_), one_more = std::to_string(ranks_ + 1);
  expect_same(try_start("strategy: servers\nservers: 0\n"), WEIR_ECONFIG, {"servers", "at least 1"});
  expect_same(try_start("strategy: servers\nservers: " + all + "\n"), WEIR_ECONFIG,
              {"reserves " + all + " rank(s) of " + all, "start the model with more"});
  expect_same(try_start("strategy: servers\nservers: " + one_more + "\n"), WEIR_ECONFIG,
              {"reserves " + one_more + " rank(s) of " + all});
  world_ = MPI_COMM_SELF;
  expect_same(try_start("strategy: dynamic\ncontrol: rank\n"), WEIR_ECONFIG,
              {"reserves 1 rank(s) of 1", "start the model with more"});
}

}  // namespace
}  // namespace faults
