// SPDX-License-Identifier: Apache-2.0
#include "schema/schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "schema/name.hpp"
#include "schema/ocean_schema.hpp"
#include "schema/text_list.hpp"

namespace weir {
namespace {

void expect_argument_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EARGUMENT);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Schema, KeepsWhatWasDefined) {
  const Schema schema = ocean();
  EXPECT_EQ(schema.record_dimension(), 0);
  EXPECT_EQ(schema.find_dimension("lon"), 2);
  EXPECT_EQ(schema.find_dimension("x"), -1);
  EXPECT_EQ(schema.find_variable("depth"), 2);
  EXPECT_EQ(schema.find_variable("lat"), -1);
  EXPECT_TRUE(schema.is_record(0));
  EXPECT_FALSE(schema.is_record(2));
  EXPECT_FALSE(schema.is_record(3));
  EXPECT_EQ(schema.shape(1), (std::vector<std::int64_t>{90, 180}));
  EXPECT_TRUE(schema.shape(0).empty());
  EXPECT_EQ(schema.elements(1), 16200);
  EXPECT_EQ(schema.elements(3), 1);
  ASSERT_NE(schema.find_attribute(1, "units"), nullptr);
  EXPECT_EQ(schema.find_attribute(1, "units")->count, 1);
  EXPECT_EQ(schema.find_attribute(1, "title"), nullptr);
  ASSERT_NE(schema.find_attribute(WEIR_GLOBAL, "title"), nullptr);
  EXPECT_EQ(Schema().record_dimension(), -1);
}

// U+212B and U+0041 U+030A are U+00C5 composed, the Kelvin sign is a letter of ASCII.
TEST(Schema, NamesOfProgramsAreComposedAndFoundInAnyForm) {
  const std::string composed = "\xc3\x85", sign = "\xe2\x84\xab", combined = "A\xcc\x8a", kelvin = "\xe2\x84\xaa";
  Schema schema;
  const int dim = schema.add_dimension(sign, 2);
  EXPECT_EQ(schema.dimensions()[0].name, composed);
  expect_argument_error([&] { schema.add_dimension(combined, 2); }, "is defined already");
  const int var = schema.add_variable("g/" + kelvin, WEIR_INT, std::span(&dim, 1));
  EXPECT_EQ(schema.variable(var).name, "g/K");
  for (const std::string& name : {composed, sign, combined}) EXPECT_EQ(schema.find_dimension(name), dim);
  EXPECT_EQ(schema.find_variable("/g/" + kelvin), var);
  schema.put_attribute(var, combined, WEIR_CHAR, 1, "a");
  schema.put_attribute(var, sign, WEIR_CHAR, 1, "b");
  ASSERT_EQ(schema.attributes(var).size(), 1U);
  EXPECT_EQ(schema.find_attribute(var, composed)->values[0], std::byte{'b'});
  EXPECT_EQ(schema.find_attribute(var, "A"), nullptr);
}

TEST(Schema, NamesOfFilesStayAsTheyAre) {
  const std::string composed = "\xc3\x85", combined = "A\xcc\x8a", sign = "\xe2\x84\xab";
  Schema schema;
  EXPECT_EQ(schema.add_dimension(Name::stored(combined), 2), 0);
  EXPECT_EQ(schema.find_dimension(composed), 0);
  EXPECT_EQ(schema.add_dimension(Name::stored(composed), 3), 1);  // a file may have both
  EXPECT_EQ(schema.find_dimension(combined), 0);
  EXPECT_EQ(schema.find_dimension(composed), 1);
  EXPECT_EQ(schema.find_dimension(sign), 0);
  schema.put_attribute(WEIR_GLOBAL, Name::stored(combined), WEIR_CHAR, 1, "a");
  schema.put_attribute(WEIR_GLOBAL, Name::stored(composed), WEIR_CHAR, 1, "b");
  EXPECT_EQ(schema.attributes(WEIR_GLOBAL).size(), 2U);
  expect_argument_error([&] { schema.add_dimension(Name::stored(combined), 2); }, "is defined already");
  expect_argument_error([&] { schema.add_dimension(sign, 2); }, "is defined already");
  EXPECT_EQ(Schema::deserialize(schema.serialize()), schema);
}

TEST(Schema, NamesHaveUpTo256BytesOnceTheyAreComposed) {
  Schema schema;
  schema.add_dimension(std::string(256, 'n'), 1);
  expect_argument_error([&] { schema.add_dimension(std::string(257, 'n'), 1); }, "longer than 256 bytes");
  std::string sign, composed;
  for (int i = 0; i < 128; ++i) sign += "\xe2\x84\xab", composed += "\xc3\x85";
  schema.add_dimension(sign, 1);
  EXPECT_EQ(schema.find_dimension(composed), 1);
  expect_argument_error([&] { schema.add_dimension("a\xe2\x84", 1); }, "is not valid UTF-8");
}

TEST(Schema, ReplacesAnAttributeInItsPlace) {
  Schema schema = ocean();
  schema.put_attribute(1, "units", WEIR_CHAR, 7, "Celsius");
  ASSERT_EQ(schema.attributes(1).size(), 2U);
  EXPECT_EQ(schema.attributes(1)[0].name, "units");
  EXPECT_EQ(schema.attributes(1)[0].count, 7);
  schema.put_attribute(1, "empty", WEIR_INT, 0, nullptr);
  EXPECT_EQ(schema.find_attribute(1, "empty")->count, 0);
}

TEST(Schema, RefusesBadNames) {
  const std::vector<std::pair<std::string, std::string>> bad{{"", "is empty"},
                                                             {std::string(257, 'a'), "is longer than 256 bytes"},
                                                             {" a", "begins with a space"},
                                                             {"a ", "ends with a space"},
                                                             {"a\nb", "contains a control character"},
                                                             {std::string("a\0b", 3), "contains a control character"},
                                                             {"a\x7f", "contains a control character"},
                                                             {"-a", "begins with neither"},
                                                             {"a\xff", "is not valid UTF-8"},
                                                             {"a\xc3", "is not valid UTF-8"},
                                                             {"\xc0\xaf", "is not valid UTF-8"},
                                                             {"\xed\xa0\x80", "is not valid UTF-8"},
                                                             {"\xf4\x90\x80\x80", "is not valid UTF-8"}};
  for (const auto& [name, part] : bad) {
    Schema schema = ocean();
    expect_argument_error([&] { schema.add_dimension(name, 1); }, part);
    expect_argument_error([&] { schema.add_variable(name, WEIR_INT, Dims{}); }, part);
    expect_argument_error([&] { schema.put_attribute(0, name, WEIR_INT, 0, nullptr); }, part);
    EXPECT_EQ(schema, ocean());
  }
}

TEST(Schema, NamesMayHaveGroups) {
  for (const auto& [name, part] : {std::pair<std::string, std::string>{"a/ b", "begins with a space"},
                                   {"/a", "has a group whose name is empty"},
                                   {"a//b", "has a group whose name is empty"},
                                   {"a/", "is empty"},
                                   {std::string(200, 'a') + "/" + std::string(60, 'b'), "is longer than 256 bytes"}}) {
    Schema schema = ocean();
    expect_argument_error([&] { schema.add_dimension(name, 1); }, part);
    expect_argument_error([&] { schema.add_variable(name, WEIR_INT, Dims{}); }, part);
    expect_argument_error([&] { schema.put_attribute(WEIR_GLOBAL, name, WEIR_INT, 0, nullptr); }, part);
    EXPECT_EQ(schema, ocean());
  }
  Schema schema = ocean();
  expect_argument_error([&] { schema.put_attribute(0, "a/b", WEIR_INT, 0, nullptr); }, "contains '/'");
  const int in_a = schema.add_dimension("a/y", 2), in_b = schema.add_dimension("a/b/y", 3);
  const int v = schema.add_variable("a/b/v", WEIR_INT, Dims{1, in_a, in_b});
  EXPECT_EQ(schema.find_variable("/a/b/v"), v);
  expect_argument_error([&] { schema.add_variable("a/v", WEIR_INT, Dims{in_b}); }, "of another group");
  expect_argument_error([&] { schema.add_variable("v", WEIR_INT, Dims{in_a}); }, "of another group");
  expect_argument_error([&] { schema.add_variable("ab/v", WEIR_INT, Dims{in_a}); }, "of another group");
  EXPECT_EQ(schema.find_dimension("a/y"), in_a);
  for (const int format : {1, 2, 5})
    EXPECT_NE(format_obstacle(schema, {}, format)->find("\"a/y\" is in a group"), std::string::npos);
}

TEST(Schema, DimensionsBesideTheRecordsMayGrow) {
  Schema schema = ocean();
  const int obs = schema.add_growing_dimension("obs", 4), a = schema.add_variable("a", WEIR_INT, Dims{0, obs});
  EXPECT_EQ(schema.shape(a), std::vector<std::int64_t>{4});
  EXPECT_EQ(schema.record_dimension(), 0);
  schema.extend_dimension(obs, 9);
  EXPECT_EQ(schema.elements(a), 9);
  EXPECT_EQ(Schema::deserialize(schema.serialize()), schema);
  Schema fixed = ocean();
  fixed.add_dimension("obs", 9);
  fixed.add_variable("a", WEIR_INT, Dims{0, obs});
  EXPECT_EQ(difference(schema, fixed, "rank 0"),
            "dimension \"obs\" has no fixed length, now 9 here and length 9 on rank 0");
  expect_argument_error([&] { schema.extend_dimension(obs, 8); }, "cannot be made shorter");
  expect_argument_error([&] { schema.extend_dimension(obs, INT64_MAX); }, "larger than 2^63 bytes");
  expect_argument_error([&] { schema.extend_dimension(0, 8); }, "is the record dimension");
  expect_argument_error([&] { schema.extend_dimension(1, 800); }, "is not unlimited");
  expect_argument_error([&] { schema.extend_dimension(99, 8); }, "no such dimension");
  EXPECT_EQ(schema.elements(a), 9);
  EXPECT_NE(format_obstacle(schema, {}, 5)->find("\"obs\" is a second unlimited dimension"), std::string::npos);
}

TEST(Schema, AttributesMayHaveStrings) {
  Schema schema = ocean(), other = ocean();
  const char texts[] = "one\0\0three";
  schema.put_attribute(0, "flags", WEIR_STRING, 3, texts);
  EXPECT_EQ(schema.find_attribute(0, "flags")->values.size(), sizeof texts);
  EXPECT_EQ(texts_in(schema.find_attribute(0, "flags")->values).size(), 3U);
  schema.put_attribute(WEIR_GLOBAL, "none", WEIR_STRING, 0, nullptr);
  EXPECT_EQ(Schema::deserialize(schema.serialize()), schema);
  other.put_attribute(0, "flags", WEIR_STRING, 2, texts);
  EXPECT_NE(difference(schema, other, "rank 0")->find("is \"one\", \"\", \"three\" here and \"one\", \"\" on rank 0"),
            std::string::npos)
      << *difference(schema, other, "rank 0");
  EXPECT_NE(format_obstacle(schema, {}, 5)->find("has strings"), std::string::npos);
  EXPECT_EQ(minimal_format(schema, {}), 5);
  // Of texts that are not all there.
  std::vector<std::byte> bytes = other.serialize();
  const auto two = std::as_bytes(std::span(texts)).first(5);
  const auto found = std::search(bytes.begin(), bytes.end(), two.begin(), two.end());
  ASSERT_NE(found, bytes.end());
  found[4] = std::byte{'x'};
  EXPECT_THROW(Schema::deserialize(bytes), Error);
}

TEST(Schema, TakesGoodNames) {
  for (const std::string& name :
       {std::string(256, 'a'), std::string("_x"), std::string("2m temperature"), std::string("t.max+1@z:(b)"),
        std::string("höhe"), std::string("温度"), std::string("\xf0\x9f\x8c\x8a")}) {
    EXPECT_EQ(name_fault(name), std::nullopt) << name;
  }
}

TEST(Schema, RefusesBadDimensions) {
  Schema schema = ocean();
  expect_argument_error([&] { schema.add_dimension("lat", 4); }, "the dimension \"lat\" is defined already");
  expect_argument_error([&] { schema.add_dimension("z", -1); }, "dimension \"z\" has length -1");
  expect_argument_error([&] { schema.add_dimension("z", 0); }, "a second record dimension beside \"time\"");
  EXPECT_EQ(schema, ocean());
}

TEST(Schema, RefusesBadVariables) {
  Schema schema = ocean();
  expect_argument_error([&] { schema.add_variable("temp", WEIR_INT, Dims{}); },
                        "the variable \"temp\" is defined already");
  expect_argument_error([&] { schema.add_variable("v", static_cast<Type>(12), Dims{}); }, "has the type 12");
  expect_argument_error([&] { schema.add_variable("v", static_cast<Type>(0), Dims{}); }, "has the type 0");
  expect_argument_error([&] { schema.add_variable("v", WEIR_INT, Dims{3}); },
                        "uses a dimension that the file does not have");
  expect_argument_error([&] { schema.add_variable("v", WEIR_INT, Dims{-1}); },
                        "uses a dimension that the file does not have");
  expect_argument_error(
      [&] {
        schema.add_variable("v", WEIR_INT, Dims{1, 0});
      },
      "has the record dimension \"time\" within its dimensions");
  expect_argument_error([&] { schema.add_variable("v", WEIR_INT, Dims{0, 0}); }, "it can only be the slowest");
  schema.add_dimension("huge", INT64_MAX / 8);
  expect_argument_error([&] { schema.add_variable("v", WEIR_DOUBLE, Dims{1, 3}); }, "larger than 2^63 bytes");
  EXPECT_EQ(schema.variables().size(), 4U);
}

TEST(Schema, RefusesBadAttributes) {
  Schema schema = ocean();
  const float one = 1.0F;
  expect_argument_error([&] { schema.put_attribute(4, "a", WEIR_INT, 0, nullptr); }, "there is no such variable");
  expect_argument_error([&] { schema.put_attribute(-2, "a", WEIR_INT, 0, nullptr); }, "there is no such variable");
  expect_argument_error([&] { schema.put_attribute(0, "a", static_cast<Type>(13), 0, nullptr); }, "has the type 13");
  expect_argument_error([&] { schema.put_attribute(0, "a", WEIR_INT, -1, &one); }, "has the count -1");
  expect_argument_error([&] { schema.put_attribute(0, "a", WEIR_INT, 1, nullptr); }, "has no values");
  expect_argument_error([&] { schema.put_attribute(0, "a", WEIR_INT, INT64_MAX, &one); }, "less than 2 GiB");
  expect_argument_error([&] { schema.put_attribute(0, "_FillValue", WEIR_FLOAT, 1, &one); },
                        "give one value of the variable's own type double");
  const float two[] = {1, 2};
  expect_argument_error([&] { schema.put_attribute(1, "_FillValue", WEIR_FLOAT, 2, two); }, "has 2 value(s)");
  expect_argument_error([&] { schema.put_attribute(1, "_FillValue", WEIR_FLOAT, 0, nullptr); }, "has 0 value(s)");
  EXPECT_EQ(schema, ocean());
}

TEST(Schema, RefusesToTellOfUnknownVariables) {
  const Schema schema = ocean();
  for (const int var : {-2, 4}) {
    expect_argument_error([&] { schema.is_record(var); }, "there is no such variable");
    expect_argument_error([&] { schema.shape(var); }, "there is no such variable");
    expect_argument_error([&] { schema.fill_value(var); }, "there is no such variable");
    expect_argument_error([&] { schema.attributes(var); }, "there is no such variable");
  }
}

ExternalValue external(std::initializer_list<int> bytes) {
  ExternalValue value{};
  std::size_t at = 0;
  for (const int byte : bytes) value[at++] = static_cast<std::byte>(byte);
  return value;
}

TEST(Schema, GivesFillValuesInExternalForm) {
  Schema schema = ocean();
  EXPECT_EQ(schema.fill_value(1), default_fill(WEIR_FLOAT));
  const float one = 1.0F;
  schema.put_attribute(1, "_FillValue", WEIR_FLOAT, 1, &one);
  EXPECT_EQ(schema.fill_value(1), external({0x3F, 0x80, 0, 0}));
  const std::int16_t short_fill = 0x0102;
  schema.put_attribute(2, "_FillValue", WEIR_SHORT, 1, &short_fill);
  EXPECT_EQ(schema.fill_value(2), external({1, 2}));
}

TEST(Format, EveryTypeHasItsOldestFormat) {
  for (int type = WEIR_BYTE; type <= WEIR_UINT64; ++type) {
    Schema of_variable;
    of_variable.add_variable("v", static_cast<Type>(type), Dims{});
    EXPECT_EQ(minimal_format(of_variable, {}), type <= WEIR_DOUBLE ? 1 : 5) << type;
    Schema of_attribute;
    of_attribute.put_attribute(WEIR_GLOBAL, "a", static_cast<Type>(type), 0, nullptr);
    EXPECT_EQ(minimal_format(of_attribute, {}), type <= WEIR_DOUBLE ? 1 : 5) << type;
  }
  Schema schema;
  schema.add_variable("v", WEIR_UINT, Dims{});
  EXPECT_EQ(format_obstacle(schema, {}, 2), "variable \"v\" has type uint, which CDF-2 does not know");
  EXPECT_EQ(format_obstacle(schema, {}, 5), std::nullopt);
  EXPECT_EQ(format_obstacle(schema, {}, 3), "CDF-3 is not a netCDF classic format");
}

// A file of fixed byte variables of these lengths.
Schema of_lengths(const std::vector<std::int64_t>& lengths) {
  Schema schema;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const int dim = schema.add_dimension("d" + std::to_string(i), lengths[i]);
    schema.add_variable("v" + std::to_string(i), WEIR_BYTE, Dims{dim});
  }
  return schema;
}

TEST(Format, FollowsTheSizes) {
  constexpr std::int64_t gib = 1LL << 30;
  EXPECT_EQ(minimal_format(of_lengths({gib}), {}), 1);
  EXPECT_EQ(minimal_format(of_lengths({gib, gib}), {}), 1);
  EXPECT_EQ(minimal_format(of_lengths({gib, gib, 1}), {}), 2);  // the third begins beyond 2 GiB
  EXPECT_EQ(minimal_format(of_lengths({2 * gib - 4}), {}), 1);
  EXPECT_EQ(minimal_format(of_lengths({2 * gib}), {}), 2);
  EXPECT_EQ(minimal_format(of_lengths({4 * gib - 4}), {}), 2);
  EXPECT_EQ(minimal_format(of_lengths({4 * gib}), {}), 5);
  EXPECT_EQ(minimal_format(of_lengths({gib, gib - 1024}), {}), 1);
  EXPECT_EQ(minimal_format(of_lengths({gib, gib - 1024, 1}), {0, gib, 0}), 2);  // the gaps push it out
}

TEST(Format, CountsARecordAndNotTheRecords) {
  Schema schema;
  schema.add_dimension("time", 0);
  schema.add_dimension("x", 1 << 28);
  schema.add_variable("a", WEIR_INT, Dims{0, 1});
  schema.add_variable("b", WEIR_INT, Dims{0, 1});
  EXPECT_EQ(minimal_format(schema, {}), 1);
  schema.add_variable("c", WEIR_INT, Dims{0, 1});
  EXPECT_EQ(minimal_format(schema, {}), 2);
  schema.add_dimension("y", 1 << 29);
  schema.add_variable("d", WEIR_DOUBLE, Dims{0, 2});
  EXPECT_EQ(minimal_format(schema, {}), 5);
}

TEST(Format, LetsTheLastVariableBeLargerWhereItIsAskedFor) {
  constexpr std::int64_t gib = 1LL << 30;
  EXPECT_EQ(format_obstacle(of_lengths({8, 4 * gib - 4}), {}, 2), std::nullopt);
  EXPECT_EQ(format_obstacle(of_lengths({4 * gib - 4, 8}), {}, 2), std::nullopt);
  Schema large;
  const int x = large.add_dimension("x", gib);
  large.add_variable("small", WEIR_BYTE, Dims{x});
  large.add_variable("large", WEIR_DOUBLE, Dims{x});
  EXPECT_EQ(format_obstacle(large, {}, 2), std::nullopt);
  large.add_variable("behind", WEIR_BYTE, Dims{x});
  EXPECT_EQ(format_obstacle(large, {}, 2),
            "variable \"large\" has 8589934592 bytes, and CDF-2 holds at most 4294967292 but in the last variable");
  EXPECT_EQ(minimal_format(large, {}), 5);
}

TEST(Format, NamesWhatIsTooMuch) {
  EXPECT_EQ(format_obstacle(of_lengths({1LL << 31}), {}, 1),
            "dimension \"d0\" has length 2147483648, and CDF-1 holds at most 2147483644");
  EXPECT_EQ(format_obstacle(of_lengths({1LL << 32}), {}, 2),
            "dimension \"d0\" has length 4294967296, and CDF-2 holds at most 4294967292");
  const auto beyond = format_obstacle(of_lengths({1LL << 30, 1LL << 30, 1}), {}, 1);
  ASSERT_TRUE(beyond);
  EXPECT_NE(beyond->find("variable \"v2\" would begin at byte 2147483"), std::string::npos) << *beyond;
  const auto everything = format_obstacle(of_lengths({1LL << 62, 1LL << 62}), {}, 5);
  ASSERT_TRUE(everything);
  EXPECT_NE(everything->find("beyond what CDF-5 can say"), std::string::npos) << *everything;
}

}  // namespace
}  // namespace weir
