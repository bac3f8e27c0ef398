// ranks: 4
// SPDX-License-Identifier: Apache-2.0
// Space in a netCDF-4 file: no two ranks get the same bytes, and little is left over.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <random>
#include <vector>

#include "formats/netcdf4/file_space.hpp"
#include "mpi/exchange.hpp"

namespace weir {
namespace {

constexpr std::int64_t begin = 5000, largest_chunk = 400'000;

// Takes places as writers do, each rank a host of its own, over several commits; rank 0 has what all ranks have taken.
class FileSpaceTest : public testing::Test {
 protected:
  FileSpaceTest()
      : world_(Comm::duplicate(MPI_COMM_WORLD)),
        alone_(Comm::duplicate(MPI_COMM_SELF)),
        random_(static_cast<unsigned>(world_.rank()) + 1) {
    free_.set_end(begin);
  }

  // Chunks of about `bytes` in all, of up to `most` each.
  std::vector<std::int64_t> chunks(std::int64_t bytes, std::int64_t least, std::int64_t most) {
    std::uniform_int_distribution<std::int64_t> length(least, most);
    std::vector<std::int64_t> lengths;
    for (std::int64_t all = 0; all < bytes; all += lengths.back()) lengths.push_back(length(random_));
    return lengths;
  }

  void take(FileSpace& space, std::span<const std::int64_t> lengths) {
    while (!lengths.empty()) {
      const ChunkRun run = space.take(lengths);
      ASSERT_GE(run.chunks, 1U);
      std::int64_t end = run.begin;
      for (std::size_t chunk = 0; chunk < run.chunks; ++chunk) end += lengths[chunk];
      taken_.push_back({run.begin, end});
      lengths = lengths.subspan(run.chunks);
    }
  }

  // Ends with places for what each rank has kept: five chunks of so many bytes.
  void commit(FileSpace& space, std::int64_t kept) {
    std::vector<FileRange> all = gather_to_0(world_, std::span(std::as_const(taken_)), Deadline(60), "a test");
    taken_.clear();
    if (world_.rank() == 0) {
      all_.insert(all_.end(), all.begin(), all.end());
      free_.note_taken(all);
      for (int rank = 0; rank < world_.size(); ++rank)
        for (std::size_t chunks = kept > 0 ? 5 : 0; chunks > 0;) {
          const ChunkRun run = free_.take(std::vector<std::int64_t>(chunks, kept));
          all_.push_back({run.begin, run.begin + kept * static_cast<std::int64_t>(run.chunks)});
          chunks -= run.chunks;
        }
    }
    std::vector<FileRange> lent;
    if (world_.rank() == 0) lent = free_.lend(space.hosts());
    space.borrow(broadcast_value(world_, lent, 0, Deadline(60), "a test"));
    space.restart(broadcast_value(world_, free_.end(), 0, Deadline(60), "a test"));
  }

  // On rank 0: nothing was given to two, and at most `share` of the file is left over.
  void check(double share) {
    if (world_.rank() != 0) return;
    std::sort(all_.begin(), all_.end(), [](const FileRange& a, const FileRange& b) { return a.begin < b.begin; });
    std::int64_t end = begin, used = 0;
    for (const FileRange& range : all_) {
      ASSERT_GE(range.begin, end);
      used += range.end - range.begin;
      end = range.end;
    }
    const auto left = static_cast<double>(end - begin - used);
    EXPECT_LE(left, share * static_cast<double>(used)) << used << " bytes in a file that ends at " << end;
  }

  Comm world_, alone_;
  std::mt19937 random_;
  FreeSpace free_;
  std::vector<FileRange> taken_, all_;
};

TEST_F(FileSpaceTest, HostsTakeBlocks) {
  const int hosts[] = {0, 1, 2, 3};
  FileSpace space(hosts, world_.rank(), alone_, {begin, largest_chunk, largest_chunk + 64}, Deadline(60));
  EXPECT_TRUE(space.has_blocks());
  for (int commit_number = 0; commit_number < 10; ++commit_number) {
    for (int batch = 0; batch < 20; ++batch) take(space, chunks(900'000, 1, largest_chunk));
    commit(space, 60'000);
  }
  check(0.08);
}

// But in the last block.
TEST_F(FileSpaceTest, ChunksOfOneLengthLeaveNothingInBlocks) {
  const int hosts[] = {0, 1, 2, 3};
  FileSpace space(hosts, world_.rank(), alone_, {begin, largest_chunk, largest_chunk}, Deadline(60));
  take(space, std::vector<std::int64_t>(600, largest_chunk));
  commit(space, 0);
  check(0.03);
}

TEST_F(FileSpaceTest, FewBytesOfEachHostLeaveNoGap) {
  const int hosts[] = {0, 1, 2, 3};
  FileSpace space(hosts, world_.rank(), alone_, {begin, largest_chunk, largest_chunk}, Deadline(60));
  for (int commit_number = 0; commit_number < 5; ++commit_number) commit(space, 1000);
  check(0);
}

TEST_F(FileSpaceTest, HostsThatWriteNothingTakeNoSpace) {
  const int hosts[] = {2};
  FileSpace space(hosts, world_.rank(), alone_, {begin, largest_chunk, largest_chunk}, Deadline(60));
  EXPECT_FALSE(space.has_blocks());
  if (world_.rank() == 2)
    take(space, chunks(50'000'000, 1, largest_chunk));
  else
    EXPECT_THROW(space.take(std::vector<std::int64_t>{1}), Error);
  commit(space, 0);
  check(0);
}

TEST_F(FileSpaceTest, AChunkLongerThanABlockHasRoom) {
  const int hosts[] = {0, 1, 2, 3};
  constexpr std::int64_t longest = 100 << 20;
  FileSpace space(hosts, world_.rank(), alone_, {begin, longest, longest + 64}, Deadline(60));
  take(space, std::vector<std::int64_t>{10, longest + 64, 20, longest});
  commit(space, 0);
  check(1.1);
}

}  // namespace
}  // namespace weir
