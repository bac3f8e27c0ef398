// SPDX-License-Identifier: Apache-2.0
// Records that a run leaves next to a file keep their bytes from version to version; one that is not whole is not read.
#include "commit/checked_record.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "commit/publish_step.hpp"
#include "write/record_bytes.hpp"

namespace weir {
namespace {

constexpr std::int64_t mark = 0x1122334455667788;

std::vector<PublishStep> steps() {
  return {
      {"a.nc", ".a.nc.part", {1, 2, 3}, {4, 5, 6}, -1, {}},
      {"b.nc", "b.nc", {7, 8, 9}, {}, 4096, {{4, bytes_of("old"), bytes_of("newer")}, {100, {}, bytes_of("x")}}, true}};
}

std::vector<std::byte> steps_as_bytes() {
  RecordBytes bytes;
  bytes.word(2);
  bytes.text("a.nc").text(".a.nc.part");
  for (const std::int64_t word : {1, 2, 3, 4, 5, 6, -1, 0, 0}) bytes.word(word);
  bytes.text("b.nc").text("b.nc");
  for (const std::int64_t word : {7, 8, 9, 0, 0, 0, 4096, 2}) bytes.word(word);
  bytes.word(4).text("old").text("newer");
  bytes.word(100).text("").text("x").word(1);
  return bytes.sealed(mark);
}

TEST(CheckedRecord, KeepsItsBytes) {
  const auto sealed = sealed_record(mark, steps());
  EXPECT_EQ(sealed, steps_as_bytes());
  const auto again = read_sealed_record<std::vector<PublishStep>>(mark, sealed);
  ASSERT_TRUE(again);
  EXPECT_EQ(sealed_record(mark, *again), sealed);
}

TEST(CheckedRecord, IsNotReadWhereItIsNotWhole) {
  const auto sealed = sealed_record(mark, steps());
  const auto read = [](std::span<const std::byte> bytes, std::int64_t of = mark) {
    return read_sealed_record<std::vector<PublishStep>>(of, bytes).has_value();
  };
  for (std::size_t length = 0; length < sealed.size(); ++length) EXPECT_FALSE(read(std::span(sealed).first(length)));
  for (std::size_t at = 0; at < sealed.size(); ++at)
    for (const std::byte change : {std::byte{1}, std::byte{128}, std::byte{255}}) {
      auto changed = sealed;
      changed[at] ^= change;
      EXPECT_FALSE(read(changed)) << at;
    }
  EXPECT_FALSE(read(sealed, mark + 1));
  auto longer = sealed;
  longer.resize(sealed.size() + 100, std::byte{7});
  EXPECT_TRUE(read(longer));
}

// The checksum is that of what is there.
TEST(CheckedRecord, IsRefusedWhereItEndsTooEarly) {
  const auto sealed = sealed_record(mark, steps());
  for (std::size_t length = record_head_bytes; length < sealed.size(); ++length) {
    std::vector<std::byte> truncated(sealed.begin(), sealed.begin() + static_cast<std::ptrdiff_t>(length));
    seal(mark, truncated);
    try {
      read_sealed_record<std::vector<PublishStep>>(mark, truncated);
      ADD_FAILURE() << length;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), WEIR_EFORMAT);
      EXPECT_STREQ(error.what(), "a record that a run has left next to a file is truncated");
    }
  }
}

}  // namespace
}  // namespace weir
