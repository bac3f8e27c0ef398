// SPDX-License-Identifier: Apache-2.0
// A bound for the error of what a variable holds (`max_error` of a stream's field), and rounding within it. What is
// rounded away are bits that compression need not keep. Pure, Local.
#pragma once

#include <optional>
#include <string>

#include "schema/types.hpp"

namespace weir {

// "0.01 K": of a value; "0.1 %": relative to a value.
struct ErrorBound {
  double most = 0;
  bool relative = false;
  std::string units;  // of an absolute bound; "": those of the field

  bool operator==(const ErrorBound&) const = default;
};

// Errors: WEIR_ECONFIG for what is no bound.
ErrorBound parse_error_bound(const std::string& text);

// Rounds values of one variable, and notes the largest error that this has come to.
class Rounding {
 public:
  // `stored`: float or double.
  // Errors: WEIR_ECONFIG if no value of the type keeps the bound.
  Rounding(const ErrorBound& bound, Type stored);
  // Of a variable that packs values into whole numbers: nothing is rounded but what packing rounds.
  explicit Rounding(const ErrorBound& bound) : bound_(bound) {}

  // An absolute bound: to a multiple of the largest power of two that is at most twice the bound. A relative one: to so
  // many bits of the mantissa (bit rounding: Kouznetsov, 2021, doi:10.5194/gmd-14-377-2021, section 2).
  double rounded(double value) const noexcept;
  // Bits of the mantissa that a relative bound keeps, the leading one apart.
  int kept_bits() const noexcept { return kept_bits_; }
  // Notes what the file holds for a value. A relative bound is not for values below the smallest normal number of the
  // type, which have fewer bits.
  void note(double value, double held) noexcept;

  // The largest error noted, as a share of the bound; above 1 the bound is not kept.
  double largest() const noexcept { return largest_; }
  const ErrorBound& bound() const noexcept { return bound_; }

 private:
  ErrorBound bound_;
  double step_ = 0;      // of an absolute bound
  int kept_bits_ = 0;    // of a relative one
  double smallest_ = 0;  // normal number of the type
  double largest_ = 0;
};

}  // namespace weir
