// ranks: 1 4
// SPDX-License-Identifier: Apache-2.0
// A file that is cut off while it is read. Whenever a get says that all is well, on any rank, all ranks' values are
// right, and else all of them are told the same: at whatever moment it happens, and whoever reads.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "engine/own_read.hpp"
#include "mpi/comm.hpp"
#include "mpi/liveness_check.hpp"
#include "read/reading_fixture.hpp"

namespace {

// ---- A rank that reads for itself, of a source that fails when it is told to --------------------------------------

// Its elements are their numbers, big-endian. Of memory, as a page cache, block for block.
class FailingSource final : public weir::TileSource {
 public:
  int good_blocks = 1 << 20;  // that are at hand, before the storage fails
  bool cut_off = false;       // what was at hand may be anything

  void read(std::span<const weir::TileToRead>) override { throw weir::Error(WEIR_EIO, "the storage has failed"); }
  void check() override { throw weir::Error(WEIR_EIO, "it was truncated"); }
  bool try_read_cached(const weir::TileToRead& tile) noexcept override {
    if (good_blocks-- <= 0) return false;
    for (const weir::Stretch& stretch : tile.stretches)
      for (std::int64_t i = 0; i < stretch.count; ++i) {
        auto* const to = reinterpret_cast<unsigned char*>(tile.memory) + (stretch.at + i) * 8;
        for (int byte = 0; byte < 8; ++byte)
          to[byte] = static_cast<unsigned char>(static_cast<std::uint64_t>(stretch.element + i) >> (56 - 8 * byte));
      }
    return true;
  }
  bool is_whole() const noexcept override { return !cut_off; }
  void ask_for(std::span<const weir::TileToRead>) noexcept override {}
  void read_ahead() noexcept override {}
  bool can_read_ahead() const noexcept override { return false; }
  std::int64_t first_byte(int, std::int64_t) const noexcept override { return 0; }
  weir::ReadCount count() const noexcept override { return {}; }
};

class FailingReadTest : public testing::Test {
 protected:
  static constexpr std::int64_t elements = 1000, block = 100;

  weir::Status read(const std::shared_ptr<FailingSource>& source) {
    const weir::Comm comm = weir::Comm::duplicate(MPI_COMM_SELF);
    weir::LivenessCheck liveness_check(comm, {}, weir::Deadline());
    weir::StorageCalls storage(liveness_check, true);
    weir::Tally tally;
    weir::Trace trace;
    weir::RangeFailure failure;
    const auto layout = weir::Layout::boxes(weir::Shape{elements}, weir::Shape{0}, weir::Shape{elements}, {});
    const auto plan = std::make_shared<const weir::OwnPlan>(weir::plan_own(layout, 8, block * 8));
    EXPECT_EQ(plan->blocks.size(), elements / block);
    found_.assign(elements, -1);
    return weir::OwnRead({storage, tally, trace})
        .execute(source, {0, 0, plan, WEIR_INT64, WEIR_INT64, weir::Infinities::fit, found_.data()}, failure);
  }

  std::vector<std::int64_t> found_;
};

TEST_F(FailingReadTest, TouchesNothingBehindWhatFailed) {
  const auto source = std::make_shared<FailingSource>();
  ASSERT_TRUE(read(source).ok());
  for (std::int64_t i = 0; i < elements; ++i) ASSERT_EQ(found_[static_cast<std::size_t>(i)], i);
  for (const int good : {0, 1, 7}) {
    source->good_blocks = good;
    const weir::Status status = read(source);
    EXPECT_EQ(status.code, WEIR_EIO);
    EXPECT_NE(status.message.find("the storage has failed"), std::string::npos);
    for (std::int64_t i = 0; i < elements; ++i)
      ASSERT_EQ(found_[static_cast<std::size_t>(i)], i < good * block ? i : -1) << good;
  }
}

TEST_F(FailingReadTest, LooksAtTheFileOnceMoreWhenAllOfItWasAtHand) {
  const auto source = std::make_shared<FailingSource>();
  source->cut_off = true;
  const weir::Status status = read(source);
  EXPECT_EQ(status.code, WEIR_EIO);
  EXPECT_NE(status.message.find("truncated"), std::string::npos);
}

// ---- All ranks, at some moment ------------------------------------------------------------------------------------

// Cuts a file off once it is told to, so many looks later, within a page.
class Cutter {
 public:
  Cutter(std::string path, std::int64_t bytes, std::int64_t looks)
      : thread_([this, path = std::move(path), bytes, looks] {
          while (!begun_) std::this_thread::yield();
          for (std::int64_t i = 0; i < looks; ++i) begun_ = true;
          if (::truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) std::abort();
        }) {}
  void begin() { begun_ = true; }
  ~Cutter() {
    begun_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> begun_{false};
  std::thread thread_;
};

class CutOffTest : public reading::ReadingTest {
 protected:
  // Gets until a get fails, while rank 0's thread cuts the file off.
  void read_while_it_is_cut_off(std::int64_t looks, std::int64_t left) {
    weir_file* file = make_and_open();
    by_halo_ = layout(halo_start(), halo_count());
    const std::vector<double> right = values(halo_start(), halo_count(), 1);
    std::vector<double> found(right.size());
    std::optional<Cutter> cutter;
    if (rank_ == 0) cutter.emplace(path(), left, looks);
    for (int code = WEIR_OK; code == WEIR_OK;) {
      if (cutter) cutter->begin();
      std::fill(found.begin(), found.end(), -1);
      code = weir_get(file, salt_, 1, by_halo_, WEIR_DOUBLE, found.data());
      const faults::Outcome outcome{code, weir_error(weir_)};
      expect_same(outcome, outcome.code, code == WEIR_OK ? std::vector<std::string>{} : cut_words());
      int same[] = {code, -code};
      MPI_Allreduce(MPI_IN_PLACE, same, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
      ASSERT_EQ(same[0], -same[1]);
      if (code == WEIR_OK) {
        ASSERT_EQ(found, right);
      }
    }
    cutter.reset();
    EXPECT_EQ(weir_close(file), WEIR_OK) << weir_error(weir_);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  static std::vector<std::string> cut_words() { return {"file.nc", "restore the file", "salt"}; }
};

TEST_F(CutOffTest, HandsOutNothingOfAFileThatIsCutOffMeanwhile) {
  std::mt19937 random(21);
  for (const std::string more : {"", "debug.ranks_per_host: 2\n", "debug.forward: messages\nbuffer_limit: 256KiB\n"}) {
    SCOPED_TRACE(more);
    start("durability: cache\nstrategy: remap\n" + more);
    for (int time = 0; time < 12; ++time) {
      const auto looks = std::uniform_int_distribution<std::int64_t>(0, 400000)(random);
      const auto left = std::uniform_int_distribution<std::int64_t>(elements() * 8, 2 * elements() * 8 - 1)(random);
      read_while_it_is_cut_off(looks, left);
    }
    end();
  }
}

}  // namespace
