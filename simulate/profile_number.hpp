// SPDX-License-Identifier: Apache-2.0
// Numbers of a profile: with a unit, a range and a source, within what is possible. Pure, Local.
#pragma once

#include <string>
#include <string_view>

#include "simulate/estimate.hpp"

namespace weir::simulate {

enum class Unit { seconds, bytes, bytes_a_second, share };

// What a kind of number may be. Who measures something beyond has measured something else.
struct Range {
  Unit unit;
  double least;
  double most;
};

inline constexpr Range latencies{Unit::seconds, 0, 1};
inline constexpr Range delays{Unit::seconds, 0, 3600};
inline constexpr Range rates{Unit::bytes_a_second, 1e3, 1e15};
inline constexpr Range sizes{Unit::bytes, 1, 1e18};
inline constexpr Range shares{Unit::share, 0, 1};
inline constexpr Range ratios{Unit::share, 0.5, 1e6};

// "3.1GB/s", "2.5us", "64MiB", "0.95". Throws Error(WEIR_ECONFIG) with a sentence that does not say where.
double parse_number(std::string_view text, const Range& range);
Source parse_source(std::string_view text);
std::string_view name(Source source) noexcept;
// The shortest text that parse_number reads as nearly the same: "3.1GB/s".
std::string show_number(double value, Unit unit);

}  // namespace weir::simulate
