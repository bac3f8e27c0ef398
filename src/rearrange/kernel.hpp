// SPDX-License-Identifier: Apache-2.0
// A kernel: the inner loops of a copy program for one kind of element. It is chosen once for a program, and called once
// for all runs and once for each plane of a block, never for each element. rearrange/kernel_table.hpp chooses it.
// Local; allocates and throws nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rearrange/copy.hpp"

namespace weir {

// Two loops of a block. Strides are in bytes; inner.count and outer.count are at least 1.
struct Plane {
  const std::byte* source;
  std::byte* target;
  Loop inner;
  Loop outer;
};

// The runs of a program (in elements), and where its two sides begin.
struct Runs {
  std::span<const Run> runs;
  const std::byte* source;
  std::byte* target;
};

// What did not fit so far.
struct Misfits {
  std::int64_t count = 0;
  const std::byte* lowest = nullptr;  // the one that is lowest in the source

  void add(const std::byte* source) noexcept {
    lowest = count == 0 ? source : std::min(lowest, source);
    ++count;
  }
};

struct Kernel {
  std::int64_t source_bytes;
  std::int64_t target_bytes;
  void (*copy_plane)(const Plane&, const ExternalValue& fill, Misfits&);
  void (*copy_runs)(const Runs&, const ExternalValue& fill, Misfits&);
  // Called at the end of a program whose stores are not ordered with others; nullptr: they are.
  void (*order_stores)() = nullptr;
};

// Executes the program with one kernel. `fill`: for values that do not fit, as the target has it.
RangeFailure execute(const CopyProgram& program, const Kernel& kernel, const std::byte* source, std::byte* target,
                     const ExternalValue& fill) noexcept;

}  // namespace weir
