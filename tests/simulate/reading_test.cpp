// SPDX-License-Identifier: Apache-2.0
// Simulated restarts: what storage is asked for, by whom, and that no byte crosses a card or leaves storage twice that
// need not; never faster than the machine, the same twice.
#include "simulate/reading.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "machines.hpp"
#include "plan/file_runs.hpp"
#include "simulate/page_caches.hpp"

namespace weir::simulate {
namespace {

using tests::plain;
using tests::with;

Workload restart(int ranks, double scale) {
  WorkloadRequest request;
  request.name = "restart";
  request.ranks = ranks;
  request.scale = scale;
  return make_workload(request);
}

Result read(const Workload& work, const std::string& config, int ranks_per_node = 0, bool alone = false) {
  return simulate_reading(plain(), work, with(config), {ranks_per_node, alone, {}});
}

// What the ranks of each node want, every element once, of all variables and nodes.
std::int64_t bytes_of_nodes(const Workload& work, int ranks_per_node) {
  std::int64_t bytes = 0;
  for (const Variable& variable : work.variables) {
    const Decomposition& wanted = work.decompositions[static_cast<std::size_t>(variable.decomposition)];
    for (int first = 0; first < work.ranks; first += ranks_per_node) {
      std::vector<char> elements(static_cast<std::size_t>(weir::elements(wanted.shape)), 0);
      for (int rank = first; rank < std::min(first + ranks_per_node, work.ranks); ++rank)
        for (const FileRun& run : file_runs(wanted.layout(rank).flattened(), 1 << 30))
          std::fill_n(elements.begin() + run.element, run.count, static_cast<char>(1));
      bytes += std::count(elements.begin(), elements.end(), 1) * variable.element_bytes;
    }
  }
  return bytes;
}

TEST(SimulatedReading, ReadsOnceForEachNodeWhereItWantsLargePieces) {
  const Workload work = restart(16, 0.4);
  const Result result = read(work, "strategy: remap");
  EXPECT_EQ(result.bytes_read, bytes_of_nodes(work, 4));
  EXPECT_LE(static_cast<double>(result.bytes_read), 1.05 * static_cast<double>(work.bytes()));
  EXPECT_LE(result.opens, 4);
  EXPECT_EQ(result.cycles, 9);
  EXPECT_EQ(result.messages, 0);
}

TEST(SimulatedReading, ReadsEachByteOnceByOwnersWherePiecesAreShort) {
  Workload work = restart(16, 0.02);
  work.variables.resize(6);  // the fields: the others are small enough for each node to read them
  for (const char* config : {"strategy: remap", "strategy: dynamic", "strategy: columns", "strategy: serial",
                             "strategy: remap\nbuffer_limit: 1MiB", "strategy: remap\ndebug.forward: messages"}) {
    SCOPED_TRACE(config);
    const Result result = read(work, config);
    EXPECT_EQ(result.bytes_read, work.bytes());
    EXPECT_LE(result.opens, 5);
    EXPECT_GT(result.messages, 0);
  }
}

// Bytes from storage pass a card, and the storage.
TEST(SimulatedReading, IsNotFasterThanTheMachine) {
  for (const double scale : {0.02, 0.4}) {
    const Workload work = restart(16, scale);
    const auto bytes = static_cast<double>(work.bytes());
    for (const bool alone : {false, true}) {
      const Result result = read(work, "strategy: remap", 0, alone);
      EXPECT_GE(result.seconds, bytes / 2e9);
      for (const auto& [what, busy] : result.busy) EXPECT_GE(result.seconds, busy) << what;
    }
    EXPECT_GE(read(work, "strategy: serial").seconds, bytes / 1e9);  // one card takes all of it
  }
}

TEST(SimulatedReading, OfRanksAloneReadsMoreAndAsksMoreOften) {
  const Workload work = restart(64, 0.4);
  const Result owners = read(work, "strategy: remap"), alone = read(work, "strategy: remap", 0, true);
  EXPECT_GE(alone.bytes_read, bytes_of_nodes(work, 4));
  EXPECT_GT(alone.reads, 10 * owners.reads);
  EXPECT_EQ(alone.opens, 64 * 9);
  EXPECT_GT(alone.seconds, owners.seconds);
}

TEST(SimulatedReading, IsTheSameTwice) {
  const Workload work = restart(13, 0.1);
  for (const bool alone : {false, true}) {
    const Result one = read(work, "strategy: dynamic", 3, alone), other = read(work, "strategy: dynamic", 3, alone);
    EXPECT_EQ(one.seconds, other.seconds);
    EXPECT_EQ(one.events, other.events);
  }
}

TEST(SimulatedReading, RefusesWhatIsNotSimulated) {
  const auto sentence = [](const Workload& work, const std::string& config) {
    try {
      read(work, config);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(sentence(restart(4, 0.02), "strategy: remap").find("page_cache: past"), std::string::npos);
  EXPECT_EQ(sentence(restart(4, 0.02), "strategy: remap\npage_cache: past"), "");
  EXPECT_NE(sentence(restart(16, 0.02), "strategy: auto").find("name the strategies"), std::string::npos);
  EXPECT_THROW(restart(100000, 0.01), Error);
}

RC_GTEST_PROP(PageCaches, CountWhatIsMissing, ()) {
  std::vector<std::vector<bool>> there(2, std::vector<bool>(300, false));
  PageCaches caches(2);
  const auto reads = *rc::gen::container<std::vector<std::tuple<bool, int, int>>>(
      rc::gen::tuple(rc::gen::arbitrary<bool>(), rc::gen::inRange(0, 300), rc::gen::inRange(0, 300)));
  for (const auto& [node, a, b] : reads) {
    const int first = std::min(a, b), last = std::max(a, b);
    if (first == last) continue;
    auto& own = there[node ? 1 : 0];
    const auto missing = std::count(own.begin() + first, own.begin() + last, false);
    std::fill(own.begin() + first, own.begin() + last, true);
    RC_ASSERT(caches.read(node ? 1 : 0, first, last) == missing);
  }
}

}  // namespace
}  // namespace weir::simulate
