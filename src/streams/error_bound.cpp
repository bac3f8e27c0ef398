// SPDX-License-Identifier: Apache-2.0
#include "streams/error_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

ErrorBound parse_error_bound(const std::string& text) {
  const std::string_view given = trimmed(text);
  const std::size_t blank = given.find_first_of(" \t%");
  const auto most = parse_number(given.substr(0, blank));
  const std::string units(blank == given.npos ? "" : trimmed(given.substr(blank)));
  require(most.has_value() && *most > 0, WEIR_ECONFIG,
          "\"{}\" is no bound; give a number above 0, with the field's units or with %: 0.01 K, 0.1 %", text);
  if (units != "%") return {*most, false, units};
  require(*most < 100, WEIR_ECONFIG, "{} lets a value become 0; give less than 100 %", text);
  return {*most / 100, true, ""};
}

Rounding::Rounding(const ErrorBound& bound, Type stored) : bound_(bound) {
  const bool single = stored == WEIR_FLOAT;
  smallest_ = single ? static_cast<double>(std::numeric_limits<float>::min()) : std::numeric_limits<double>::min();
  if (!bound.relative) {
    step_ = std::exp2(std::floor(std::log2(2 * bound.most)));
    return;
  }
  const int bits = (single ? std::numeric_limits<float>::digits : std::numeric_limits<double>::digits) - 1;
  kept_bits_ = std::max(0, static_cast<int>(std::ceil(-std::log2(bound.most))) - 1);
  require(kept_bits_ <= bits, WEIR_ECONFIG, "max_error: {} % is finer than {} is; give {} % or more{}",
          100 * bound.most, type_name(stored), 100 * std::exp2(-bits - 1), single ? ", or type: double" : "");
}

double Rounding::rounded(double value) const noexcept {
  if (step_ > 0) {
    const double steps = value / step_;
    return std::isfinite(steps) ? std::nearbyint(steps) * step_ : value;
  }
  if (!bound_.relative || !std::isfinite(value)) return value;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, kept_bits_ + 1)), exponent - kept_bits_ - 1);
}

void Rounding::note(double value, double held) noexcept {
  if (!std::isfinite(value) || (bound_.relative && std::fabs(value) < smallest_)) return;
  const double error = std::fabs(held - value);
  largest_ = std::max(largest_, error / (bound_.relative ? bound_.most * std::fabs(value) : bound_.most));
}

}  // namespace weir
