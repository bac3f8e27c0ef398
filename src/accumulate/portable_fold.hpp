// SPDX-License-Identifier: Apache-2.0
// The kernels as plain loops. Local.
#pragma once

#include "accumulate/fold_kernel.hpp"

namespace weir::portable {

// Returns the kernel of a number type.
FoldKernel fold_kernel(Sums sums, Type type, Weights weights) noexcept;

}  // namespace weir::portable
