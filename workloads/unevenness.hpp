// SPDX-License-Identifier: Apache-2.0
// How much longer than the mean a rank computes in a phase, of weir-bench and of what is simulated. Pure, Local.
#pragma once

#include <cmath>
#include <cstdint>

namespace weir::workloads {

// In [-1, 1], the same for a rank and phase in every run: the fractional parts of multiples of the golden ratio, moved
// on from phase to phase by another irrational number.
inline double unevenness(int rank, std::int64_t phase) {
  return 2.0 * std::fmod((rank + 1) * 0.6180339887498949 + static_cast<double>(phase) * 0.7548776662466927, 1.0) - 1.0;
}

}  // namespace weir::workloads
