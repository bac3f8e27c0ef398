// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "schema/ocean_schema.hpp"
#include "schema/schema.hpp"

namespace weir {
namespace {

rc::Gen<std::string> any_name() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::elementOf(std::string("abcXYZ_019")),
                    rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc_.+-09")))),
      [](const std::pair<char, std::string>& parts) { return parts.first + parts.second.substr(0, 30); });
}

Type any_type() {
  return static_cast<Type>(*rc::gen::inRange(1, 12));
}

void put_any_attributes(Schema& schema, int var) {
  const int count = *rc::gen::inRange(0, 4);
  for (int i = 0; i < count; ++i) {
    const Type type = any_type();
    const std::int64_t length = *rc::gen::inRange(0, 9);
    const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(
        static_cast<std::size_t>(length * type_bytes(type)), rc::gen::arbitrary<std::uint8_t>());
    schema.put_attribute(var, *any_name(), type, length, bytes.data());
  }
  if (*rc::gen::inRange(0, 3) > 0) return;
  std::string texts;
  const int strings = *rc::gen::inRange(0, 4);
  for (int i = 0; i < strings; ++i) texts += *any_name() + '\0';
  schema.put_attribute(var, *any_name(), WEIR_STRING, strings, texts.data());
}

Schema any_schema() {
  Schema schema;
  if (*rc::gen::inRange(0, 4) == 0) schema.leave_scales_unattached();
  const int dims = *rc::gen::inRange(0, 6);
  for (int i = 0; i < dims; ++i) {
    const std::int64_t length = *rc::gen::inRange(schema.record_dimension() < 0 ? 0 : 1, 1000);
    const bool grows = length > 0 && *rc::gen::inRange(0, 4) == 0;
    const std::string name = *any_name() + std::to_string(i);
    grows ? schema.add_growing_dimension(name, length) : schema.add_dimension(name, length);
  }
  put_any_attributes(schema, WEIR_GLOBAL);
  const int variables = *rc::gen::inRange(0, 6);
  for (int i = 0; i < variables; ++i) {
    Dims of;
    const int rank = dims == 0 ? 0 : *rc::gen::inRange(0, 4);
    for (int d = 0; d < rank; ++d) {
      const int dim = *rc::gen::inRange(0, dims);
      if (d == 0 || dim != schema.record_dimension()) of.push_back(dim);
    }
    if (!of.empty() && std::count(of.begin() + 1, of.end(), schema.record_dimension()) > 0) of.clear();
    put_any_attributes(schema, schema.add_variable(*any_name() + std::to_string(i), any_type(), of));
  }
  return schema;
}

RC_GTEST_PROP(Serialize, RoundTrips, ()) {
  const Schema schema = any_schema();
  const auto bytes = schema.serialize();
  const Schema again = Schema::deserialize(bytes);
  RC_ASSERT(again == schema);
  RC_ASSERT(again.serialize() == bytes);
  RC_ASSERT(!difference(schema, again, "rank 1"));
}

RC_GTEST_PROP(Serialize, EqualBytesMeanNoDifference, ()) {
  const Schema one = any_schema();
  const Schema other = any_schema();
  RC_ASSERT((one.serialize() == other.serialize()) == !difference(one, other, "rank 1"));
  RC_ASSERT((one == other) == !difference(one, other, "rank 1"));
}

RC_GTEST_PROP(Serialize, RefusesCutBytes, ()) {
  const auto bytes = any_schema().serialize();
  const auto length = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT_THROWS_AS(Schema::deserialize(std::span(bytes).first(length)), Error);
}

RC_GTEST_PROP(Serialize, DamagedBytesGiveASchemaOrAnError, ()) {
  auto bytes = any_schema().serialize();
  bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  try {
    const Schema schema = Schema::deserialize(bytes);
    RC_ASSERT(Schema::deserialize(schema.serialize()) == schema);
  } catch (const Error& error) {
    RC_ASSERT(error.code() == WEIR_EFORMAT);
  }
}

TEST(Serialize, RefusesForeignAndTrailingBytes) {
  auto bytes = ocean().serialize();
  bytes.push_back(std::byte{0});
  EXPECT_THROW(Schema::deserialize(bytes), Error);
  EXPECT_THROW(Schema::deserialize(std::vector<std::byte>(64)), Error);
  EXPECT_THROW(Schema::deserialize({}), Error);
}

std::string in_hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    for (const int digit : {std::to_integer<int>(byte) / 16, std::to_integer<int>(byte) % 16})
      text += "0123456789abcdef"[digit];
  return text;
}

// Part files have them too, and are merged by any version.
TEST(Serialize, KeepsItsBytes) {
  Schema schema;
  const int time = schema.add_dimension("time", 0), y = schema.add_dimension("y", 3);
  const int x = schema.add_growing_dimension("x", 4);
  schema.put_attribute(WEIR_GLOBAL, "title", WEIR_CHAR, 5, "ocean");
  const double scale = 1.5;
  const short levels[] = {1, -2, 300};
  const int temp = schema.add_variable("temp", WEIR_FLOAT, Dims{time, y, x});
  schema.put_attribute(temp, "scale", WEIR_DOUBLE, 1, &scale);
  schema.put_attribute(temp, "levels", WEIR_SHORT, 3, levels);
  schema.put_attribute(temp, "names", WEIR_STRING, 2, "ab\0c\0");
  schema.add_variable("n", WEIR_INT, Dims{});
  Storage deflated;
  deflated.chunk = {1, 2, 4};
  deflated.shuffle = true;
  deflated.deflate_level = 3;
  schema.set_storage(temp, deflated);
  Storage quantized;
  quantized.chunk = {3, 2};
  quantized.zstd_level = 1;
  quantized.fletcher32 = true;
  quantized.quantization = {static_cast<QuantizeKind>(1), 3};
  schema.set_storage(schema.add_variable("w", WEIR_DOUBLE, Dims{y, x}), quantized);
  const std::string expected =
      "57454952534348310000000000000003000000000000000474696d650000000000000000000000000000000179000000"
      "0000000003000000000000000178fffffffffffffffc000000000000000100000000000000057469746c650000000000"
      "00000200000000000000056f6365616e0000000000000003000000000000000474656d70000000000000000500000000"
      "00000003000000000000000000000000000000010000000000000002000000000000000300000000000000057363616c"
      "65000000000000000600000000000000013ff800000000000000000000000000066c6576656c73000000000000000300"
      "000000000000030001fffe012c00000000000000056e616d6573000000000000000c0000000000000002000000000000"
      "0005616200630000000000000000016e0000000000000004000000000000000000000000000000000000000000000001"
      "770000000000000006000000000000000200000000000000010000000000000002000000000000000000000000000000"
      "030000000000000001000000000000000200000000000000040000000000000001000000000000000000000000000000"
      "038000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
      "008000000000000000800000000000000000000000000000000000000000000000000000000000000200000000000000"
      "030000000000000002000000000000000000000000000000018000000000000000000000000000000100000000000000"
      "010000000000000003";
  EXPECT_EQ(in_hex(schema.serialize()), expected);
  EXPECT_EQ(Schema::deserialize(schema.serialize()), schema);
}

TEST(Serialize, IsBigEndianOnEveryMachine) {
  Schema schema;
  const std::int32_t value = 0x01020304;
  schema.put_attribute(WEIR_GLOBAL, "a", WEIR_INT, 1, &value);
  const auto bytes = schema.serialize();
  const std::array<std::byte, 4> expected{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  EXPECT_NE(std::search(bytes.begin(), bytes.end(), expected.begin(), expected.end()), bytes.end());
}

Schema altered(const std::function<void(Schema&)>& alter) {
  Schema schema = ocean();
  alter(schema);
  return schema;
}

TEST(Difference, IsToldInWords) {
  Schema short_lon;
  short_lon.add_dimension("time", 0);
  short_lon.add_dimension("lat", 90);
  short_lon.add_dimension("lon", 360);
  EXPECT_EQ(difference(ocean(), short_lon, "rank 0"), "dimension \"lon\" has length 180 here and 360 on rank 0");
  EXPECT_EQ(difference(ocean(), ocean(), "rank 0"), std::nullopt);
  EXPECT_EQ(difference(ocean(), altered([](Schema& s) { s.add_dimension("z", 3); }), "rank 2"),
            "dimension \"z\" is not defined here but on rank 2");
  EXPECT_EQ(difference(altered([](Schema& s) { s.add_variable("w", WEIR_INT, Dims{}); }), ocean(), "rank 2"),
            "variable \"w\" is defined here but not on rank 2");
  EXPECT_EQ(difference(altered([](Schema& s) { s.put_attribute(1, "units", WEIR_CHAR, 1, "C"); }), ocean(), "rank 0"),
            "attribute \"units\" of variable \"temp\" is \"C\" here and \"K\" on rank 0");
  EXPECT_EQ(difference(altered([](Schema& s) { s.put_attribute(WEIR_GLOBAL, "title", WEIR_CHAR, 3, "ice"); }), ocean(),
                       "rank 0"),
            "attribute \"title\" of the file is \"ice\" here and \"ocean\" on rank 0");
  const double range[] = {-2.5, 40.0};
  EXPECT_EQ(difference(altered([&](Schema& s) { s.put_attribute(1, "valid_range", WEIR_DOUBLE, 2, range); }), ocean(),
                       "rank 0"),
            "attribute \"valid_range\" of variable \"temp\" is -2.5, 40 here and -2, 40 on rank 0");
  const std::int32_t whole[] = {-2, 40};
  EXPECT_EQ(
      difference(altered([&](Schema& s) { s.put_attribute(1, "valid_range", WEIR_INT, 2, whole); }), ocean(), "rank 0"),
      "attribute \"valid_range\" of variable \"temp\" has type int here and double on rank 0");
}

TEST(Difference, TellsOfRecordDimensionsTypesAndShapes) {
  const auto make = [](std::int64_t x, Type type, const Dims& dims) {
    Schema schema;
    schema.add_dimension("x", x);
    schema.add_dimension("y", 5);
    schema.add_variable("v", type, dims);
    return schema;
  };
  EXPECT_EQ(difference(make(0, WEIR_INT, {}), make(4, WEIR_INT, {}), "rank 0"),
            "dimension \"x\" has no fixed length (the record dimension) here and length 4 on rank 0");
  EXPECT_EQ(difference(make(4, WEIR_INT, {}), make(4, WEIR_FLOAT, {}), "rank 0"),
            "variable \"v\" has type int here and float on rank 0");
  EXPECT_EQ(difference(make(4, WEIR_INT, {0, 1}), make(4, WEIR_INT, {1}), "rank 0"),
            "variable \"v\" has dimensions (x, y) here and (y) on rank 0");
}

TEST(Difference, PointsIntoLongAttributes) {
  std::vector<std::int32_t> values(100, 7);
  const Schema theirs = altered([&](Schema& s) { s.put_attribute(0, "map", WEIR_INT, 100, values.data()); });
  values[42] = 8;
  const Schema mine = altered([&](Schema& s) { s.put_attribute(0, "map", WEIR_INT, 100, values.data()); });
  EXPECT_EQ(difference(mine, theirs, "rank 0"),
            "attribute \"map\" of variable \"time\" has at value number 42 8 here and 7 on rank 0");
  const Schema shorter = altered([&](Schema& s) { s.put_attribute(0, "map", WEIR_INT, 99, values.data()); });
  EXPECT_EQ(difference(mine, shorter, "rank 0"),
            "attribute \"map\" of variable \"time\" has 100 values here and 99 on rank 0");
  const std::string long_text(100, 'a');
  const std::string other_text = std::string(60, 'a') + std::string(40, 'b');
  EXPECT_EQ(
      difference(altered([&](Schema& s) { s.put_attribute(0, "t", WEIR_CHAR, 100, long_text.data()); }),
                 altered([&](Schema& s) { s.put_attribute(0, "t", WEIR_CHAR, 100, other_text.data()); }), "rank 0"),
      "attribute \"t\" of variable \"time\", from character 60 on, is \"" + std::string(40, 'a') + "\" here and \"" +
          std::string(40, 'b') + "\" on rank 0");
  const auto texts = [&](const char* second) {
    const std::string list = long_text + '\0' + second + '\0';
    return altered([&](Schema& s) { s.put_attribute(0, "l", WEIR_STRING, 2, list.data()); });
  };
  EXPECT_EQ(difference(texts("one"), texts("two"), "rank 0"),
            "attribute \"l\" of variable \"time\" has as text number 1 \"one\" here and \"two\" on rank 0");
}

TEST(Difference, SeesBitsThatCompareEqual) {
  const double zero = 0.0;
  const double minus_zero = -0.0;
  EXPECT_TRUE(difference(altered([&](Schema& s) { s.put_attribute(0, "z", WEIR_DOUBLE, 1, &zero); }),
                         altered([&](Schema& s) { s.put_attribute(0, "z", WEIR_DOUBLE, 1, &minus_zero); }), "rank 0"));
}

}  // namespace
}  // namespace weir
