// SPDX-License-Identifier: Apache-2.0
// Executes copy programs (plan/copy_program.hpp): moves elements, with index swap, type conversion and byte swap in one
// pass (index reshuffle on the fly: Tseng & Ding 2008, section 3.1). Allocates nothing, throws nothing, knows neither
// MPI nor files. Local.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/copy_program.hpp"
#include "plan/plan.hpp"
#include "schema/types.hpp"

namespace weir {

// Values that did not fit their type. netCDF's range rule: the element becomes the fill value, the others are copied.
struct RangeFailure {
  std::int64_t count = 0;          // how many did not fit
  std::int64_t first_source = -1;  // source element of one of them: the lowest of its program

  // Adds another program's. The element stays that of the first program in which a value did not fit.
  void merge(const RangeFailure& later) noexcept {
    if (count == 0) first_source = later.first_source;
    count += later.count;
  }
};

// streaming: no core reads the target again soon, so long rows bypass the caches if the machine can do that. Other
// threads see the stores as they see others.
enum class StoreHint { cached, streaming };

// Whether an infinity fits the other real type. It does, except under the bridges over PnetCDF, which counts it out of
// range: in puts between float and double, and in gets of double as float.
enum class Infinities { fit, misfit };

// Copies from model memory to external form: reads `memory_type` in native order from `source` (elements from its
// beginning), writes `external_type` big-endian to `target`. Values out of range become `fill` (external form), and are
// counted.
//
// The range rule is netCDF's, as PnetCDF 1.12.3 applies it to CDF-5 files, except for infinities. A value is out of
// range if it is below the external type's minimum or above its maximum. A real is compared before it is truncated
// towards zero: 127.5 is out of range for byte, -0.5 for ubyte. A finite double beyond +-FLT_MAX is out of range for
// float; NaN and (as `infinities` says) infinities pass. Byte and ubyte values are compared too. The same type on both
// sides: everything passes. Stricter than PnetCDF, which stores what the conversion happens to give: NaN to an integer
// is out of range, and so are 2^63 for int64 and 2^64 for uint64.
// Requires: WEIR_CHAR on both sides or on neither.
RangeFailure encode(const CopyProgram& program, const void* source, Type memory_type, std::byte* target,
                    Type external_type, const ExternalValue& fill, StoreHint store_hint = StoreHint::cached,
                    Infinities infinities = Infinities::fit) noexcept;

// Copies from external form to model memory: the inverse of encode(); the program's source is the external side. A
// value that does not fit becomes the memory type's default fill value (native order), and is counted. The same rule
// with the memory type's limits; every float passes to double.
RangeFailure decode(const CopyProgram& program, const std::byte* source, Type external_type, void* target,
                    Type memory_type, Infinities infinities = Infinities::fit) noexcept;

// Copies bytes as they are, in elements of `element_bytes` (1, 2, 4, 8): packed pieces to their place in a tile.
void unpack(const CopyProgram& program, const std::byte* source, std::byte* target, int element_bytes) noexcept;

// Writes `count` elements of one external value to `target`.
void fill_elements(std::byte* target, std::int64_t count, const ExternalValue& value, int element_bytes) noexcept;

// Writes the fill value to the elements of a round's tile memory that no rank holds.
void fill_holes(const TilePlan& plan, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept;

}  // namespace weir
