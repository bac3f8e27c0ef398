// SPDX-License-Identifier: Apache-2.0
// The kernels for float and double by vectors, by Highway (github.com/google/highway). They use the widest vectors of
// the machine, found at run time, and give the same bits as portable_fold.hpp. Local.
#pragma once

#include <vector>

#include "accumulate/fold_kernel.hpp"

namespace weir::simd {

// Returns the kernel for this machine; nullptr for other types, without Highway, or on an old processor.
FoldKernel fold_kernel(Sums sums, Type type, Weights weights) noexcept;

// Returns the kernels of every instruction set that the build and this machine know, so that tests can compare them.
std::vector<FoldKernel> fold_kernels(Sums sums, Type type, Weights weights);

}  // namespace weir::simd
