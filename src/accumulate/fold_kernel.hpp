// SPDX-License-Identifier: Apache-2.0
// A kernel folds a part of one sample into the arrays of an accumulator: one function for a kind of sums, a type, and
// whether each element has a weight of its own. It is chosen once a block of elements. Local; allocates and throws
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/compact_layout.hpp"
#include "schema/types.hpp"

#ifdef __FAST_MATH__
#error "src/accumulate must not be compiled with -ffast-math: its results are defined to the bit, and NaN is missing"
#endif

namespace weir {

// Whether all elements have one weight, or each its own; or whether they have what each has missed of it (not for
// moments and count).
enum class Weights { common, own, missed };

// What is kept of the samples; moments: mean and squares of deviations.
enum class Sums { sum, squares, minimum, maximum, moments, count };

// What stands for a missing sample, as a kernel compares it. NaN always does.
struct MissingMark {
  double value;    // of types that a double holds exactly; NaN: none
  bool has_whole;  // of 64-bit integers
  std::int64_t whole;
};

struct FoldPart {
  std::span<const HeldRun> runs;
  const std::byte* values;  // where the model's buffer begins
  // Of the first element of the runs; nullptr: the kernel has no use for it.
  double* value;
  double* squares;
  double* weights;  // or what was missed
  double weight;    // of the sample
  double total;     // of all samples up to this one, where each element has the same weight
  MissingMark missing;
};

// Folds, and returns how many elements it has folded: all, or, if elements have no weights of their own, those before
// some element that is not after the first missing one.
using FoldKernel = std::int64_t (*)(const FoldPart&) noexcept;

// Plain loops.
namespace portable {

// Returns the kernel of a number type.
FoldKernel fold_kernel(Sums sums, Type type, Weights weights) noexcept;

}  // namespace portable

// Vectors for float and double, by Highway (github.com/google/highway): the widest of the machine, found at run time.
// They give the same bits as the plain loops.
namespace simd {

// Returns the kernel for this machine; nullptr for other types, without Highway, or on an old processor.
FoldKernel fold_kernel(Sums sums, Type type, Weights weights) noexcept;

// Returns the kernels of every instruction set that the build and this machine know, so that tests can compare them.
std::vector<FoldKernel> fold_kernels(Sums sums, Type type, Weights weights);

}  // namespace simd

}  // namespace weir
