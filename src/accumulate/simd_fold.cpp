// SPDX-License-Identifier: Apache-2.0
// The loops by vectors, compiled once for every instruction set that Highway knows of this kind of processor.
#include "accumulate/fold_kernel.hpp"

#ifdef WEIR_HIGHWAY
// As for copies (rearrange/simd.cpp): nothing wider than AVX2.
#define HWY_DISABLED_TARGETS (HWY_AVX2 - 1)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "accumulate/simd_fold.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "accumulate/fold_sample.hpp"

HWY_BEFORE_NAMESPACE();
namespace weir::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64
// A processor without vectors of doubles: the plain loops.
FoldKernel fold_kernel_here(Sums, Type, Weights) {
  return nullptr;
}
#else

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 4>;
using Vector = hn::Vec<Doubles>;
using Lacking = hn::Mask<Doubles>;

template <class Value>
HWY_INLINE Vector load_samples(const Value* from) noexcept {
  const Doubles d;
  if constexpr (sizeof(Value) == 8)
    return hn::LoadU(d, from);
  else
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Value, Doubles>(), from));
}

// Not Ne(x, x): for some instruction sets Highway compares so that it is false for NaN.
HWY_INLINE Lacking lacking(Vector x, double value) noexcept {
  return hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Set(Doubles(), value)));
}

// Stores what a sample makes of an array's elements, but where it is missing.
HWY_INLINE void store_own(Vector before, Vector after, Lacking missing, double* to) noexcept {
  hn::StoreU(hn::IfThenElse(missing, before, after), Doubles(), to);
}

HWY_INLINE void store_all(Vector, Vector after, bool, double* to) noexcept {
  hn::StoreU(after, Doubles(), to);
}

// Folds a vector into the elements from i on, whose weights come to `total`; `store` is one of the two above.
template <Sums sums, class Missing, class Store>
HWY_INLINE void fold_vector(const FoldPart& part, std::int64_t i, Vector x, Vector total, Missing missing,
                            Store store) noexcept {
  const Doubles d;
  if constexpr (sums == Sums::count && std::is_same_v<Missing, bool>) return;
  const Vector weight = hn::Set(d, part.weight), before = hn::LoadU(d, part.value + i);
  Vector after;
  if constexpr (sums == Sums::sum) after = hn::Add(before, hn::Mul(weight, x));
  if constexpr (sums == Sums::squares) after = hn::Add(before, hn::Mul(hn::Mul(weight, x), x));
  if constexpr (sums == Sums::minimum) after = hn::IfThenElse(hn::Lt(x, before), x, before);
  if constexpr (sums == Sums::maximum) after = hn::IfThenElse(hn::Gt(x, before), x, before);
  if constexpr (sums == Sums::count) after = hn::Add(before, hn::Set(d, 1.0));
  if constexpr (sums == Sums::moments) {
    const Vector squares = hn::LoadU(d, part.squares + i), weighted = hn::Mul(weight, hn::Sub(x, before));
    after = hn::Add(before, hn::Div(weighted, total));
    store(squares, hn::Add(squares, hn::Mul(weighted, hn::Sub(x, after))), missing, part.squares + i);
  }
  store(before, after, missing, part.value + i);
}

// Asks for the elements of 16 samples that come soon: arrays come from memory as fast as it gives them only if several
// lines are on their way at once.
HWY_INLINE void look_ahead(const double* array, std::int64_t i) noexcept {
  constexpr std::int64_t ahead = 128, line = 8;
  __builtin_prefetch(array + i + ahead, 1);
  __builtin_prefetch(array + i + ahead + line, 1);
}

template <Sums sums>
HWY_INLINE void look_ahead(const FoldPart& part, std::int64_t i) noexcept {
  if constexpr (sums != Sums::count) look_ahead(part.value, i);
  if constexpr (sums == Sums::moments) look_ahead(part.squares, i);
}

// Folds a run into the elements from `done` on; returns where it ends, or where the vectors begin of which one lacks a
// sample.
template <Sums sums, class Value>
HWY_INLINE std::int64_t fold_common_run(const FoldPart& part, HeldRun run, std::int64_t done) noexcept {
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Value* x = reinterpret_cast<const Value*>(part.values) + run.offset;
  const Vector total = hn::Set(d, part.total);
  const double mark = part.missing.value;
  const std::int64_t end = done + run.length;
  for (; done + 4 * lanes <= end; done += 4 * lanes, x += 4 * lanes) {
    const Vector x0 = load_samples(x), x1 = load_samples(x + lanes);
    const Vector x2 = load_samples(x + 2 * lanes), x3 = load_samples(x + 3 * lanes);
    const Lacking low = hn::Or(lacking(x0, mark), lacking(x1, mark));
    const Lacking high = hn::Or(lacking(x2, mark), lacking(x3, mark));
    if (!hn::AllFalse(d, hn::Or(low, high))) [[unlikely]]
      return done;
    look_ahead<sums>(part, done);
    fold_vector<sums>(part, done, x0, total, false, store_all);
    fold_vector<sums>(part, done + lanes, x1, total, false, store_all);
    fold_vector<sums>(part, done + 2 * lanes, x2, total, false, store_all);
    fold_vector<sums>(part, done + 3 * lanes, x3, total, false, store_all);
  }
  for (; done + lanes <= end; done += lanes, x += lanes) {
    const Vector x0 = load_samples(x);
    if (!hn::AllFalse(d, lacking(x0, mark))) [[unlikely]]
      return done;
    fold_vector<sums>(part, done, x0, total, false, store_all);
  }
  for (; done < end; ++done, ++x) {
    if (is_missing(*x, part.missing)) [[unlikely]]
      return done;
    fold_sample<sums>(part, done, static_cast<double>(*x), part.total);
  }
  return done;
}

template <Sums sums, class Value>
std::int64_t fold_common(const FoldPart& part) noexcept {
  std::int64_t done = 0;
  for (const HeldRun& run : part.runs) {
    const std::int64_t end = done + run.length;
    done = fold_common_run<sums, Value>(part, run, done);
    if (done != end) [[unlikely]]
      break;
  }
  return done;
}

template <Sums sums, class Value>
std::int64_t fold_own(const FoldPart& part) noexcept {
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Vector weight = hn::Set(d, part.weight);
  std::int64_t done = 0;
  for (const HeldRun& run : part.runs) {
    const Value* x = reinterpret_cast<const Value*>(part.values) + run.offset;
    const std::int64_t end = done + run.length;
    for (; done + lanes <= end; done += lanes, x += lanes) {
      const Vector samples = load_samples(x);
      const Lacking missing = lacking(samples, part.missing.value);
      if (hn::AllTrue(d, missing)) continue;
      const Vector before = hn::LoadU(d, part.weights + done), total = hn::Add(before, weight);
      store_own(before, total, missing, part.weights + done);
      fold_vector<sums>(part, done, samples, total, missing, store_own);
    }
    for (; done < end; ++done, ++x) fold_own_sample<sums>(part, done, *x);
  }
  return done;
}

// Folds a vector into the elements from i on, or adds the sample's weight to what they have missed.
template <Sums sums>
HWY_INLINE void fold_or_miss(const FoldPart& part, std::int64_t i, Vector x, Lacking missing) noexcept {
  const Doubles d;
  if (!hn::AllTrue(d, missing)) fold_vector<sums>(part, i, x, hn::Set(d, part.total), missing, store_own);
  if (hn::AllFalse(d, missing)) return;
  const Vector before = hn::LoadU(d, part.weights + i);
  hn::StoreU(hn::IfThenElse(missing, hn::Add(before, hn::Set(d, part.weight)), before), d, part.weights + i);
}

template <Sums sums, class Value>
std::int64_t fold_missed(const FoldPart& part) noexcept {
  const Doubles d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Vector total = hn::Set(d, part.total);
  const double mark = part.missing.value;
  std::int64_t done = 0;
  for (const HeldRun& run : part.runs) {
    const Value* x = reinterpret_cast<const Value*>(part.values) + run.offset;
    const std::int64_t end = done + run.length;
    for (; done + 4 * lanes <= end; done += 4 * lanes, x += 4 * lanes) {
      const Vector x0 = load_samples(x), x1 = load_samples(x + lanes);
      const Vector x2 = load_samples(x + 2 * lanes), x3 = load_samples(x + 3 * lanes);
      const Lacking m0 = lacking(x0, mark), m1 = lacking(x1, mark), m2 = lacking(x2, mark), m3 = lacking(x3, mark);
      if (hn::AllFalse(d, hn::Or(hn::Or(m0, m1), hn::Or(m2, m3)))) {
        look_ahead<sums>(part, done);
        fold_vector<sums>(part, done, x0, total, false, store_all);
        fold_vector<sums>(part, done + lanes, x1, total, false, store_all);
        fold_vector<sums>(part, done + 2 * lanes, x2, total, false, store_all);
        fold_vector<sums>(part, done + 3 * lanes, x3, total, false, store_all);
        continue;
      }
      look_ahead(part.weights, done);
      fold_or_miss<sums>(part, done, x0, m0);
      fold_or_miss<sums>(part, done + lanes, x1, m1);
      fold_or_miss<sums>(part, done + 2 * lanes, x2, m2);
      fold_or_miss<sums>(part, done + 3 * lanes, x3, m3);
    }
    for (; done < end; ++done, ++x) fold_missed_sample<sums>(part, done, *x);
  }
  return done;
}

template <Sums sums, class Value>
struct CommonVectors {
  static constexpr FoldKernel kernel = fold_common<sums, Value>;
};
template <Sums sums, class Value>
struct OwnVectors {
  static constexpr FoldKernel kernel = fold_own<sums, Value>;
};
template <Sums sums, class Value>
struct MissedVectors {
  static constexpr FoldKernel kernel = fold_missed<sums, Value>;
};

template <class Value>
FoldKernel fold_kernel_of(Sums sums, Weights weights) noexcept {
  if (weights == Weights::missed) return kernel_of_sums<Value, MissedVectors>(sums);
  return weights == Weights::own ? kernel_of_sums<Value, OwnVectors>(sums) : kernel_of_sums<Value, CommonVectors>(sums);
}

FoldKernel fold_kernel_here(Sums sums, Type type, Weights weights) {
  if (type == WEIR_FLOAT) return fold_kernel_of<float>(sums, weights);
  if (type == WEIR_DOUBLE) return fold_kernel_of<double>(sums, weights);
  return nullptr;
}

#endif

}  // namespace weir::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weir::simd {

HWY_EXPORT(fold_kernel_here);

FoldKernel fold_kernel(Sums sums, Type type, Weights weights) noexcept {
  return HWY_DYNAMIC_DISPATCH(fold_kernel_here)(sums, type, weights);
}

std::vector<FoldKernel> fold_kernels(Sums sums, Type type, Weights weights) {
  std::vector<FoldKernel> all;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    hwy::ChosenTarget chosen;
    chosen.Update(left & -left);
    const FoldKernel kernel = HWY_DISPATCH_TABLE(fold_kernel_here)[chosen.GetIndex()](sums, type, weights);
    if (kernel) all.push_back(kernel);
  }
  return all;
}

}  // namespace weir::simd
#endif

#else
namespace weir::simd {

FoldKernel fold_kernel(Sums, Type, Weights) noexcept {
  return nullptr;
}

std::vector<FoldKernel> fold_kernels(Sums, Type, Weights) {
  return {};
}

}  // namespace weir::simd
#endif
