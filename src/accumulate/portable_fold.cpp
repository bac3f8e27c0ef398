// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "accumulate/fold_kernel.hpp"
#include "accumulate/fold_sample.hpp"

namespace weir::portable {

namespace {

// Looks a few elements ahead for a missing one, so that both loops can be vectors.
template <Sums sums, class Value>
std::int64_t fold_common(const FoldPart& part) noexcept {
  constexpr std::int64_t at_once = 256;
  std::int64_t done = 0;
  for (const HeldRun& run : part.runs) {
    for (std::int64_t from = 0; from < run.length; from += at_once) {
      const std::int64_t begin = run.offset + from, count = std::min(at_once, run.length - from);
      bool missing = false;
      for (std::int64_t i = 0; i < count; ++i)
        missing |= is_missing(load_sample<Value>(part.values, begin + i), part.missing);
      if (missing) return done;
      for (std::int64_t i = 0; sums != Sums::count && i < count; ++i)
        fold_sample<sums>(part, done + i, static_cast<double>(load_sample<Value>(part.values, begin + i)), part.total);
      done += count;
    }
  }
  return done;
}

template <Sums sums, class Value>
std::int64_t fold_own(const FoldPart& part) noexcept {
  std::int64_t done = 0;
  for (const HeldRun& run : part.runs)
    for (std::int64_t i = run.offset; i < run.offset + run.length; ++i, ++done)
      fold_own_sample<sums>(part, done, load_sample<Value>(part.values, i));
  return done;
}

template <Sums sums, class Value>
std::int64_t fold_missed(const FoldPart& part) noexcept {
  std::int64_t done = 0;
  for (const HeldRun& run : part.runs)
    for (std::int64_t i = run.offset; i < run.offset + run.length; ++i, ++done)
      fold_missed_sample<sums>(part, done, load_sample<Value>(part.values, i));
  return done;
}

template <Sums sums, class Value>
struct Common {
  static constexpr FoldKernel kernel = fold_common<sums, Value>;
};
template <Sums sums, class Value>
struct Own {
  static constexpr FoldKernel kernel = fold_own<sums, Value>;
};
template <Sums sums, class Value>
struct Missed {
  static constexpr FoldKernel kernel = fold_missed<sums, Value>;
};

}  // namespace

FoldKernel fold_kernel(Sums sums, Type type, Weights weights) noexcept {
  return with_type(type, [=]<class Value>(Value) {
    if (weights == Weights::missed) return kernel_of_sums<Value, Missed>(sums);
    return weights == Weights::own ? kernel_of_sums<Value, Own>(sums) : kernel_of_sums<Value, Common>(sums);
  });
}

}  // namespace weir::portable
