// SPDX-License-Identifier: Apache-2.0
// The external types against PnetCDF's own numbers.
#include "schema/types.hpp"

#include <gtest/gtest.h>
#include <pnetcdf.h>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace weir {
namespace {

// The bytes of a value, most significant first.
template <class Value>
ExternalValue external(Value value) {
  unsigned char native[sizeof(Value)];
  std::memcpy(native, &value, sizeof(Value));
  const std::uint16_t probe = 1;
  unsigned char low_byte_first = 0;
  std::memcpy(&low_byte_first, &probe, 1);
  ExternalValue bytes{};
  for (std::size_t i = 0; i < sizeof(Value); ++i) {
    bytes[i] = std::byte{native[low_byte_first ? sizeof(Value) - 1 - i : i]};
  }
  return bytes;
}

struct Expected {
  Type type;
  int netcdf_type;
  int bytes;
  std::string name;
  bool needs_cdf5;
  ExternalValue fill;
};

std::vector<Expected> expected_types() {
  return {{WEIR_BYTE, NC_BYTE, 1, "byte", false, external(static_cast<signed char>(NC_FILL_BYTE))},
          {WEIR_CHAR, NC_CHAR, 1, "char", false, external(static_cast<char>(NC_FILL_CHAR))},
          {WEIR_SHORT, NC_SHORT, 2, "short", false, external(static_cast<std::int16_t>(NC_FILL_SHORT))},
          {WEIR_INT, NC_INT, 4, "int", false, external(static_cast<std::int32_t>(NC_FILL_INT))},
          {WEIR_FLOAT, NC_FLOAT, 4, "float", false, external(static_cast<float>(NC_FILL_FLOAT))},
          {WEIR_DOUBLE, NC_DOUBLE, 8, "double", false, external(static_cast<double>(NC_FILL_DOUBLE))},
          {WEIR_UBYTE, NC_UBYTE, 1, "ubyte", true, external(static_cast<unsigned char>(NC_FILL_UBYTE))},
          {WEIR_USHORT, NC_USHORT, 2, "ushort", true, external(static_cast<std::uint16_t>(NC_FILL_USHORT))},
          {WEIR_UINT, NC_UINT, 4, "uint", true, external(static_cast<std::uint32_t>(NC_FILL_UINT))},
          {WEIR_INT64, NC_INT64, 8, "int64", true, external(static_cast<std::int64_t>(NC_FILL_INT64))},
          {WEIR_UINT64, NC_UINT64, 8, "uint64", true, external(static_cast<std::uint64_t>(NC_FILL_UINT64))}};
}

TEST(Types, AgreeWithPnetcdf) {
  for (const Expected& expected : expected_types()) {
    SCOPED_TRACE(expected.name);
    EXPECT_EQ(static_cast<int>(expected.type), expected.netcdf_type);
    EXPECT_EQ(type_bytes(expected.type), expected.bytes);
    EXPECT_EQ(type_name(expected.type), expected.name);
    EXPECT_EQ(type_needs_cdf5(expected.type), expected.needs_cdf5);
    EXPECT_EQ(default_fill(expected.type), expected.fill);
  }
}

TEST(Types, OnlyTheElevenAreValid) {
  for (int type = -3; type <= 20; ++type) EXPECT_EQ(type_is_valid(type), type >= NC_BYTE && type <= NC_UINT64) << type;
}

TEST(Types, WithTypeGivesTheTypeOfTheSameSizeSignAndKind) {
  for (const Expected& expected : expected_types()) {
    SCOPED_TRACE(expected.name);
    with_type(expected.type, [&]<class Value>(Value) {
      const bool real = expected.name == "float" || expected.name == "double";
      EXPECT_EQ(static_cast<int>(sizeof(Value)), expected.bytes);
      EXPECT_EQ(std::is_floating_point_v<Value>, real);
      EXPECT_EQ((std::is_same_v<Value, char>), expected.name == "char");
      EXPECT_EQ((std::is_unsigned_v<Value> && !std::is_same_v<Value, char>), expected.name[0] == 'u');
    });
  }
}

}  // namespace
}  // namespace weir
