// SPDX-License-Identifier: Apache-2.0
// What Weir's copies cost on the simulated machine. SMPI can measure the processor it runs on, which is another one,
// and which all simulated ranks share; so computing is free (smpi/simulate-computation:no), but a copy executes as many
// "flops" as it has bytes on its host, whose speed is the profile's copy bandwidth. The copies themselves are the
// library's: the build compiles encode.cpp and unpack.cpp under the names that are called here.
#include <mpi.h>

#include "rearrange/copy.hpp"

namespace weir {

RangeFailure encode_for_nothing(const CopyProgram& program, const void* source, Type memory_type, std::byte* target,
                                Type external_type, const ExternalValue& fill, StoreHint store_hint,
                                Infinities infinities) noexcept;
void place_for_nothing(const CopyProgram& program, const std::byte* source, std::byte* target,
                       int element_bytes) noexcept;

namespace {

void spend(const CopyProgram& program, int element_bytes) noexcept {
  const std::int64_t bytes = program.elements() * element_bytes;
  if (bytes > 0) smpi_execute_flops(static_cast<double>(bytes));
}

}  // namespace

RangeFailure encode(const CopyProgram& program, const void* source, Type memory_type, std::byte* target,
                    Type external_type, const ExternalValue& fill, StoreHint store_hint,
                    Infinities infinities) noexcept {
  const RangeFailure failure =
      encode_for_nothing(program, source, memory_type, target, external_type, fill, store_hint, infinities);
  spend(program, type_bytes(external_type));
  return failure;
}

void unpack(const CopyProgram& program, const std::byte* source, std::byte* target, int element_bytes) noexcept {
  place_for_nothing(program, source, target, element_bytes);
  spend(program, element_bytes);
}

}  // namespace weir
