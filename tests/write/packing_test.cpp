// SPDX-License-Identifier: Apache-2.0
// What packs chunks, against what others say of the same bytes. That whole chunks come back is seen where Python reads.
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "formats/chunked/blosc.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/chunked/open_blocks.hpp"

namespace weir {
namespace {

// RFC 3720, appendix B.4, and the sum that goes with every polynomial of the kind.
TEST(Crc32c, IsThatOfTheStandard) {
  const std::vector<std::byte> zeros(32), ones(32, std::byte{0xFF});
  EXPECT_EQ(crc32c(zeros), 0x8A9136AAU);
  EXPECT_EQ(crc32c(ones), 0x62A8AB43U);
  EXPECT_EQ(crc32c(std::as_bytes(std::span(std::string_view("123456789")))), 0xE3069283U);
}

TEST(Blosc, TellsItsLengths) {
  if (!Compressor::has(CompressedFormat::zstd)) GTEST_SKIP() << "built without zstd";
  Compressor compressor;
  for (const std::size_t bytes : {8, 4096, 5 << 20, 9 << 20}) {
    const std::vector<std::byte> from(bytes, std::byte{7});
    const BloscRule rule{CompressedFormat::zstd, 1, 8};
    std::vector<std::byte> packed(blosc_bound(rule, bytes));
    UninitializedBuffer sorted;
    const std::size_t got = pack_blosc(compressor, rule, from, sorted, packed);
    ASSERT_GT(got, 0U);
    std::uint32_t words[3];
    std::memcpy(words, &packed[4], sizeof words);
    EXPECT_EQ(words[0], bytes);
    EXPECT_LE(words[1], std::size_t{4} << 20);
    EXPECT_EQ(words[2], got);
  }
}

TEST(OpenBlocks, AreDealtAmongThoseThatHavePieces) {
  const BlockKey alone{0, 0, 0}, a{0, 0, 1}, b{0, 0, 2}, c{1, 0, 0};
  const std::vector<BlockTask> tasks =
      deal_blocks({{c, 2, 10}, {c, 1, 30}, {a, 1, 10}, {a, 0, 10}, {b, 0, 10}, {b, 1, 10}, {alone, 0, 40}}, 3);
  ASSERT_EQ(tasks.size(), 4U);
  EXPECT_EQ(tasks[0].key, alone);
  EXPECT_EQ(tasks[0].rank, 0);
  EXPECT_EQ(tasks[0].moved_bytes, 0);
  EXPECT_EQ(tasks[1].key, a);
  EXPECT_EQ(tasks[1].rank, 1);  // 0 has its own already
  EXPECT_EQ(tasks[1].moved_bytes, 10);
  EXPECT_EQ(tasks[2].rank, 1);  // 30 to do, and 0 has 40
  EXPECT_EQ(tasks[3].key, c);
  EXPECT_EQ(tasks[3].rank, 2);
  EXPECT_EQ(tasks[3].moved_bytes, 30);
}

// One record of 24 lies on another rank, which has less to do.
TEST(OpenBlocks, StayWhereNearlyAllOfThemIs) {
  std::vector<BlockHead> heads;
  for (std::int64_t number = 0; number < 8; ++number) {
    heads.push_back({{0, 0, number}, 0, 23});
    heads.push_back({{0, 0, number}, 1, 1});
  }
  std::int64_t moved = 0, stay = 0;
  for (const BlockTask& task : deal_blocks(heads, 2)) {
    moved += task.moved_bytes;
    stay += task.rank == 0 ? 1 : 0;
  }
  EXPECT_EQ(stay, 5);
  EXPECT_EQ(moved, 5 * 1 + 3 * 23);
}

TEST(OpenBlocks, KeepTheLaterPut) {
  OpenBlocks blocks;
  const BlockKey key{0, 3, 1};
  const auto put = [&](std::int64_t record, std::int64_t number, int value) {
    std::byte* const to = blocks.place(key, {3, 8}, record, number);
    if (to != nullptr) std::fill_n(to, 8, std::byte(value));
    return to != nullptr;
  };
  EXPECT_TRUE(put(0, 1, 1));
  EXPECT_TRUE(put(1, 2, 2));
  EXPECT_FALSE(put(1, 1, 3));
  EXPECT_TRUE(put(0, 3, 4));
  EXPECT_EQ(blocks.records(key), 2);
  EXPECT_EQ(blocks.bytes(), 16);
  ASSERT_EQ(blocks.heads(5).size(), 1U);
  EXPECT_EQ(blocks.heads(5)[0].bytes, 16);
  OpenBlock block = blocks.take(key);
  EXPECT_EQ(block.generations, (std::map<std::int64_t, std::int64_t>{{0, 3}, {1, 2}}));
  EXPECT_EQ(block.values.at_least(24)[7], std::byte{4});
  EXPECT_EQ(block.values.at_least(24)[8], std::byte{2});
  EXPECT_EQ(blocks.bytes(), 0);
  EXPECT_EQ(blocks.records(key), 0);
}

}  // namespace
}  // namespace weir
