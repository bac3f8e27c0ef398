// ranks: 1 4 7
// SPDX-License-Identifier: Apache-2.0
// What every sink must do. A new sink joins by a line in the list at the end. The file begins with a pattern, so that a
// byte which nobody wrote is seen to have stayed.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "base/config.hpp"
#include "storage/sink.hpp"

namespace weir {
namespace {

using Bytes = std::vector<std::byte>;

std::byte pattern(std::size_t at) {
  return static_cast<std::byte>(at * 7 + 3);
}

std::byte written_byte(std::int64_t at, int version = 0) {
  return static_cast<std::byte>((at * 131 + 17 + version * 59) >> 3);
}

class SinkConformance : public testing::TestWithParam<SinkKind> {
 protected:
  SinkConformance() : comm_(Comm::duplicate(MPI_COMM_WORLD)) {
    path_ = std::filesystem::temp_directory_path().string() + "/sink_" + std::string(name(kind()));
  }
  ~SinkConformance() override {
    sink_.reset();
    MPI_Barrier(comm_.raw());
    if (comm_.rank() == 0) std::remove(path_.c_str());
  }

  static SinkKind kind() { return GetParam(); }
  int rank() const { return comm_.rank(); }
  int ranks() const { return comm_.size(); }

  void begin(std::size_t file_bytes, Durability durability = Durability::storage) {
    expected_.resize(file_bytes);
    for (std::size_t i = 0; i < file_bytes; ++i) expected_[i] = pattern(i);
    if (rank() == 0)
      std::ofstream(path_, std::ios::binary)
          .write(reinterpret_cast<const char*>(expected_.data()), static_cast<std::streamsize>(file_bytes));
    MPI_Barrier(comm_.raw());
    sink_ = make_sink(kind(), comm_, {path_, durability, {}});
    EXPECT_EQ(sink_->kind(), kind());
  }

  // The extents of all ranks, of which each writes its own. Every extent lies in a piece of memory of its own.
  struct OwnedExtent {
    int rank;
    std::int64_t offset, bytes;
  };
  void write(const std::vector<OwnedExtent>& places, int version = 0) {
    std::vector<Bytes> memory;
    std::vector<Extent> mine;
    for (const OwnedExtent& place : places) {
      const auto end = static_cast<std::size_t>(place.offset + place.bytes);
      if (kind() != SinkKind::null && expected_.size() < end) expected_.resize(end, std::byte{0});
      Bytes bytes(static_cast<std::size_t>(place.bytes));
      for (std::int64_t i = 0; i < place.bytes; ++i) {
        bytes[static_cast<std::size_t>(i)] = written_byte(place.offset + i, version);
        if (kind() != SinkKind::null)
          expected_[static_cast<std::size_t>(place.offset + i)] = bytes[static_cast<std::size_t>(i)];
      }
      if (place.rank != rank()) continue;
      memory.push_back(std::move(bytes));
      mine.push_back({place.offset, place.bytes, memory.back().data()});
    }
    std::sort(mine.begin(), mine.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    const Status status = sink_->write(mine);
    EXPECT_TRUE(status.ok()) << status.message;
    for (Bytes& bytes : memory) std::fill(bytes.begin(), bytes.end(), std::byte{0xEE});  // the caller's again
  }

  // After make_durable another rank sees everything, while the sinks are still open.
  void check() {
    const Status status = sink_->make_durable();
    EXPECT_TRUE(status.ok()) << status.message;
    MPI_Barrier(comm_.raw());
    const Bytes found = contents();
    MPI_Barrier(comm_.raw());  // nobody writes on while rank 0 reads
    if (rank() != 0) return;
    ASSERT_EQ(found.size(), expected_.size());
    const auto at = std::mismatch(found.begin(), found.end(), expected_.begin()).first;
    EXPECT_EQ(at, found.end()) << "byte " << at - found.begin();
  }

  Comm comm_;
  std::string path_;
  std::unique_ptr<Sink> sink_;
  Bytes expected_;

 private:
  // On rank 0: the file, with what memory sinks hold laid over it. Collective.
  Bytes contents() {
    Bytes bytes;
    if (rank() == 0) {
      std::ifstream file(path_, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      bytes.resize(text.size());
      std::memcpy(bytes.data(), text.data(), text.size());
    }
    const auto* memory = dynamic_cast<const MemorySink*>(sink_.get());
    if (!memory) return bytes;
    for (int source = 0; source < ranks(); ++source) lay_over(bytes, *memory, source);
    return bytes;
  }

  void lay_over(Bytes& bytes, const MemorySink& sink, int source) const {
    std::vector<std::int64_t> list;
    Bytes data;
    if (rank() == source)
      for (const auto& [offset, stretch] : sink.written()) {
        list.insert(list.end(), {offset, static_cast<std::int64_t>(stretch.size())});
        data.insert(data.end(), stretch.begin(), stretch.end());
      }
    std::int64_t sizes[2] = {std::ssize(list), std::ssize(data)};
    MPI_Bcast(sizes, 2, MPI_INT64_T, source, comm_.raw());
    list.resize(static_cast<std::size_t>(sizes[0]));
    data.resize(static_cast<std::size_t>(sizes[1]));
    MPI_Bcast(list.data(), static_cast<int>(sizes[0]), MPI_INT64_T, source, comm_.raw());
    MPI_Bcast(data.data(), static_cast<int>(sizes[1]), MPI_BYTE, source, comm_.raw());
    auto from = data.begin();
    for (std::size_t i = 0; i < list.size(); i += 2) {
      if (std::ssize(bytes) < list[i] + list[i + 1]) bytes.resize(static_cast<std::size_t>(list[i] + list[i + 1]));
      std::copy(from, from + list[i + 1], bytes.begin() + list[i]);
      from += list[i + 1];
    }
  }
};

TEST_P(SinkConformance, WritesDisjointExtentsInAnyOrderOfRanks) {
  begin(100 * 64);
  std::vector<int> owners(100);
  for (std::size_t i = 0; i < owners.size(); ++i) owners[i] = static_cast<int>(i) % ranks();
  std::shuffle(owners.begin(), owners.end(), std::mt19937(4711));
  std::vector<OwnedExtent> places;
  for (std::int64_t i = 0; i < 100; ++i) places.push_back({owners[static_cast<std::size_t>(i)], i * 64, 64});
  write(places);
  check();
}

TEST_P(SinkConformance, WritesExtentsThatContinueEachOther) {
  begin(5000 * static_cast<std::size_t>(ranks()));
  std::vector<OwnedExtent> places;
  for (int r = 0; r < ranks(); ++r)
    for (std::int64_t at = 0, bytes = 1; at + bytes < 4900; at += bytes, bytes = bytes % 40 + 1)
      places.push_back({r, r * 5000 + at, bytes});
  write(places);
  check();
}

TEST_P(SinkConformance, LeavesTheBytesBetweenExtents) {
  begin(64 * 1024);
  std::vector<OwnedExtent> places;
  for (std::int64_t at = 5, i = 0; at + 300 < 64 * 1024; at += 97 + i * 13 % 211, ++i)
    places.push_back({static_cast<int>(i) % ranks(), at, 1 + i % 90});
  write(places);
  check();
}

// A gap beyond the old end has what a file system puts there, zeros, and not what happened to be in memory.
TEST_P(SinkConformance, LeavesZerosInGapsBeyondTheEnd) {
  begin(100);
  std::vector<OwnedExtent> places;
  for (std::int64_t i = 0; i < 40; ++i) places.push_back({static_cast<int>(i) % ranks(), 50 + i * 500, 20});
  write(places);
  check();
}

TEST_P(SinkConformance, TakesRanksWithNothing) {
  begin(4096);
  write({{ranks() - 1, 1000, 500}});
  write({});
  write({{0, 3000, 1}});
  check();
}

TEST_P(SinkConformance, WritesManySmallExtents) {
  constexpr std::int64_t each = 5000;
  begin(static_cast<std::size_t>(each * ranks()) * 12);
  std::vector<OwnedExtent> places;
  for (std::int64_t i = 0; i < each * ranks(); ++i)
    places.push_back({static_cast<int>(i % ranks()), i * 12 + i % 3, 8});
  write(places);
  check();
}

TEST_P(SinkConformance, LaterWritesWin) {
  begin(9000);
  const std::vector<OwnedExtent> places{{0, 100, 3000}, {ranks() - 1, 4000, 4000}};
  for (int version = 0; version < 3; ++version) write(places, version);
  check();
}

TEST_P(SinkConformance, WritesALargeExtent) {
  begin(10);
  constexpr std::int64_t bytes = 3 << 20;
  std::vector<OwnedExtent> places;
  for (int r = 0; r < ranks(); ++r) places.push_back({r, r * bytes + 1, bytes - 1});
  write(places);
  check();
}

// More than an int counts: an extent of 2 GiB and a page, and one that continues it in the file and in memory. The
// memory is one pattern of 64 MiB, seen again and again.
class LargeMemory {
 public:
  LargeMemory() : pattern_(memfd_create("weir-pattern", MFD_CLOEXEC)) {
    std::vector<std::uint32_t> words(once / sizeof(std::uint32_t));
    std::iota(words.begin(), words.end(), 7U);
    EXPECT_EQ(::write(pattern_, words.data(), once), static_cast<ssize_t>(once));
    void* place = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = static_cast<std::byte*>(place);
    for (std::size_t at = 0; at < bytes; at += once)
      EXPECT_NE(::mmap(data_ + at, std::min(once, bytes - at), PROT_READ, MAP_SHARED | MAP_FIXED, pattern_, 0),
                MAP_FAILED);
  }
  ~LargeMemory() {
    ::munmap(data_, bytes);
    ::close(pattern_);
  }
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory& operator=(const LargeMemory&) = delete;
  const std::byte* data() const { return data_; }

  static constexpr std::size_t once = std::size_t{64} << 20, bytes = (std::size_t{2} << 30) + 3 * once;

 private:
  int pattern_;
  std::byte* data_ = nullptr;
};

TEST_P(SinkConformance, WritesExtentsBeyondTwoGiB) {
  if (kind() != SinkKind::pnetcdf) GTEST_SKIP() << "counts in ints are MPI's";
  if (ranks() != 4) GTEST_SKIP() << "once is enough";
  const auto space = std::filesystem::space(std::filesystem::path(path_).parent_path());
  if (space.available < 2 * LargeMemory::bytes) GTEST_SKIP() << "the file system has no room for 5 GB";
  begin(100);
  const LargeMemory memory;
  const std::int64_t first = (std::int64_t{2} << 30) + 4096;
  std::vector<Extent> extents;
  if (rank() == ranks() - 1)
    extents = {{100, first, memory.data()},
               {100 + first, static_cast<std::int64_t>(LargeMemory::bytes) - first, memory.data() + first}};
  const Status status = sink_->write(extents);
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_TRUE(sink_->make_durable().ok());
  MPI_Barrier(comm_.raw());
  if (rank() != 0) return;
  std::ifstream file(path_, std::ios::binary);
  std::vector<char> found(LargeMemory::once);
  file.seekg(100);
  for (std::size_t at = 0; at < LargeMemory::bytes; at += found.size()) {
    file.read(found.data(), std::ssize(found));
    ASSERT_EQ(file.gcount(), std::ssize(found)) << "from byte " << at;
    ASSERT_EQ(std::memcmp(found.data(), memory.data(), found.size()), 0) << "from byte " << at;
  }
  EXPECT_EQ(std::filesystem::file_size(path_), 100 + LargeMemory::bytes);
}

TEST_P(SinkConformance, GoesOnAfterMakeDurable) {
  for (const Durability durability : {Durability::cache, Durability::storage}) {
    sink_.reset();
    MPI_Barrier(comm_.raw());
    begin(2000, durability);
    EXPECT_TRUE(sink_->make_durable().ok());
    write({{0, 10, 100}}, 1);
    check();
    write({{ranks() - 1, 500, 100}}, 2);
    check();
  }
}

// The first commit renames the file while sinks are open, some of which have not written yet.
TEST_P(SinkConformance, FollowsTheFileToItsFinalName) {
  const std::string first = path_;
  begin(3000);
  write({{0, 10, 100}});
  EXPECT_TRUE(sink_->make_durable().ok());
  MPI_Barrier(comm_.raw());
  path_ += ".final";
  if (rank() == 0) {
    EXPECT_EQ(std::rename(first.c_str(), path_.c_str()), 0);
  }
  MPI_Barrier(comm_.raw());
  sink_->renamed(path_);
  write({{ranks() - 1, 1000, 100}});
  check();
  EXPECT_NE(::access(first.c_str(), F_OK), 0);
}

INSTANTIATE_TEST_SUITE_P(Sinks, SinkConformance,
                         testing::Values(SinkKind::direct, SinkKind::pnetcdf, SinkKind::memory, SinkKind::null),
                         [](const auto& tested) { return std::string(name(tested.param)); });

// What cannot be written is said with the file's name and the system's reason. /dev/full is a disk without room.
TEST(SinkFailure, IsSaidWithPlaceAndReason) {
  const Comm comm = Comm::duplicate(MPI_COMM_WORLD);
  const std::vector<std::byte> bytes(100);
  const std::vector<Extent> extents{{4000, 100, bytes.data()}};
  const Status full = make_direct_sink({"/dev/full", Durability::storage, {}})->write(extents);
  EXPECT_EQ(full.code, WEIR_EIO);
  for (const char* words : {"/dev/full", "byte 4000", "No space left", "make room"})
    EXPECT_NE(full.message.find(words), std::string::npos) << full.message;
  const Status missing = make_direct_sink({"/no_such_folder/file.nc", Durability::storage, {}})->write(extents);
  EXPECT_EQ(missing.code, WEIR_EIO);
  EXPECT_NE(missing.message.find("/no_such_folder/file.nc"), std::string::npos) << missing.message;
  // Rank 0 writes for all.
  for (const char* path : {"/no_such_folder/file.nc", "/dev/full"}) {
    const Status together = make_pnetcdf_sink(comm, {path, Durability::storage, {}})->write(extents);
    EXPECT_EQ(together.code, comm.rank() == 0 ? WEIR_EIO : WEIR_OK) << together.message;
    const bool named = together.message.find(path) != std::string::npos;
    EXPECT_EQ(named, comm.rank() == 0) << together.message;
  }
}

}  // namespace
}  // namespace weir
