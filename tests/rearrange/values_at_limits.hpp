// SPDX-License-Identifier: Apache-2.0
// What the tests of the range rule share: values at and around every type's limits, a program that copies a row of
// them, and a fill value to tell what did not fit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "rearrange/copy.hpp"
#include "reference.hpp"

namespace weir::reference {

// A fill value that no default is, in external form.
inline ExternalValue odd_fill(Type type) {
  return with_type(type, []<class Value>(Value) {
    ExternalValue fill{};
    const auto bytes = big_endian(static_cast<Value>(77));
    std::copy(bytes.begin(), bytes.end(), fill.begin());
    return fill;
  });
}

inline CopyProgram run_of(std::int64_t count) {
  CopyProgram program;
  append(program, Block{0, 0, {{count, 1, 1}}});
  return program;
}

// Values at and around every type's limits, as values of `Memory`.
template <class Memory>
std::vector<Memory> values_at_limits() {
  std::vector<Memory> values;
  const auto add = [&](auto limit) {
    if constexpr (std::is_floating_point_v<Memory>) {
      const auto value = static_cast<Memory>(limit);
      for (const Memory step : {Memory{-1}, Memory{-0.5}, Memory{0}, Memory{0.5}, Memory{1}})
        values.push_back(value + step);
      values.push_back(std::nextafter(value, std::numeric_limits<Memory>::lowest()));
      values.push_back(std::nextafter(value, std::numeric_limits<Memory>::max()));
    } else if constexpr (std::is_integral_v<decltype(limit)>) {
      // Wraps where the limit is beyond Memory, which gives one more value and no harm.
      for (const std::uint64_t step : {UINT64_MAX, std::uint64_t{0}, std::uint64_t{1}}) {
        values.push_back(static_cast<Memory>(static_cast<std::uint64_t>(limit) + step));
      }
    }
  };
  for (const Type type : all_types) {
    with_type(type, [&]<class Value>(Value) {
      add(std::numeric_limits<Value>::max());
      add(std::numeric_limits<Value>::lowest());
    });
  }
  if constexpr (std::is_floating_point_v<Memory>) {
    using Limits = std::numeric_limits<Memory>;
    for (const Memory value :
         {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), -Memory{0}}) {
      values.push_back(value);
    }
  }
  return values;
}

}  // namespace weir::reference
