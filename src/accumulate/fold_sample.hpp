// SPDX-License-Identifier: Apache-2.0
// What kernels do with one sample of one element, and how they are chosen. accumulate/accumulator.hpp states the
// formulas. Only this folder includes it: others may be compiled so that they fuse products and sums. Local.
#pragma once

#include <cstring>
#include <type_traits>

#include "accumulate/fold_kernel.hpp"

namespace weir {

// Any alignment.
template <class Value>
[[gnu::always_inline]] inline Value load_sample(const std::byte* values, std::int64_t i) noexcept {
  Value value;
  std::memcpy(&value, values + i * static_cast<std::int64_t>(sizeof value), sizeof value);
  return value;
}

template <class Value>
[[gnu::always_inline]] inline bool is_missing(Value value, const MissingMark& missing) noexcept {
  if constexpr (std::is_floating_point_v<Value>) {
    const auto x = static_cast<double>(value);
    return (x != x) | (x == missing.value);
  } else if constexpr (sizeof(Value) < 8) {
    return static_cast<double>(value) == missing.value;
  } else {
    return missing.has_whole & (static_cast<std::int64_t>(value) == missing.whole);
  }
}

// Folds x into element i, whose weight comes to `total`.
template <Sums sums>
[[gnu::always_inline]] inline void fold_sample(const FoldPart& part, std::int64_t i, double x, double total) noexcept {
  if constexpr (sums == Sums::sum) part.value[i] += part.weight * x;
  if constexpr (sums == Sums::squares) part.value[i] += part.weight * x * x;
  if constexpr (sums == Sums::minimum) part.value[i] = x < part.value[i] ? x : part.value[i];
  if constexpr (sums == Sums::maximum) part.value[i] = x > part.value[i] ? x : part.value[i];
  if constexpr (sums == Sums::moments) {
    const double deviation = x - part.value[i], weighted = part.weight * deviation;
    part.value[i] += weighted / total;
    part.squares[i] += weighted * (x - part.value[i]);
  }
}

template <Sums sums, class Value>
[[gnu::always_inline]] inline void fold_own_sample(const FoldPart& part, std::int64_t i, Value value) noexcept {
  if (is_missing(value, part.missing)) return;
  part.weights[i] += part.weight;
  if constexpr (sums == Sums::count) part.value[i] += 1;
  fold_sample<sums>(part, i, static_cast<double>(value), part.weights[i]);
}

template <Sums sums, class Value>
[[gnu::always_inline]] inline void fold_missed_sample(const FoldPart& part, std::int64_t i, Value value) noexcept {
  if (is_missing(value, part.missing))
    part.weights[i] += part.weight;
  else
    fold_sample<sums>(part, i, static_cast<double>(value), part.total);
}

// The kernel of some sums: Chosen<sums, Value>::kernel.
template <class Value, template <Sums, class> class Chosen>
FoldKernel kernel_of_sums(Sums sums) noexcept {
  switch (sums) {
    case Sums::sum:
      return Chosen<Sums::sum, Value>::kernel;
    case Sums::squares:
      return Chosen<Sums::squares, Value>::kernel;
    case Sums::minimum:
      return Chosen<Sums::minimum, Value>::kernel;
    case Sums::maximum:
      return Chosen<Sums::maximum, Value>::kernel;
    case Sums::moments:
      return Chosen<Sums::moments, Value>::kernel;
    case Sums::count:
      break;
  }
  return Chosen<Sums::count, Value>::kernel;
}

}  // namespace weir
