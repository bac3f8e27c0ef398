// SPDX-License-Identifier: Apache-2.0
// The range rule: what fits, what becomes the fill value, and how it is counted.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rearrange/copy.hpp"
#include "reference.hpp"
#include "values_at_limits.hpp"

namespace weir {
namespace {

using reference::odd_fill;
using reference::run_of;
using reference::values_at_limits;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

// Encodes one value, alone and as a row; the result as a value of the external type, or 77 where it was out of range.
template <class External, class Memory>
External encoded(Memory value, Type memory_type, Type external_type, bool fits) {
  std::byte target[19 * 8];
  for (const std::int64_t count : {1, 19}) {
    const std::vector<Memory> row(static_cast<std::size_t>(count), value);
    const RangeFailure failure =
        encode(run_of(count), row.data(), memory_type, target, external_type, odd_fill(external_type));
    EXPECT_EQ(failure.count, fits ? 0 : count) << +value;
    EXPECT_EQ(failure.first_source, fits ? -1 : 0) << +value;
    for (std::int64_t i = 1; i < count; ++i) {
      EXPECT_EQ(std::memcmp(target, target + i * type_bytes(external_type), sizeof(External)), 0) << +value;
    }
  }
  return reference::from_big_endian<External>(target);
}

TEST(Range, DoubleToByteIsComparedBeforeItIsTruncated) {
  const auto to_byte = [](double value, bool fits) {
    return int{encoded<signed char>(value, WEIR_DOUBLE, WEIR_BYTE, fits)};
  };
  EXPECT_EQ(to_byte(127.0, true), 127);
  EXPECT_EQ(to_byte(std::nextafter(127.0, 0.0), true), 126);
  EXPECT_EQ(to_byte(std::nextafter(127.0, 128.0), false), 77);
  EXPECT_EQ(to_byte(127.5, false), 77);
  EXPECT_EQ(to_byte(128.0, false), 77);
  EXPECT_EQ(to_byte(-128.0, true), -128);
  EXPECT_EQ(to_byte(std::nextafter(-128.0, 0.0), true), -127);
  EXPECT_EQ(to_byte(std::nextafter(-128.0, -129.0), false), 77);
  EXPECT_EQ(to_byte(-128.5, false), 77);
  EXPECT_EQ(to_byte(-129.0, false), 77);
  EXPECT_EQ(to_byte(-0.5, true), 0);
  EXPECT_EQ(to_byte(nan_value, false), 77);
  EXPECT_EQ(to_byte(infinity, false), 77);
  EXPECT_EQ(to_byte(-infinity, false), 77);
}

TEST(Range, DoubleToUnsignedByte) {
  const auto to_ubyte = [](double value, bool fits) {
    return int{encoded<unsigned char>(value, WEIR_DOUBLE, WEIR_UBYTE, fits)};
  };
  EXPECT_EQ(to_ubyte(255.0, true), 255);
  EXPECT_EQ(to_ubyte(254.9, true), 254);
  EXPECT_EQ(to_ubyte(255.5, false), 77);
  EXPECT_EQ(to_ubyte(256.0, false), 77);
  EXPECT_EQ(to_ubyte(0.5, true), 0);
  EXPECT_EQ(to_ubyte(-0.0, true), 0);
  EXPECT_EQ(to_ubyte(-5e-324, false), 77);
  EXPECT_EQ(to_ubyte(-0.5, false), 77);
  EXPECT_EQ(to_ubyte(-1.0, false), 77);
  EXPECT_EQ(to_ubyte(nan_value, false), 77);
}

TEST(Range, DoubleToShorts) {
  const auto to_short = [](double value, bool fits) {
    return int{encoded<std::int16_t>(value, WEIR_DOUBLE, WEIR_SHORT, fits)};
  };
  const auto to_ushort = [](double value, bool fits) {
    return int{encoded<std::uint16_t>(value, WEIR_DOUBLE, WEIR_USHORT, fits)};
  };
  EXPECT_EQ(to_short(32767.0, true), 32767);
  EXPECT_EQ(to_short(32767.5, false), 77);
  EXPECT_EQ(to_short(-32768.0, true), -32768);
  EXPECT_EQ(to_short(-32768.5, false), 77);
  EXPECT_EQ(to_ushort(65535.0, true), 65535);
  EXPECT_EQ(to_ushort(65535.5, false), 77);
  EXPECT_EQ(to_ushort(-0.5, false), 77);
}

TEST(Range, FloatToInt) {
  const auto to_int = [](float value, bool fits) { return encoded<std::int32_t>(value, WEIR_FLOAT, WEIR_INT, fits); };
  EXPECT_EQ(to_int(2147483520.0F, true), 2147483520);
  EXPECT_EQ(to_int(2147483647.5F, false), 77);  // as a float it is 2147483648
  EXPECT_EQ(to_int(-2147483648.0F, true), INT32_MIN);
  EXPECT_EQ(to_int(-2147483904.0F, false), 77);
}

TEST(Range, DoubleToInt) {
  const auto to_int = [](double value, bool fits) { return encoded<std::int32_t>(value, WEIR_DOUBLE, WEIR_INT, fits); };
  EXPECT_EQ(to_int(2147483647.0, true), INT32_MAX);
  EXPECT_EQ(to_int(2147483646.5, true), INT32_MAX - 1);
  EXPECT_EQ(to_int(2147483647.5, false), 77);
  EXPECT_EQ(to_int(2147483648.0, false), 77);
  EXPECT_EQ(to_int(-2147483648.0, true), INT32_MIN);
  EXPECT_EQ(to_int(-2147483648.5, false), 77);
  EXPECT_EQ(to_int(-2147483649.0, false), 77);
}

TEST(Range, RealsToUnsignedInt) {
  const auto from_double = [](double value, bool fits) {
    return encoded<std::uint32_t>(value, WEIR_DOUBLE, WEIR_UINT, fits);
  };
  const auto from_float = [](float value, bool fits) {
    return encoded<std::uint32_t>(value, WEIR_FLOAT, WEIR_UINT, fits);
  };
  EXPECT_EQ(from_double(4294967295.0, true), UINT32_MAX);
  EXPECT_EQ(from_double(4294967295.5, false), 77U);
  EXPECT_EQ(from_double(-0.5, false), 77U);
  EXPECT_EQ(from_float(4294967040.0F, true), 4294967040U);
  EXPECT_EQ(from_float(4294967296.0F, false), 77U);
  EXPECT_EQ(from_float(-0.5F, false), 77U);
}

TEST(Range, DoubleToSixtyFourBits) {
  const auto to_int64 = [](double value, bool fits) {
    return encoded<std::int64_t>(value, WEIR_DOUBLE, WEIR_INT64, fits);
  };
  const auto to_uint64 = [](double value, bool fits) {
    return encoded<std::uint64_t>(value, WEIR_DOUBLE, WEIR_UINT64, fits);
  };
  EXPECT_EQ(to_int64(9223372036854774784.0, true), 9223372036854774784);
  EXPECT_EQ(to_int64(9223372036854775808.0, false), 77);
  EXPECT_EQ(to_int64(-9223372036854775808.0, true), INT64_MIN);
  EXPECT_EQ(to_int64(-9223372036854777856.0, false), 77);
  EXPECT_EQ(to_uint64(18446744073709549568.0, true), 18446744073709549568U);
  EXPECT_EQ(to_uint64(18446744073709551616.0, false), 77U);
  EXPECT_EQ(to_uint64(0.9, true), 0U);
  EXPECT_EQ(to_uint64(-0.5, false), 77U);
  EXPECT_EQ(to_uint64(-1.0, false), 77U);
  EXPECT_EQ(to_int64(nan_value, false), 77);
  EXPECT_EQ(to_uint64(infinity, false), 77U);
}

TEST(Range, DoubleToFloatPassesNanAndInfinities) {
  const auto to_float = [](double value, bool fits) { return encoded<float>(value, WEIR_DOUBLE, WEIR_FLOAT, fits); };
  EXPECT_EQ(to_float(double{FLT_MAX}, true), FLT_MAX);
  EXPECT_EQ(to_float(std::nextafter(double{FLT_MAX}, infinity), false), 77.0F);
  EXPECT_EQ(to_float(-double{FLT_MAX}, true), -FLT_MAX);
  EXPECT_EQ(to_float(std::nextafter(-double{FLT_MAX}, -infinity), false), 77.0F);
  EXPECT_EQ(to_float(DBL_MAX, false), 77.0F);
  EXPECT_EQ(to_float(infinity, true), std::numeric_limits<float>::infinity());
  EXPECT_EQ(to_float(-infinity, true), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(to_float(nan_value, true)));
  EXPECT_EQ(to_float(1e-300, true), 0.0F);
}

TEST(Range, FloatToDoublePassesEverything) {
  const auto to_double = [](float value, bool fits) { return encoded<double>(value, WEIR_FLOAT, WEIR_DOUBLE, fits); };
  EXPECT_EQ(to_double(FLT_MAX, true), double{FLT_MAX});
  EXPECT_EQ(to_double(-FLT_MAX, true), -double{FLT_MAX});
  EXPECT_EQ(to_double(std::numeric_limits<float>::infinity(), true), infinity);
  EXPECT_EQ(to_double(-std::numeric_limits<float>::infinity(), true), -infinity);
  EXPECT_TRUE(std::isnan(to_double(std::nanf(""), true)));
}

TEST(Range, TheSameTypePassesEverything) {
  EXPECT_EQ(encoded<float>(std::numeric_limits<float>::infinity(), WEIR_FLOAT, WEIR_FLOAT, true),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(encoded<double>(-infinity, WEIR_DOUBLE, WEIR_DOUBLE, true), -infinity);
  EXPECT_TRUE(std::isnan(encoded<double>(nan_value, WEIR_DOUBLE, WEIR_DOUBLE, true)));
}

TEST(Range, IntegersToIntegers) {
  EXPECT_EQ(int{encoded<signed char>(std::uint8_t{127}, WEIR_UBYTE, WEIR_BYTE, true)}, 127);
  EXPECT_EQ(int{encoded<signed char>(std::uint8_t{128}, WEIR_UBYTE, WEIR_BYTE, false)}, 77);
  EXPECT_EQ(int{encoded<std::uint8_t>(static_cast<signed char>(-1), WEIR_BYTE, WEIR_UBYTE, false)}, 77);
  EXPECT_EQ(encoded<std::int64_t>(UINT64_MAX, WEIR_UINT64, WEIR_INT64, false), 77);
  EXPECT_EQ(encoded<std::int64_t>(std::uint64_t{INT64_MAX}, WEIR_UINT64, WEIR_INT64, true), INT64_MAX);
  EXPECT_EQ(encoded<std::uint64_t>(std::int64_t{-1}, WEIR_INT64, WEIR_UINT64, false), 77U);
  EXPECT_EQ(encoded<std::uint64_t>(INT64_MAX, WEIR_INT64, WEIR_UINT64, true), std::uint64_t{INT64_MAX});
  EXPECT_EQ(encoded<std::int16_t>(std::int32_t{32768}, WEIR_INT, WEIR_SHORT, false), 77);
  EXPECT_EQ(encoded<std::int16_t>(std::int32_t{-32768}, WEIR_INT, WEIR_SHORT, true), -32768);
}

TEST(Range, IntegersToRealsAlwaysFit) {
  EXPECT_EQ(encoded<float>(UINT64_MAX, WEIR_UINT64, WEIR_FLOAT, true), 18446744073709551616.0F);
  EXPECT_EQ(encoded<float>(INT32_MAX, WEIR_INT, WEIR_FLOAT, true), 2147483648.0F);
  EXPECT_EQ(encoded<double>(INT64_MIN, WEIR_INT64, WEIR_DOUBLE, true), -9223372036854775808.0);
}

TEST(Range, DecodedMisfitIsTheMemoryTypesDefaultFill) {
  const auto external = reference::big_endian(300.0);
  signed char memory = 0;
  const RangeFailure failure = decode(run_of(1), external.data(), WEIR_DOUBLE, &memory, WEIR_BYTE);
  EXPECT_EQ(failure.count, 1);
  EXPECT_EQ(failure.first_source, 0);
  EXPECT_EQ(int{memory}, -127);
  std::int32_t wide = 0;
  const auto nan_bytes = reference::big_endian(std::nanf(""));
  EXPECT_EQ(decode(run_of(1), nan_bytes.data(), WEIR_FLOAT, &wide, WEIR_INT).count, 1);
  EXPECT_EQ(wide, -2147483647);
}

TEST(Range, DecodeComparesBeforeItTruncates) {
  const auto decoded = []<class External, class Memory>(External value, Type external_type, Memory, Type memory_type) {
    Memory memory{};
    const auto external = reference::big_endian(value);
    const RangeFailure failure = decode(run_of(1), external.data(), external_type, &memory, memory_type);
    return std::pair{failure.count, memory};
  };
  using Signed = signed char;
  using Unsigned = unsigned char;
  EXPECT_EQ(decoded(127.5, WEIR_DOUBLE, Signed{}, WEIR_BYTE), (std::pair{std::int64_t{1}, Signed{-127}}));
  EXPECT_EQ(decoded(126.5, WEIR_DOUBLE, Signed{}, WEIR_BYTE), (std::pair{std::int64_t{0}, Signed{126}}));
  EXPECT_EQ(decoded(-0.5F, WEIR_FLOAT, Unsigned{}, WEIR_UBYTE), (std::pair{std::int64_t{1}, Unsigned{255}}));
  EXPECT_EQ(decoded(infinity, WEIR_DOUBLE, 0.0F, WEIR_FLOAT),
            (std::pair{std::int64_t{0}, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(decoded(DBL_MAX, WEIR_DOUBLE, 0.0F, WEIR_FLOAT).first, 1);
  EXPECT_TRUE(std::isnan(decoded(nan_value, WEIR_DOUBLE, 0.0F, WEIR_FLOAT).second));
  EXPECT_EQ(decoded(std::numeric_limits<float>::infinity(), WEIR_FLOAT, 0.0, WEIR_DOUBLE),
            (std::pair{std::int64_t{0}, infinity}));
}

TEST(Range, MergeKeepsTheElementOfTheFirstProgramReported) {
  RangeFailure failure;
  failure.merge({});
  EXPECT_EQ(failure.first_source, -1);
  failure.merge({2, 40});
  failure.merge({3, 7});
  failure.merge({});
  EXPECT_EQ(failure.count, 5);
  EXPECT_EQ(failure.first_source, 40);
}

// Misfits in rows, in a transposed block and in runs, in a long program: all are counted, the lowest is named.
TEST(Range, EveryMisfitIsCountedAndTheLowestNamed) {
  const std::int64_t n = 100;
  std::vector<double> memory(static_cast<std::size_t>(3 * n * n), 1.5);
  CopyProgram program;
  append(program, Block{2 * n * n, 0, {{n, n, n}, {n - 1, 1, 1}}});
  append(program, Block{n * n, n * n, {{n, 1, n}, {n, n, 1}}});
  append(program, Block{5, 2 * n * n, {{50, 1, 1}}});
  for (const std::int64_t bad : {2 * n * n + 3, 2 * n * n + 98, 2 * n * n + 5 * n + 64, n * n + 77, 2 * n * n - 1}) {
    memory[static_cast<std::size_t>(bad)] = 1e300;
  }
  memory[static_cast<std::size_t>(2 * n * n + 99)] = 1e300;  // outside the rows
  std::vector<std::byte> target(static_cast<std::size_t>(3 * n * n * 4));
  RangeFailure failure = encode(program, memory.data(), WEIR_DOUBLE, target.data(), WEIR_FLOAT, odd_fill(WEIR_FLOAT));
  EXPECT_EQ(failure.count, 5);
  EXPECT_EQ(failure.first_source, n * n + 77);
  EXPECT_EQ(reference::from_big_endian<float>(target.data() + 4 * (n * n + 77 * n)), 77.0F);
  EXPECT_EQ(reference::from_big_endian<float>(target.data() + 4 * (n * n + 78 * n)), 1.5F);
  memory[54] = -1e300;
  failure = encode(program, memory.data(), WEIR_DOUBLE, target.data(), WEIR_FLOAT, odd_fill(WEIR_FLOAT));
  EXPECT_EQ(failure.count, 6);
  EXPECT_EQ(failure.first_source, 54);
}

TEST(Range, EncodeAgreesWithTheReferenceAtAllLimits) {
  for (const Type memory_type : reference::all_types) {
    for (const Type external_type : reference::all_types) {
      if (!reference::convertible(memory_type, external_type)) continue;
      SCOPED_TRACE(std::string(type_name(memory_type)) + " to " + std::string(type_name(external_type)));
      with_type(memory_type, [&]<class Memory>(Memory) {
        const std::vector<Memory> values = values_at_limits<Memory>();
        const int bytes = type_bytes(external_type);
        const ExternalValue fill = odd_fill(external_type);
        std::vector<std::byte> target(values.size() * 8);
        const RangeFailure failure = encode(run_of(static_cast<std::int64_t>(values.size())), values.data(),
                                            memory_type, target.data(), external_type, fill);
        std::int64_t misfits = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          bool good = true;
          const auto expected = reference::encode_element(reinterpret_cast<const std::byte*>(&values[i]), memory_type,
                                                          external_type, fill, good);
          misfits += !good;
          EXPECT_EQ(std::memcmp(expected.data(), target.data() + i * bytes, expected.size()), 0) << +values[i];
        }
        EXPECT_EQ(failure.count, misfits);
      });
    }
  }
}

TEST(Range, DecodeAgreesWithTheReferenceAtAllLimits) {
  for (const Type external_type : reference::all_types) {
    for (const Type memory_type : reference::all_types) {
      if (!reference::convertible(memory_type, external_type)) continue;
      SCOPED_TRACE(std::string(type_name(external_type)) + " to " + std::string(type_name(memory_type)));
      with_type(external_type, [&]<class External>(External) {
        const std::vector<External> values = values_at_limits<External>();
        std::vector<std::byte> source;
        for (const External value : values) {
          const auto bytes = reference::big_endian(value);
          source.insert(source.end(), bytes.begin(), bytes.end());
        }
        std::vector<std::byte> target(values.size() * 8);
        const RangeFailure failure = decode(run_of(static_cast<std::int64_t>(values.size())), source.data(),
                                            external_type, target.data(), memory_type);
        std::int64_t misfits = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          bool good = true;
          const auto expected =
              reference::decode_element(source.data() + i * sizeof(External), external_type, memory_type, good);
          misfits += !good;
          EXPECT_EQ(std::memcmp(expected.data(), target.data() + i * expected.size(), expected.size()), 0)
              << +values[i];
        }
        EXPECT_EQ(failure.count, misfits);
      });
    }
  }
}

}  // namespace
}  // namespace weir
