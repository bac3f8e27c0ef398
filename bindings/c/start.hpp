// SPDX-License-Identifier: Apache-2.0
// What the other bindings need of this one, besides weir.h: an instance whose sentences count as their callers do, and
// the shape of a layout's memory. No exception leaves these functions.
#pragma once

#include <weir/weir.h>

#include <cstdint>
#include <span>

#include "base/counting.hpp"

// Exported besides weir.h's functions, for these bindings alone.
extern "C" {

int weir_binding_start(MPI_Comm world, const char* config, const weir::Caller* caller, MPI_Comm* model_comm,
                       weir_t** weir) noexcept;
const std::int64_t* weir_binding_memory_shape(const weir_t* weir, int layout, std::size_t* axes) noexcept;
const std::int64_t* weir_binding_field_shape(const weir_t* weir, int field, std::size_t* axes) noexcept;
}

namespace weir {

// weir_init, for a caller who counts so.
inline int start(MPI_Comm world, const char* config, const Caller& caller, MPI_Comm* model_comm,
                 weir_t** weir) noexcept {
  return weir_binding_start(world, config, &caller, model_comm, weir);
}

// Lengths of the axes of a buffer, slowest first; of one axis where the layout does not tell more. A length of 0 where
// there is no such layout. They last as long as the layout.
inline std::span<const std::int64_t> memory_shape(const weir_t* weir, int layout) noexcept {
  std::size_t axes = 0;
  const std::int64_t* lengths = weir_binding_memory_shape(weir, layout, &axes);
  return {lengths, axes};
}

// The same of a field's values: one element of a scalar on rank 0. A length of 0 where there is no such field.
inline std::span<const std::int64_t> field_shape(const weir_t* weir, int field) noexcept {
  std::size_t axes = 0;
  const std::int64_t* lengths = weir_binding_field_shape(weir, field, &axes);
  return {lengths, axes};
}

}  // namespace weir
