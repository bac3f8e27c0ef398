// SPDX-License-Identifier: Apache-2.0
// Rounding within a bound: never beyond it, and no more bits than it needs.
#include "streams/error_bound.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace weir {
namespace {

std::string refused(const std::string& text) {
  try {
    parse_error_bound(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ErrorBound, IsReadWithItsUnits) {
  EXPECT_EQ(parse_error_bound("0.01 K"), (ErrorBound{0.01, false, "K"}));
  EXPECT_EQ(parse_error_bound(" 1e-3 kg m-2 s-1 "), (ErrorBound{1e-3, false, "kg m-2 s-1"}));
  EXPECT_EQ(parse_error_bound("0.5"), (ErrorBound{0.5, false, ""}));
  EXPECT_EQ(parse_error_bound("0.5 %"), (ErrorBound{0.005, true, ""}));
  EXPECT_EQ(parse_error_bound("25%"), (ErrorBound{0.25, true, ""}));
}

TEST(ErrorBound, RefusesWhatIsNone) {
  EXPECT_EQ(refused("K"), "\"K\" is no bound; give a number above 0, with the field's units or with %: 0.01 K, 0.1 %");
  EXPECT_NE(refused("0 K"), "");
  EXPECT_NE(refused("-1 %"), "");
  EXPECT_NE(refused("nan"), "");
  EXPECT_EQ(refused("100 %"), "100 % lets a value become 0; give less than 100 %");
}

TEST(ErrorBound, FinerThanTheTypeIsRefused) {
  EXPECT_NO_THROW(Rounding({std::exp2(-24), true, ""}, WEIR_FLOAT));
  EXPECT_THROW(Rounding({std::exp2(-25), true, ""}, WEIR_FLOAT), Error);
  EXPECT_NO_THROW(Rounding({std::exp2(-53), true, ""}, WEIR_DOUBLE));
  EXPECT_THROW(Rounding({std::exp2(-54), true, ""}, WEIR_DOUBLE), Error);
}

double random_value() {
  const auto mantissa = *rc::gen::inRange<std::int64_t>(-(1LL << 53), 1LL << 53);
  return std::ldexp(static_cast<double>(mantissa), *rc::gen::inRange(-100, 100));
}

RC_GTEST_PROP(Rounding, KeepsAnAbsoluteBound, ()) {
  const double value = random_value(), most = std::exp2(*rc::gen::inRange(-60, 60)) * 1.3;
  Rounding rounding({most, false, ""}, WEIR_DOUBLE);
  const double held = rounding.rounded(value);
  RC_ASSERT(std::fabs(held - value) <= most);
  // A multiple of more than the bound: half the step would do for a bound of half the size.
  const double step = std::exp2(std::floor(std::log2(2 * most)));
  RC_ASSERT(step > most);
  RC_ASSERT(std::fabs(value) > step * std::exp2(52) || held == std::nearbyint(held / step) * step);
  rounding.note(value, held);
  RC_ASSERT(rounding.largest() <= 1);
}

RC_GTEST_PROP(Rounding, KeepsARelativeBound, ()) {
  const double value = random_value(), most = std::exp2(-*rc::gen::inRange(1, 50)) * 0.7;
  Rounding rounding({most, true, ""}, WEIR_DOUBLE);
  const double held = rounding.rounded(value);
  RC_ASSERT(std::fabs(held - value) <= most * std::fabs(value));
  // One bit fewer would not do for all values.
  RC_ASSERT(std::exp2(-rounding.kept_bits()) > most);
  // No bits but those that are kept.
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(held, &exponent), rounding.kept_bits() + 1);
  RC_ASSERT(scaled == std::nearbyint(scaled));
}

TEST(Rounding, LeavesWhatIsNoNumber) {
  for (const bool relative : {false, true}) {
    Rounding rounding({0.01, relative, ""}, WEIR_FLOAT);
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(rounding.rounded(infinity), infinity);
    EXPECT_TRUE(std::isnan(rounding.rounded(std::nan(""))));
    EXPECT_EQ(rounding.rounded(0.0), 0);
    rounding.note(std::nan(""), 1e20);
    EXPECT_EQ(rounding.largest(), 0);
  }
}

TEST(Rounding, NotesTheLargestError) {
  Rounding rounding({0.5, false, ""}, WEIR_FLOAT);
  rounding.note(10, 10.25);
  rounding.note(10, 9.9);
  EXPECT_EQ(rounding.largest(), 0.5);
  rounding.note(10, 11);
  EXPECT_EQ(rounding.largest(), 2);
}

}  // namespace
}  // namespace weir
