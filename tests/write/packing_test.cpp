// SPDX-License-Identifier: Apache-2.0
// What packs chunks, against what others say of the same bytes. That whole chunks come back is seen where Python reads.
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "formats/chunked/blosc.hpp"
#include "formats/chunked/filter.hpp"

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

}  // namespace
}  // namespace weir
