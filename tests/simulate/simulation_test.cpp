// SPDX-License-Identifier: Apache-2.0
// Whole simulated runs: the same twice, no byte lost, never faster than the machine, slower on a slower one.
#include "simulate/simulation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "machines.hpp"

namespace weir::simulate {
namespace {

using tests::plain;
using tests::weak;
using tests::with;

const std::vector<std::string> strategies{"serial",
                                          "collective",
                                          "rows",
                                          "columns",
                                          "remap",
                                          "dynamic",
                                          "dynamic\ncontrol: rank",
                                          "dynamic\noverlap: slack",
                                          "dynamic\noverlap: none",
                                          "servers\nservers: 2",
                                          "file_per_rank",
                                          "file_per_domain",
                                          "remap\noverlap: background",
                                          "dynamic\ndebug.forward: messages",
                                          "dynamic\nsink: pnetcdf",
                                          "dynamic\ncontrol: rank\ndebug.hops: two",
                                          "dynamic\ncontrol: rank\ndebug.hops: two\noverlap: none",
                                          "remap\ndebug.ranks_per_host: 2"};

Result run(const Profile& profile, const Workload& work, const std::string& config, int ranks_per_node = 0) {
  RunRequest request;
  request.ranks_per_node = ranks_per_node;
  return simulate(profile, work, with("strategy: " + config), request);
}

// Every strategy, on one node and on several, with memory for all and for little.
class EveryStrategy : public testing::TestWithParam<std::tuple<std::string, int, const char*>> {
 protected:
  Workload work() const {
    Workload made = weak(13, 0.02, 3);
    made.compute = {0.01, 0.3, true, 2, Halo::neighbours};
    return made;
  }
  std::string config() const { return std::get<0>(GetParam()) + "\nbuffer_limit: " + std::get<2>(GetParam()); }
  int ranks_per_node() const { return std::get<1>(GetParam()); }
};

TEST_P(EveryStrategy, WritesEveryByteOnce) {
  const Result result = run(plain(), work(), config(), ranks_per_node());
  EXPECT_EQ(result.bytes, work().bytes());
  EXPECT_EQ(result.bytes_written, work().bytes());
}

TEST_P(EveryStrategy, IsTheSameTwice) {
  const Result one = run(plain(), work(), config(), ranks_per_node());
  const Result other = run(plain(), work(), config(), ranks_per_node());
  EXPECT_EQ(one.seconds, other.seconds);
  EXPECT_EQ(one.visible_seconds, other.visible_seconds);
  EXPECT_EQ(one.events, other.events);
  EXPECT_EQ(one.messages, other.messages);
}

TEST_P(EveryStrategy, IsNeverFasterThanItsBusiestResource) {
  const Result result = run(plain(), work(), config(), ranks_per_node());
  for (const auto& [what, seconds] : result.busy) EXPECT_LE(seconds, result.seconds * (1 + 1e-9)) << what;
  EXPECT_GE(result.seconds, static_cast<double>(result.bytes) / 2e9) << "the storage takes 2 GB/s";
  EXPECT_GE(result.seconds, 0.03 * 0.7) << "three phases of computing";
}

TEST_P(EveryStrategy, HoldsNoMoreThanItsLimit) {
  const Config limit = with(std::string("buffer_limit: ") + std::get<2>(GetParam()));
  EXPECT_LE(run(plain(), work(), config(), ranks_per_node()).high_water_bytes, limit.buffer_limit_bytes);
}

TEST_P(EveryStrategy, GainsByFasterStorage) {
  Profile slow = plain(), fast = plain();
  slow.storage.rate = Curve({{1, {1e8, 1e8, 1e8, Source::assumed}}});
  slow.storage.total = {1e8, 1e8, 1e8, Source::assumed};
  fast.storage.total = {1e10, 1e10, 1e10, Source::assumed};
  fast.storage.rate = Curve({{1, {1e10, 1e10, 1e10, Source::assumed}}});
  const double on_slow = run(slow, work(), config(), ranks_per_node()).seconds;
  EXPECT_GT(on_slow, run(fast, work(), config(), ranks_per_node()).seconds);
  EXPECT_GE(on_slow, static_cast<double>(work().bytes()) / 1e8);
}

INSTANTIATE_TEST_SUITE_P(OnOneNodeAndOnMany, EveryStrategy,
                         testing::Combine(testing::ValuesIn(strategies), testing::Values(16, 2),
                                          testing::Values("64MiB", "1MiB")));

TEST(Simulation, MessagesAreTheBytesThatCrossHosts) {
  // Two nodes of two ranks along z, each with one writer: half of every variable is at home, and stays there.
  const Result result = run(plain(), weak(4), "remap", 2);
  EXPECT_LE(result.message_bytes, result.bytes / 2);
  EXPECT_EQ(run(plain(), weak(4), "remap", 4).messages, 0);
  EXPECT_EQ(run(plain(), weak(4), "collective", 2).messages, 0) << "MPI-IO's own exchange is not Weir's";
}

// A thread that writes needs a core: one that a rank computes on, unless the node has more of them than ranks.
TEST(Simulation, ThreadsTakeTheirCoresFromWhoComputes) {
  Workload work = weak(4, 0.05, 3);
  work.compute = {0.5, 0, false, 1, Halo::none};
  Profile profile = plain();
  const auto seconds = [&](int ranks_per_node) { return run(profile, work, "dynamic", ranks_per_node).seconds; };
  const double alone = seconds(4), spare = seconds(2), shared = [&] {
    profile.cores = 2;
    return seconds(4);
  }();
  profile.storage.processor = {1e8, 1e8, 1e8, Source::assumed};
  // What is written of the last record is not written while anybody computes.
  const double bytes = static_cast<double>(work.bytes()) * 2 / 3;
  EXPECT_NEAR(seconds(4) - shared, bytes / 1e8 / 2, 0.1 * bytes / 1e8 / 2) << "two cores for all four";
  profile.cores = 4;
  EXPECT_EQ(seconds(2), spare) << "two cores to spare on each node";
  const double own = seconds(4) - alone;
  EXPECT_GE(own, bytes / 1e8 / 4 * 0.9) << "each writes on its own core";
  EXPECT_LE(own, bytes / 1e8) << "at the most one of them for all";
  work.compute.seconds = 0;
  const double idle = seconds(4);
  profile.storage.processor = {};
  EXPECT_EQ(idle, seconds(4)) << "nobody computes";
}

// A rank that comes before the holders are known leaves its pieces with a relay and goes on; what a relay holds itself
// need not cross again.
TEST(Simulation, WhatGoesByARelayCrossesTwice) {
  Workload work = weak(12, 0.1, 3);
  work.compute = {0.05, 0.9, true, 1, Halo::none};
  const std::string dynamic =
      "dynamic\ncontrol: rank\nwriters_per_variable: 4\ndebug.choose: arrival\ndebug.forward: messages";
  const Result one = run(plain(), work, dynamic, 3), two = run(plain(), work, dynamic + "\ndebug.hops: two", 3);
  EXPECT_EQ(one.relayed_messages, 0);
  EXPECT_GT(two.relayed_messages, 0);
  EXPECT_EQ(two.bytes_written, work.bytes());
  EXPECT_GT(two.message_bytes, one.message_bytes);
  EXPECT_LE(two.message_bytes, 2 * work.bytes());
}

TEST(Simulation, SerialTakesWhatOneCardTakes) {
  const Workload work = weak(8);
  const Result result = run(plain(), work, "serial", 1);
  const double others = static_cast<double>(work.bytes()) * 7 / 8;
  EXPECT_EQ(result.message_bytes, static_cast<std::int64_t>(others));
  EXPECT_GE(result.seconds, others / 1e9);
  EXPECT_LE(result.seconds, others / 1e9 + static_cast<double>(work.bytes()) * (1 / 2e9 + 1 / 1e9 + 2 / 1e10) + 0.01);
}

// SimGrid's SMPI, running the library, showed that it did not (docs/results/simulate_simgrid.md).
TEST(Simulation, MessagesWithinANodeShareItsBandwidth) {
  const Workload work = weak(8);
  Profile profile = plain();
  profile.within.bandwidth = Curve({{1, {1e8, 1e8, 1e8, Source::assumed}}});
  const Result result = run(profile, work, "rows\ndebug.forward: messages\nsink: \"null\"", 8);
  ASSERT_GT(result.messages, 1);
  EXPECT_GE(result.seconds, static_cast<double>(result.message_bytes) / 1e8);
}

// ROMIO ends aggregators' stretches at multiples of the hint: of a short file one of them then has all.
TEST(Simulation, AggregatorsHaveWholeStripesOfTheHint) {
  const Workload work = weak(8, 4);
  RunRequest request;
  request.ranks_per_node = 2;
  request.puts_alone = true;
  const auto others = [&](const std::string& hints) {
    return simulate(plain(), work, with("strategy: rows\nsink: pnetcdf\nhints: {romio_cb_write: enable" + hints + "}"),
                    request);
  };
  const Result one = others(", striping_unit: 1073741824"), all = others("");
  EXPECT_EQ(one.bytes_written, work.bytes());
  EXPECT_GE(one.seconds, static_cast<double>(work.bytes()) / 1e9 * (1 + 3.0 / 4)) << "in by one card, and out again";
  EXPECT_GT(one.seconds, 2 * all.seconds);
}

// Weir's own ranks join in windows of one length, in turn: where one holds the file, its first writer has all.
TEST(Simulation, WindowsThatRanksJoinInAreOneAfterAnother) {
  const Workload work = weak(8);
  const std::string usual = "columns\nsink: pnetcdf\nhints: {cb_buffer_size: ";
  const Result one = run(plain(), work, usual + "1073741824}", 2), all = run(plain(), work, usual + "2097152}", 2);
  EXPECT_EQ(one.bytes_written, work.bytes());
  EXPECT_EQ(all.bytes_written, work.bytes());
  EXPECT_GT(one.seconds, 1.5 * all.seconds);
}

// A run tells MPI-IO of lines of processes that all are to exchange, wherever their pieces lie; who says otherwise is
// heard.
TEST(Simulation, LinesExchangeAsMpiIoIsTold) {
  const auto seconds = [](const std::string& more) {
    return run(plain(), weak(13, 0.05, 2), "rows\nsink: pnetcdf" + more, 4).seconds;
  };
  EXPECT_EQ(seconds(""), seconds("\nhints: {romio_cb_write: enable}"));
  EXPECT_NE(seconds(""), seconds("\nhints: {romio_cb_write: disable}"));
}

TEST(Simulation, WhatAnAggregatorsNodeHoldsCrossesNoCard) {
  const Workload work = weak(4);
  Profile slow = plain();
  slow.between.bandwidth = Curve({{1, {1e8, 1e8, 1e8, Source::assumed}}});
  const auto seconds = [&](const Profile& profile) {
    return run(profile, work, "columns\nsink: pnetcdf\nhints: {romio_cb_write: enable, cb_nodes: 1}", 2).seconds;
  };
  const double bytes = static_cast<double>(work.bytes());
  // The second row's half comes to the columns' ranks, both of the aggregator's node, which sends all to the storage.
  EXPECT_NEAR(seconds(slow) - seconds(plain()), 1.5 * bytes * (1 / 1e8 - 1 / 1e9), 0.1 * bytes / 1e8);
}

TEST(Simulation, VariablesBeginWhereAlignmentHasThem) {
  Profile profile = plain();
  profile.storage.stripes = {2, 2, 64 << 10, true, {1e9, 1e9, 1e9, Source::assumed}, {}, {}};
  const auto bytes = [&](const std::string& more) { return run(profile, weak(8), "remap" + more, 2).message_bytes; };
  EXPECT_NE(bytes(""), bytes("\nvariable_align: 64KiB"));
  EXPECT_NE(bytes(""), bytes("\nheader_free: 30KiB"));
}

// It reaches all memory there is, so nothing is kept for messages, and its scheduler is at hand.
TEST(Simulation, OneRankIsAHostThatSharesItsMemory) {
  const Result result = run(plain(), weak(1, 0.05, 2), "dynamic");
  EXPECT_GT(result.control_messages, 0);
  EXPECT_EQ(result.messages, 0);
}

TEST(Simulation, TilesAreCutAtStripesThatAreTold) {
  Profile profile = plain();
  profile.storage.stripes = {2, 2, 16 << 20, true, {1e9, 1e9, 1e9, Source::assumed}, {}, {}};
  const std::int64_t told = run(profile, weak(8), "remap", 2).message_bytes;
  profile.storage.stripes.told = false;
  const std::int64_t untold = run(profile, weak(8), "remap", 2).message_bytes;
  EXPECT_GT(told, untold);
  EXPECT_EQ(untold, run(plain(), weak(8), "remap", 2).message_bytes);
  EXPECT_EQ(told, run(profile, weak(8), "remap\nstripe_size: 16MiB", 2).message_bytes);
}

TEST(Simulation, NoOutputTakesWhatIsComputed) {
  Workload work = weak(8, 0.05, 4);
  work.compute = {0.5, 0, false, 1, Halo::none};
  RunRequest request;
  request.output = false;
  EXPECT_NEAR(simulate(plain(), work, Config(), request).seconds, 2.0, 1e-9);
}

TEST(Simulation, BackgroundWritingHidesBehindComputing) {
  Workload work = weak(8, 0.2, 4);
  work.compute = {0.5, 0, false, 1, Halo::none};
  const Result hidden = run(plain(), work, "dynamic", 2), seen = run(plain(), work, "dynamic\noverlap: none", 2);
  EXPECT_LT(hidden.seconds, seen.seconds);
  EXPECT_LT(hidden.seconds, 2.0 + 0.55 * (seen.seconds - 2.0)) << "all but the last record";
  EXPECT_GT(hidden.largest_hidden, 0);
}

// Ranks of several nodes that wait for room wait for what was sent of older cycles only: whoever holds later ones may
// have left the call, and be waiting for the halo of the one that waits.
TEST(Simulation, RanksWithHalosAndLittleMemoryComeToAnEnd) {
  const auto ends = [](Workload work, int ranks_per_node, Halo halo, const std::string& config) {
    work.compute = {0.01, 0.9, false, 1, halo};
    EXPECT_EQ(run(plain(), work, config, ranks_per_node).bytes_written, work.bytes()) << config;
  };
  const std::string forwarding = "\nwriters_per_variable: 4\ndebug.forward: messages\nbuffer_limit: ";
  WorkloadRequest jacobi{"jacobi", 12, 0.3, 2, {}};
  ends(make_workload(jacobi), 1, Halo::all, "dynamic\nflush_after: 3" + forwarding + "256KiB");
  ends(weak(32, 0.02, 2), 4, Halo::neighbours, "dynamic\ncontrol: rank" + forwarding + "1MiB");
  ends(make_workload({"licom", 32, 0.001, 2, {}}), 3, Halo::all,
       "dynamic\noverlap: slack\ncontrol: rank\nbuffer_limit: 2MiB");
}

// A local file takes one write at a time, however many write it; files of their own do not wait for each other.
TEST(Simulation, WritersOfALocalFileWaitForEachOther) {
  Profile local = plain();
  local.storage.shared = false;
  const Workload work = weak(4);
  const auto bytes = static_cast<double>(work.bytes());
  EXPECT_GE(run(local, work, "columns").seconds, bytes / 2e9);
  local.storage.total = {};
  EXPECT_LT(run(local, work, "file_per_rank").seconds, run(local, work, "collective\nsink: direct").seconds);
}

// Eight ranks cut x too: a column's rows are short. The whole variable is one piece.
TEST(Simulation, SmallPiecesCostTheirTime) {
  Profile local = plain();
  local.storage.shared = false;
  const double columns = run(local, weak(8), "columns", 8).seconds, serial = run(local, weak(8), "serial", 8).seconds;
  local.storage.piece = Curve({{1, {1e-4, 1e-4, 1e-4, Source::assumed}}, {4, {4e-4, 4e-4, 4e-4, Source::assumed}}});
  EXPECT_GT(run(local, weak(8), "columns", 8).seconds, columns + 1);
  EXPECT_NEAR(run(local, weak(8), "serial", 8).seconds, serial, 0.01);
}

TEST(Simulation, SeedsMatterWhereRanksDiffer) {
  Profile uneven = plain();
  uneven.compute_spread = {0.1, 0.1, 0.1, Source::assumed};
  Workload work = weak(8);
  work.compute = {0.1, 0, false, 1, Halo::none};
  RunRequest one, other;
  other.seed = 2;
  const Config config = with("strategy: remap");
  EXPECT_NE(simulate(uneven, work, config, one).seconds, simulate(uneven, work, config, other).seconds);
  EXPECT_EQ(simulate(plain(), work, config, one).seconds, simulate(plain(), work, config, other).seconds);
}

std::string refused(const Profile& profile, const Workload& work, const std::string& config) {
  try {
    run(profile, work, config);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Simulation, RefusesWhatDoesNotFitTheMachine) {
  Profile small = plain();
  small.memory = 1 << 20;
  EXPECT_NE(refused(small, weak(4, 1), "remap").find("lower buffer_limit"), std::string::npos);
  small = plain();
  small.nodes = 2;
  EXPECT_NE(refused(small, weak(16), "remap").find("wants 4 nodes, and plain has 2"), std::string::npos);
  EXPECT_NE(refused(plain(), weak(4), "auto").find("name the strategies"), std::string::npos);
}

// Time never grows with a faster card, where nothing but cards matters.
RC_GTEST_PROP(SimulationProperty, FasterCardsAreNeverSlower, ()) {
  const int ranks = *rc::gen::inRange(2, 40);
  const double factor = 1 + *rc::gen::inRange(0, 50) / 10.0;
  Profile slow = plain(), fast = plain();
  slow.between.bandwidth = Curve({{1, {1e8, 1e8, 1e8, Source::assumed}}});
  fast.between.bandwidth = Curve({{1, {1e8 * factor, 0, 0, Source::assumed}}});
  const Workload work = weak(ranks, 0.02);
  RC_ASSERT(run(fast, work, "remap\nsink: null", 2).seconds <= run(slow, work, "remap\nsink: null", 2).seconds * 1.001);
}

// Nodes of different sizes, holders of several tiles, writers in turn: a rank that misses what came would wait for
// ever.
RC_GTEST_PROP(SimulationProperty, EveryDynamicRunEnds, ()) {
  const int ranks = *rc::gen::inRange(2, 40), a_node = *rc::gen::inRange(1, ranks + 1);
  const auto some = [](int fewest, int most) { return std::to_string(*rc::gen::inRange(fewest, most + 1)); };
  const std::string keys = "dynamic\nwriters_per_variable: " + some(1, std::min(ranks, 12)) +
                           "\nflush_after: " + some(1, 3) + "\nwriters_at_once: " + some(0, 2) +
                           "\ndebug.choose: " + *rc::gen::element<std::string>("arrival", "recent", "warm") +
                           "\noverlap: " + *rc::gen::element<std::string>("slack", "background", "none") +
                           "\nbuffer_limit: " + *rc::gen::element<std::string>("2MiB", "8MiB", "64MiB");
  Profile machine = plain();  // placing what comes takes as long as its coming, so that more comes meanwhile
  machine.copy = Curve({{1, {1e9, 1e9, 1e9, Source::assumed}}});
  Workload work = weak(ranks, 0.1, 6);
  if (*rc::gen::arbitrary<bool>()) work.compute = {0.01, 0.3, true, 1, Halo::neighbours};
  RC_ASSERT(run(machine, work, keys, a_node).bytes_written == work.bytes());
}

}  // namespace
}  // namespace weir::simulate
