// SPDX-License-Identifier: Apache-2.0
// What the other bindings need of this one, beside weir.h: an instance whose sentences count as their callers do, and
// the shape of a layout's memory. No exception leaves these functions.
#pragma once

#include <weir/weir.h>

#include <cstdint>
#include <span>

#include "base/counting.hpp"

namespace weir {

// weir_init, for a caller who counts so.
int start(MPI_Comm world, const char* config, const Caller& caller, MPI_Comm* model_comm, weir_t** weir) noexcept;

// Lengths of the axes of a buffer, slowest first; of one axis where the layout does not tell more. A length of 0 where
// there is no such layout. They last as long as the layout.
std::span<const std::int64_t> memory_shape(const weir_t* weir, int layout) noexcept;

}  // namespace weir
