// ranks: 1
// alone: its own operator new
// SPDX-License-Identifier: Apache-2.0
// Memory runs out while tiles are handed out and the next ones are read: whoever gets the error finds no reading under
// way any more, and can read on. Each allocation in turn is the one that fails.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "engine/collective_read.hpp"
#include "own_new.hpp"

namespace {

// Of this thread: allocations that still succeed; below 0: all.
thread_local long left = -1;

}  // namespace

bool own_new::granted(std::size_t, const void*) noexcept {
  return left < 0 || left-- > 0;
}

namespace weir {
namespace {

constexpr std::int64_t elements = 100, element_bytes = 8;

// Element i of record r is 1000 r + i. Takes its time.
class Source final : public TileSource {
 public:
  void read(std::span<const TileToRead> tiles) override {
    reading = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (const TileToRead& tile : tiles)
      for (std::int64_t i = 0; i < elements; ++i)
        reinterpret_cast<std::uint64_t*>(tile.memory)[i] =
            __builtin_bswap64(static_cast<std::uint64_t>(1000 * tile.record + i));
    reading = false;
  }
  void ask_for(std::span<const TileToRead>) noexcept override {}
  void read_ahead() noexcept override {}
  bool can_read_ahead() const noexcept override { return false; }
  std::int64_t first_byte(int, std::int64_t) const noexcept override { return 0; }
  ReadCount count() const noexcept override { return {}; }

  std::atomic<bool> reading{false};
};

CopyProgram in_order() {
  CopyProgram program;
  program.runs.push_back({0, 0, elements});
  return program;
}

// One round: this rank reads all of it, and sends it to itself.
ReadPlan plan_of_messages() {
  ReadPlan plan;
  ReadRound& round = plan.rounds.emplace_back();
  round.receives.push_back({0, true, elements, in_order()});
  round.sends.push_back({0, elements, in_order()});
  round.stretches.push_back({0, 0, elements});
  round.tile_elements = elements;
  plan.reserves.push_back({elements, elements, elements});
  plan.element_bytes = element_bytes;
  return plan;
}

class NoMemory : public testing::TestWithParam<bool> {
 protected:
  // Two records, in two cycles: the second is read while the first is handed out. From the first one's meeting on so
  // many allocations succeed.
  std::vector<std::int64_t> read(long allocations) {
    std::vector<std::int64_t> values(2 * elements, -1);
    const ReadRequest requests[] = {{0, 0, &plan_, WEIR_INT64, WEIR_INT64, Infinities::fit, values.data()},
                                    {0, 1, &plan_, WEIR_INT64, WEIR_INT64, Infinities::fit, values.data() + elements}};
    int meetings = 0;
    CollectiveRead reading({comm_, reach_, staging_, calls_, tally_, trace_, [] { return Deadline(10); },
                            [&](const Status& status) {
                              status.raise();
                              if (++meetings == 1) left = allocations;
                            }});
    try {
      reading.execute(source_, requests);
    } catch (...) {
      left = -1;
      throw;
    }
    left = -1;
    return values;
  }

  Comm comm_ = Comm::duplicate(MPI_COMM_WORLD);
  Machine machine_ = Machine::from_leaders({0, 1});
  Reach reach_{machine_, 0, false};
  Staging staging_{comm_, {false, true, false}, 8192, {2, 1024, 2048}, Deadline(10)};
  LivenessCheck liveness_check_{comm_, {}, Deadline(10)};
  StorageCalls calls_{liveness_check_, GetParam()};
  Tally tally_;
  Trace trace_;
  ReadPlan plan_ = plan_of_messages();
  std::shared_ptr<Source> source_ = std::make_shared<Source>();
};

TEST_P(NoMemory, LeavesNoReadingUnderWay) {
  std::vector<std::int64_t> wanted(2 * elements);
  std::iota(wanted.begin(), wanted.begin() + elements, 0);
  std::iota(wanted.begin() + elements, wanted.end(), 1000);
  int failures = 0;
  for (bool failed = true; failed;) {
    SCOPED_TRACE(failures);
    try {
      EXPECT_EQ(read(failures), wanted);
      failed = false;
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    EXPECT_FALSE(source_->reading);
    EXPECT_NO_THROW(EXPECT_TRUE(calls_.run([] { return Status(); }, "a call to storage").ok()));
    EXPECT_EQ(read(-1), wanted);
  }
  // What is to be read, and messages of one cycle and of the other.
  EXPECT_GT(failures, 5);
}

INSTANTIATE_TEST_SUITE_P(Calls, NoMemory, testing::Bool(),
                         [](const auto& calls) { return calls.param ? "BesideTheRank" : "ByTheRank"; });

}  // namespace
}  // namespace weir
