// SPDX-License-Identifier: Apache-2.0
// What is archived comes back; what ends too early is refused, and what was changed does no harm.
#include "base/archive.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commit/publish_step.hpp"
#include "formats/chunked/packed_file.hpp"
#include "formats/definition.hpp"
#include "formats/stored_array.hpp"
#include "mpi/call_broadcast.hpp"
#include "plan/copy_program.hpp"
#include "plan/plan.hpp"
#include "schema/ocean_schema.hpp"

namespace weir {
namespace {

// Without fields(): as it lies in memory.
struct Plain {
  std::int64_t one;
  std::uint32_t two, three;
};

enum class Colour : std::uint8_t { red, green };

struct Leaf {
  std::string name;
  std::vector<unsigned> values;
  std::optional<Plain> plain;
};
void fields(auto& archive, Either<Leaf> auto& leaf) {
  archive(leaf.name, leaf.values, leaf.plain);
}

struct Everything {
  bool flag;
  Colour colour;
  int small;
  std::uint64_t large;
  std::array<std::byte, 3> fixed;
  std::vector<std::byte> bytes;
  std::vector<std::int64_t> words;
  std::vector<Plain> plains;
  std::vector<Leaf> leaves;
  std::optional<Leaf> leaf;
  std::pair<int, std::string> pair;
};
void fields(auto& archive, Either<Everything> auto& all) {
  archive(all.flag, all.colour, all.small, all.large, all.fixed, all.bytes, all.words, all.plains);
  archive(all.leaves, all.leaf, all.pair);
}

template <class Value>
std::vector<Value> any_list() {
  return *rc::gen::container<std::vector<Value>>(rc::gen::arbitrary<Value>());
}
std::vector<std::byte> any_bytes() {
  const auto list = any_list<char>();
  const auto view = std::as_bytes(std::span(list));
  return {view.begin(), view.end()};
}
std::int64_t any_word() {
  return *rc::gen::arbitrary<std::int64_t>();
}
Plain any_plain() {
  return {any_word(), *rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint32_t>()};
}
Leaf any_leaf() {
  Leaf leaf{*rc::gen::arbitrary<std::string>(), any_list<unsigned>(), {}};
  if (*rc::gen::arbitrary<bool>()) leaf.plain = any_plain();
  return leaf;
}
Everything any() {
  Everything all{*rc::gen::arbitrary<bool>(),
                 *rc::gen::element(Colour::red, Colour::green),
                 *rc::gen::arbitrary<int>(),
                 *rc::gen::arbitrary<std::uint64_t>(),
                 {std::byte{3}, {}, std::byte{5}},
                 any_bytes(),
                 any_list<std::int64_t>(),
                 {},
                 {},
                 {},
                 {*rc::gen::arbitrary<int>(), *rc::gen::arbitrary<std::string>()}};
  for (int left = *rc::gen::inRange(0, 3); left > 0; --left) {
    all.plains.push_back(any_plain());
    all.leaves.push_back(any_leaf());
  }
  if (*rc::gen::arbitrary<bool>()) all.leaf = any_leaf();
  return all;
}

bool same(const Plain& a, const Plain& b) {
  return a.one == b.one && a.two == b.two && a.three == b.three;
}
bool same(const Leaf& a, const Leaf& b) {
  return a.name == b.name && a.values == b.values && a.plain.has_value() == b.plain.has_value() &&
         (!a.plain || same(*a.plain, *b.plain));
}
bool same(const Everything& a, const Everything& b) {
  const auto all = [](const auto& some, const auto& others) {
    return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                      [](const auto& one, const auto& other) { return same(one, other); });
  };
  return a.flag == b.flag && a.colour == b.colour && a.small == b.small && a.large == b.large && a.fixed == b.fixed &&
         a.bytes == b.bytes && a.words == b.words && all(a.plains, b.plains) && all(a.leaves, b.leaves) &&
         a.leaf.has_value() == b.leaf.has_value() && (!a.leaf || same(*a.leaf, *b.leaf)) && a.pair == b.pair;
}

constexpr const char* too_early = "what another rank has sent ends too early: ";

// The value, or nullopt where it is refused as one that ends too early.
template <class Value>
std::optional<Value> read(ArchiveReader archive) {
  try {
    return archive.get<Value>();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EINTERNAL);
    EXPECT_TRUE(std::string(error.what()).starts_with(too_early)) << error.what();
    return std::nullopt;
  }
}

RC_GTEST_PROP(Archive, RoundTripsAsBytesOfEitherOrder, ()) {
  const Everything all = any();
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    std::vector<std::byte> bytes{std::byte{7}};  // it appends
    ArchiveWriter archive(bytes, order);
    archive(all);
    const auto written = std::span(bytes).subspan(1);
    ArchiveReader reader(written, {}, order);
    RC_ASSERT(same(reader.get<Everything>(), all));
    RC_ASSERT(reader.at_end());
    const auto length = *rc::gen::inRange<std::size_t>(0, written.size());
    RC_ASSERT(!read<Everything>(ArchiveReader(written.first(length), {}, order)));
  }
}

RC_GTEST_PROP(Archive, RoundTripsAsWords, ()) {
  const Everything all = any();
  std::vector<std::int64_t> words;
  ArchiveWriter archive(words);
  archive(all, any_bytes(), all.leaves);
  ArchiveReader reader(words);
  RC_ASSERT(same(reader.get<Everything>(), all));
  reader.view<std::byte>();
  RC_ASSERT(reader.get<std::vector<Leaf>>().size() == all.leaves.size());
  RC_ASSERT(reader.at_end());
  const auto length = *rc::gen::inRange<std::size_t>(0, words.size());
  const auto cut = std::span<const std::int64_t>(words).first(length);
  ArchiveReader truncated(cut);
  RC_ASSERT_THROWS_AS((truncated.get<Everything>(), truncated.view<std::byte>(), truncated.get<std::vector<Leaf>>()),
                      Error);
}

TEST(Archive, IsReadAsWordsInPlace) {
  std::vector<std::int64_t> words;
  ArchiveWriter archive(words);
  const std::string text = "ninebytes";
  archive(std::vector<std::int64_t>{5, 6}, text);
  std::memcpy(archive.room(5), "first", 5);
  EXPECT_EQ(words.size(), 3u + 1 + 2 + 1);
  ArchiveReader reader(words);
  const auto two = reader.view<std::int64_t>();
  EXPECT_EQ(two.data(), words.data() + 1);
  EXPECT_EQ(two.back(), 6);
  EXPECT_EQ(reader.get<std::string>(), text);
  EXPECT_EQ(std::memcmp(reader.take(5).data(), "first", 5), 0);
  EXPECT_TRUE(reader.at_end());
}

TEST(Archive, TakesTheNearestOfANumberThatIsTooLarge) {
  const auto bytes = serialize(std::vector<std::int64_t>{INT64_MAX, INT64_MIN, -1, 300});
  const auto numbers = std::span<const std::byte>(bytes).subspan(8);
  ArchiveReader archive(numbers);
  EXPECT_EQ(archive.get<int>(), INT32_MAX);
  EXPECT_EQ(archive.get<int>(), INT32_MIN);
  EXPECT_EQ(archive.get<std::uint32_t>(), 0u);
  EXPECT_EQ(archive.get<std::uint8_t>(), 255);
}

std::string refusal_of(const auto& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Archive, SaysWhyItIsRefused) {
  const auto bytes = serialize(std::string("four"));
  const auto text = [&](std::size_t length) {
    return refusal_of([&] { deserialize<std::string>(std::span(bytes).first(length)); });
  };
  EXPECT_EQ(text(5), too_early + std::string("8 are asked for and 5 are left"));
  EXPECT_EQ(text(10), too_early + std::string("a count of 4 stands before 2 bytes"));
  EXPECT_EQ(text(12), "none");
  EXPECT_EQ(refusal_of([&] { deserialize<std::vector<Leaf>>(serialize(std::int64_t{-1})); }),
            too_early + std::string("a count of -1 stands before 0 bytes"));
  EXPECT_EQ(refusal_of([&] { deserialize<std::array<char, 3>>(bytes); }), too_early + std::string("an array"));
  EXPECT_EQ(refusal_of([&] { deserialize<std::int64_t>(bytes); }),
            "what another rank has sent does not end where it should");
}

// Of what ranks send each other, and leave next to files. A change in a text or a number goes unseen here: a message
// comes whole or not at all, and a record has its checksum.
template <class Value>
void hold(const Value& value) {
  const auto bytes = serialize(value);
  EXPECT_EQ(serialize(deserialize<Value>(bytes)), bytes);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(deserialize<Value>(std::span(bytes).first(length)), Error) << length;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const std::byte change : {std::byte{1}, std::byte{128}, std::byte{255}}) {
      auto changed = bytes;
      changed[at] ^= change;
      try {
        const auto again = serialize(deserialize<Value>(changed));
        EXPECT_EQ(serialize(deserialize<Value>(again)), again) << at;
      } catch (const Error&) {
        continue;
      }
    }
  auto longer = bytes;
  longer.push_back({});
  EXPECT_THROW(deserialize<Value>(longer), Error);
}

std::vector<std::byte> some_bytes() {
  return {std::byte{1}, std::byte{2}, std::byte{3}};
}

TEST(Archive, HoldsWhatIsKnownOfAFile) {
  Geometry geometry;
  geometry.begin = {80, 4096, -1};
  geometry.format = 5, geometry.records = 7, geometry.header_bytes = 80;
  geometry.fixed_end = 4000, geometry.record_begin = 4096, geometry.record_bytes = 128;
  hold(geometry);
  EXPECT_EQ(deserialize<Geometry>(serialize(geometry)).header_bytes, 80);

  ChunkedFileInfo info{{3, 4}, SinkKind::direct, 2048, "a.nc", ".a.nc.part", "why", {}};
  info.variables = {{{{1, {5, 6}}, {2, {}}}, 512, true, ""}, {{}, 0, false, "an obstacle"}};
  hold(info);
  EXPECT_EQ(deserialize<ChunkedFileInfo>(serialize(info)).variables[0].filters[0].values,
            info.variables[0].filters[0].values);
}

TEST(Archive, HoldsTablesOfAFile) {
  StoredArray array;
  array.lengths = {4, 6};
  array.chunk = {2, 3};
  array.filters = {{1, {9}}};
  array.contents = some_bytes();
  array.pieces = {{4096, 17, 1}, {}};
  array.files = ChunkFiles{"folder", {"c", '/'}, {2, 3}, ShardIndexForm{}};
  StoredTables tables;
  tables.schema = ocean();
  tables.records = 3;
  tables.arrays = {array, StoredArray{}};
  tables.left_out = {{"name", "reason"}};
  hold(tables);
  const auto again = deserialize<StoredTables>(serialize(tables));
  EXPECT_EQ(again.schema, tables.schema);
  EXPECT_EQ(again.arrays[0].pieces[1].address, StoredPiece::nowhere);
  EXPECT_EQ(again.left_out, tables.left_out);
}

TEST(Archive, HoldsPlansAndCalls) {
  hold(CopyProgram{{{1, 2, {{3, 4, 5}, {6, 7, -8}}}, {9, 10, {}}}, {{11, 12, 13}}});
  std::vector<TilePlan> rounds(2);
  rounds[0].elements = 100;
  rounds[0].stretches = {{0, 1, 2}, {3, 4, 5}};
  rounds[1].fills = {{6, 7, 8}};
  hold(rounds);
  hold(BroadcastCall{CallKind::give_up, {1, 2, 3}, some_bytes()});
  hold(std::vector<PublishStep>{{"a", "b", {1, 2, 3}, {4, 5, 6}, -1, {{7, some_bytes(), {}}}}});
}

}  // namespace
}  // namespace weir
