// SPDX-License-Identifier: Apache-2.0
// alone: its own calls to the storage
// Large extents past the page cache: what goes there, that edges which share a block with a neighbour's are kept, that
// it is the file system that is asked, and what becomes of what it refuses.
#include "storage/past_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/numbers.hpp"
#include "storage/sink.hpp"

namespace {

// What the file system says of writes past the page cache: this, once it has taken so many.
int refusal = 0;
int taken_before = 0;
// The blocks that it wants them in; 0: it is asked itself.
unsigned wanted_blocks = 0;

}  // namespace

// In place of the system's.
extern "C" ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  if (refusal != 0 && (::fcntl(file, F_GETFL) & O_DIRECT) != 0 && taken_before-- <= 0) {
    errno = refusal;
    return -1;
  }
  return ::syscall(SYS_pwrite64, file, bytes, size, offset);
}

#ifdef STATX_DIOALIGN
extern "C" int statx(int folder, const char* path, int how, unsigned wanted, struct statx* told) noexcept {
  const long result = ::syscall(SYS_statx, folder, path, how, wanted, told);
  if (result == 0 && wanted_blocks != 0) {
    told->stx_mask |= STATX_DIOALIGN;
    told->stx_dio_mem_align = told->stx_dio_offset_align = wanted_blocks;
  }
  return static_cast<int>(result);
}
#endif

namespace weir {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t fewest = 64 << 10;
constexpr std::int64_t of_each = fewest + 2 * block_bytes + 517;

char written_byte(std::int64_t at) {
  return static_cast<char>((at * 131 + 17) >> 3);
}

// Memory that begins at a remainder of a block.
class Memory {
 public:
  Memory(std::int64_t bytes, std::int64_t remainder)
      : all_(std::aligned_alloc(block_bytes,
                                static_cast<std::size_t>(bytes + 2 * block_bytes) / block_bytes * block_bytes)),
        data_(static_cast<std::byte*>(all_) + remainder) {}
  ~Memory() { std::free(all_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  std::byte* data() const { return data_; }

 private:
  void* all_;
  std::byte* data_;
};

class PastCacheFiles : public testing::Test {
 protected:
  void TearDown() override { refusal = taken_before = 0, wanted_blocks = 0; }

  // Three extents that lie in memory as in the file, one behind the other; what their writing gives.
  static Status write_three(Sink& sink) {
    const std::int64_t bytes = 3 * of_each;
    const Memory memory(bytes, 57);
    for (std::int64_t b = 0; b < bytes; ++b) memory.data()[b] = static_cast<std::byte>(written_byte(57 + b));
    std::vector<Extent> extents;
    for (std::int64_t at = 0; at < bytes; at += bytes / 3) extents.push_back({57 + at, bytes / 3, memory.data() + at});
    Status status;
    for (const Extent& extent : extents)
      if (status.ok()) status = sink.write(std::span(&extent, 1));
    return status;
  }
  static void expect_three(const std::string& path) {
    const std::string found = content_of(path);
    ASSERT_EQ(std::ssize(found), 57 + 3 * of_each);
    for (std::int64_t b = 57; b < std::ssize(found); ++b)
      ASSERT_EQ(found[static_cast<std::size_t>(b)], written_byte(b)) << "byte " << b;
  }

  // A file on a disk that takes it; "" where there is none.
  static std::string file_on_disk() {
    for (const fs::path& folder : {fs::temp_directory_path(), fs::current_path()}) {
      const std::string path = folder / ("past_cache." + std::to_string(::getpid()));
      std::ofstream(path).put('x');
      if (!PastCache::obstacle(path)) return path;
      fs::remove(path);
    }
    return "";
  }

  static std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Whether a block of the file lies in the page cache.
  static bool is_cached(const std::string& path, std::int64_t at) {
    const int file = ::open(path.c_str(), O_RDWR);
    void* place = ::mmap(nullptr, block_bytes, PROT_READ, MAP_SHARED, file, at);
    unsigned char resident = 0;
    EXPECT_EQ(::mincore(place, block_bytes, &resident), 0);
    ::munmap(place, block_bytes);
    ::close(file);
    return (resident & 1) != 0;
  }
};

TEST_F(PastCacheFiles, MemoryTakesNoneWhateverOpenSays) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "there is no /dev/shm";
  const std::string path = "/dev/shm/past_cache." + std::to_string(::getpid());
  std::ofstream(path).put('x');
  EXPECT_TRUE(PastCache::obstacle(path).has_value());
  EXPECT_EQ(PastCache::open(path), nullptr);
  fs::remove(path);
}

TEST_F(PastCacheFiles, WhatIsNotThereIsAnObstacle) {
  const auto obstacle = PastCache::obstacle("/no_such_folder/file.nc");
  ASSERT_TRUE(obstacle);
  EXPECT_NE(obstacle->find("No such file"), std::string::npos) << *obstacle;
}

TEST_F(PastCacheFiles, WholeBlocksFromMemoryThatLiesAsTheyDo) {
  const std::string path = file_on_disk();
  if (path.empty()) GTEST_SKIP() << "no file system here takes O_DIRECT";
  const auto past = PastCache::open(path);
  ASSERT_TRUE(past);
  const Memory memory(fewest + 3 * block_bytes, 100);
  const std::int64_t begin = 7 * block_bytes + 100;
  const auto blocks = past->blocks_of({begin, fewest + block_bytes, memory.data()}, fewest);
  ASSERT_TRUE(blocks);
  EXPECT_EQ(blocks->begin, 8 * block_bytes);
  EXPECT_EQ(blocks->end, 8 * block_bytes + fewest);
  EXPECT_FALSE(past->blocks_of({begin, fewest + block_bytes - 101, memory.data()}, fewest)) << "too few";
  EXPECT_FALSE(past->blocks_of({begin + 1, fewest + block_bytes, memory.data()}, fewest)) << "lies otherwise";
  fs::remove(path);
}

// Two writers of one file, whose extents end and begin in the middle of blocks, write in turn; some extents lie in
// memory as they do in the file, some do not.
TEST_F(PastCacheFiles, NeighboursKeepEachOthersEdges) {
  const std::string path = file_on_disk();
  if (path.empty()) GTEST_SKIP() << "no file system here takes O_DIRECT";
  SinkOptions options{path};
  options.past_cache_bytes = fewest;
  const std::unique_ptr<Sink> sinks[] = {make_direct_sink(options), make_direct_sink(options)};
  std::int64_t at = 57;
  std::vector<std::int64_t> begins;
  for (std::int64_t i = 0; i < 12; ++i) {
    begins.push_back(at);
    const std::int64_t bytes = (i % 4 == 3 ? 300 : fewest + 2 * block_bytes) + i * 517;
    const Memory memory(bytes, i % 3 == 2 ? 8 : at % block_bytes);
    for (std::int64_t b = 0; b < bytes; ++b) memory.data()[b] = static_cast<std::byte>(written_byte(at + b));
    const Extent extent{at, bytes, memory.data()};
    const Status status = sinks[i % 2]->write(std::span(&extent, 1));
    ASSERT_TRUE(status.ok()) << status.message;
    at += bytes;
  }
  EXPECT_FALSE(is_cached(path, (begins[1] / block_bytes + 2) * block_bytes)) << "it lay as in the file";
  EXPECT_TRUE(is_cached(path, begins[1] / block_bytes * block_bytes)) << "an edge";
  EXPECT_TRUE(is_cached(path, (begins[2] / block_bytes + 2) * block_bytes)) << "it lay otherwise";
  for (const auto& sink : sinks) {
    EXPECT_TRUE(sink->make_durable().ok());
    EXPECT_EQ(sink->remark(), "");
  }
  const std::string found = content_of(path);
  ASSERT_EQ(std::ssize(found), at);
  for (std::int64_t b = 57; b < at; ++b) ASSERT_EQ(found[static_cast<std::size_t>(b)], written_byte(b)) << "byte " << b;
  fs::remove(path);
}

// It may do so at the first write, or later: the rest goes through the cache, and the report says so.
TEST_F(PastCacheFiles, WhatTheFileSystemRefusesGoesThroughTheCache) {
  for (const int before : {0, 1, 2}) {
    const std::string path = file_on_disk();
    if (path.empty()) GTEST_SKIP() << "no file system here takes O_DIRECT";
    SinkOptions options{path};
    options.past_cache_bytes = fewest;
    const std::unique_ptr<Sink> sink = make_direct_sink(options);
    refusal = EINVAL, taken_before = before;
    const Status status = write_three(*sink);
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_NE(sink->remark().find("refused"), std::string::npos) << sink->remark();
    EXPECT_TRUE(sink->make_durable().ok());
    expect_three(path);
    fs::remove(path);
  }
}

TEST_F(PastCacheFiles, AFullDiskIsAnErrorPastTheCacheToo) {
  const std::string path = file_on_disk();
  if (path.empty()) GTEST_SKIP() << "no file system here takes O_DIRECT";
  SinkOptions options{path};
  options.past_cache_bytes = fewest;
  const std::unique_ptr<Sink> sink = make_direct_sink(options);
  refusal = ENOSPC, taken_before = 1;
  const Status status = write_three(*sink);
  EXPECT_EQ(status.code, WEIR_EIO);
  EXPECT_NE(status.message.find("No space left on device: make room"), std::string::npos) << status.message;
  EXPECT_NE(status.message.find(path), std::string::npos) << status.message;
  fs::remove(path);
}

#ifdef STATX_DIOALIGN
// Larger ones than Weir writes: then all goes through the cache. Smaller ones suit it.
TEST_F(PastCacheFiles, BlocksOfOtherSizes) {
  const std::string path = file_on_disk();
  if (path.empty()) GTEST_SKIP() << "no file system here takes O_DIRECT";
  for (const unsigned blocks : {512U, 4096U, 65536U}) {
    wanted_blocks = blocks;
    EXPECT_EQ(PastCache::obstacle(path).has_value(), blocks > block_bytes) << blocks;
    EXPECT_EQ(PastCache::open(path) == nullptr, blocks > block_bytes) << blocks;
    SinkOptions options{path};
    options.past_cache_bytes = fewest;
    const std::unique_ptr<Sink> sink = make_direct_sink(options);
    const Status status = write_three(*sink);
    EXPECT_TRUE(status.ok()) << status.message;
    EXPECT_EQ(sink->remark(), "");
    expect_three(path);
  }
  fs::remove(path);
}
#endif

}  // namespace
}  // namespace weir
