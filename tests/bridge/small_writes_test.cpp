// SPDX-License-Identifier: Apache-2.0
#include "core/small_writes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace weir::bridge {
namespace {

constexpr std::int64_t ny = 4, nx = 5;

// time, y, x; a (time, y, x) of shorts, b (y, x) of doubles, c a scalar.
Schema schema() {
  Schema made;
  const int time = made.add_dimension("time", 0), y = made.add_dimension("y", ny), x = made.add_dimension("x", nx);
  made.add_variable("a", WEIR_SHORT, std::vector<int>{time, y, x});
  made.add_variable("b", WEIR_DOUBLE, std::vector<int>{y, x});
  made.add_variable("c", WEIR_INT, std::vector<int>{});
  return made;
}
Geometry geometry() {
  Geometry made;
  made.format = 5;
  made.record_bytes = 40, made.record_begin = 1000, made.fixed_end = 304;
  made.begin = {1000, 100, 300};
  return made;
}

std::vector<std::int64_t> message_of(std::span<const LocalSlabs> parts, std::int64_t* misfits = nullptr) {
  const Schema file = schema();
  const auto shares = cut_into_shares(file, parts);
  std::int64_t count = 0;
  const auto words = SmallWrites::message(file, geometry(), shares, Infinities::misfit, count);
  EXPECT_LE(std::ssize(words), SmallWrites::words(shares));
  if (misfits != nullptr) *misfits = count;
  return words;
}

std::vector<std::int64_t> joined(std::vector<std::int64_t> first, const std::vector<std::int64_t>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// A double as the file has it.
void paint(std::vector<std::byte>& file, std::int64_t place, double value) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &value, 8);
  std::reverse_copy(bytes.begin(), bytes.end(), file.begin() + place);
}

// What rank 0 does when the file lands.
void write(const SmallWrites& pieces, std::vector<std::byte>& file) {
  std::int64_t end = 0;
  for (const Extent& extent : pieces.extents()) {
    EXPECT_GE(extent.offset, end) << "ascending and disjoint";
    end = extent.offset + extent.bytes;
    std::memcpy(file.data() + extent.offset, extent.data, static_cast<std::size_t>(extent.bytes));
  }
}

TEST(SmallWrites, HaveTheFormAndPlaceOfTheFile) {
  const std::array<int, 2> values{258, 70000};
  const LocalSlabs part{0, WEIR_INT, {{{3, 1, 2}, {1, 1, 2}, {}}}, values.data()};
  std::int64_t misfits = 0;
  const auto call = SmallWrites::read(message_of({&part, 1}, &misfits));
  EXPECT_EQ(misfits, 1) << "70000 is no short";
  EXPECT_EQ(call.where, (std::set<SmallWrites::Where>{{0, 3}}));
  ASSERT_EQ(call.places.size(), 1U);
  EXPECT_EQ(call.places.begin()->first, 1000 + 3 * 40 + 2 * (nx + 2));
  const std::vector<std::byte> wanted{std::byte{1}, std::byte{2}, std::byte{0x80}, std::byte{1}};
  EXPECT_EQ(call.places.begin()->second, wanted) << "big-endian, and a short's fill value";
}

TEST(SmallWrites, OfStridesAreEachForItself) {
  const std::array<short, 4> values{1, 2, 3, 4};
  const LocalSlabs part{0, WEIR_SHORT, {{{0, 1, 0}, {1, 2, 2}, {1, 2, 3}}}, values.data()};
  const auto call = SmallWrites::read(message_of({&part, 1}));
  std::vector<std::int64_t> places;
  for (const auto& [place, bytes] : call.places) places.push_back((place - 1000) / 2);
  EXPECT_EQ(places, (std::vector<std::int64_t>{nx, nx + 3, 3 * nx, 3 * nx + 3}));
}

TEST(SmallWrites, ThatRanksHoldAlikeAreTheFirstOnes) {
  const int first = 7, second = 8;
  const LocalSlabs of_first{2, WEIR_INT, {{}}, &first}, of_second{2, WEIR_INT, {{}}, &second};
  auto call = SmallWrites::read(joined(message_of({&of_first, 1}), message_of({&of_second, 1})));
  EXPECT_FALSE(call.overlaps);
  EXPECT_EQ(call.places.at(300).back(), std::byte{7});
}

TEST(SmallWrites, ThatOverlapOtherwiseAreFound) {
  const std::array<double, 4> values{};
  const LocalSlabs row{1, WEIR_DOUBLE, {{{0, 0}, {1, 4}, {}}}, values.data()};
  const LocalSlabs end{1, WEIR_DOUBLE, {{{0, 3}, {1, 2}, {}}}, values.data()};
  EXPECT_TRUE(SmallWrites::read(joined(message_of({&row, 1}), message_of({&end, 1}))).overlaps);
  const std::vector<LocalSlabs> twice{end, end};
  EXPECT_TRUE(SmallWrites::read(message_of(twice)).overlaps) << "of two equal puts of one rank the library knows";
}

TEST(SmallWrites, ThatLieAcrossWaitingOnesAreFound) {
  const std::array<double, 4> values{1, 2, 3, 4};
  const LocalSlabs row{1, WEIR_DOUBLE, {{{0, 0}, {1, 4}, {}}}, values.data()};
  const LocalSlabs end{1, WEIR_DOUBLE, {{{0, 3}, {1, 2}, {}}}, values.data()};
  const LocalSlabs next{1, WEIR_DOUBLE, {{{0, 4}, {1, 1}, {}}}, values.data()};
  SmallWrites waiting;
  waiting.add(SmallWrites::read(message_of({&row, 1})));
  EXPECT_FALSE(waiting.lies_across(SmallWrites::read(message_of({&row, 1}))));
  EXPECT_FALSE(waiting.lies_across(SmallWrites::read(message_of({&next, 1}))));
  EXPECT_TRUE(waiting.lies_across(SmallWrites::read(message_of({&end, 1}))));
  EXPECT_EQ(waiting.bytes(), 32);
  waiting.clear();
  EXPECT_TRUE(waiting.empty());
}

// Calls of two ranks one after another, the way a carrier adds them: the file holds what the last call put everywhere.
RC_GTEST_PROP(SmallWrites, LaterCallsComeInThePlaceOfEarlierOnes, ()) {
  SmallWrites waiting;
  std::vector<std::byte> file(2000), wanted(2000);
  const auto land = [&] {
    write(waiting, file);
    waiting.clear();
  };
  const int calls = *rc::gen::inRange(1, 12);
  for (int c = 0; c < calls; ++c) {
    std::vector<std::int64_t> messages;
    std::vector<double> values(ny * nx, c + 1);
    for (int rank = 0; rank < 2; ++rank) {  // the first one's rows, then the second one's
      const std::int64_t y = *rc::gen::inRange<std::int64_t>(0, ny / 2), x = *rc::gen::inRange<std::int64_t>(0, nx);
      const std::int64_t height = *rc::gen::inRange<std::int64_t>(1, ny / 2 - y + 1);
      const std::int64_t width = *rc::gen::inRange<std::int64_t>(0, nx - x + 1);
      const LocalSlabs part{1, WEIR_DOUBLE, {{{rank * ny / 2 + y, x}, {height, width}, {}}}, values.data()};
      messages = joined(messages, message_of({&part, 1}));
      for (std::int64_t element = 0; element < height * width; ++element)
        paint(wanted, 100 + 8 * ((rank * ny / 2 + y + element / width) * nx + x + element % width), c + 1);
    }
    SmallWrites::Call call = SmallWrites::read(messages);
    RC_ASSERT(!call.overlaps);
    if (waiting.lies_across(call)) land();
    waiting.add(std::move(call));
  }
  land();
  RC_ASSERT(file == wanted);
}

}  // namespace
}  // namespace weir::bridge
