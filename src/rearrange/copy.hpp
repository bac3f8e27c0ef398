// SPDX-License-Identifier: Apache-2.0
// Rearranging: moving elements from where they lie to where they belong, with index swap, type conversion and
// big-endian swap fused into one pass. (Index reshuffle on the fly: Tseng & Ding 2008, section 3.1.)
//
// What is moved is said by a CopyProgram (plan/copy_program.hpp), executed every cycle. Nothing here allocates, throws,
// or knows of MPI or files. All functions are Local.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/copy_program.hpp"
#include "plan/plan.hpp"
#include "schema/types.hpp"

namespace weir {

// The first value that did not fit (netCDF's range rule: the element becomes the fill value, the rest is copied).
struct RangeFailure {
  std::int64_t count = 0;          // how many did not fit
  std::int64_t first_source = -1;  // source element of one of them: the lowest of its program

  // Of several programs, the element stays that of the first one reported in which a value did not fit, even where a
  // later one has a lower element.
  void merge(const RangeFailure& later) noexcept {
    if (count == 0) first_source = later.first_source;
    count += later.count;
  }
};

// What becomes of what is stored. streaming: no core reads it again soon, so that long rows go past the caches where
// the machine can do that; other threads see it as they see what was stored before.
enum class StoreHint { cached, streaming };

// Whether an infinity fits the other real type. It does, for it is one there too; under the bridges it does not where
// PnetCDF is behind, which finds it out of range: in puts of both, and in gets of double as float.
enum class Infinities { fit, misfit };

// Model memory to external form: reads `memory_type` in native order at source (elements from its beginning), writes
// `external_type` big-endian at target. Values out of the external type's range become `fill` (external form) and are
// counted. The rule is netCDF's, as PnetCDF 1.12.3 applies it to CDF-5 files but for infinities: a value is out of
// range if it is below the external type's minimum or above its maximum. A real is compared before it is truncated
// towards zero: 127.5 is out of range for byte, -0.5 for ubyte. A finite double beyond +-FLT_MAX is out of range for
// float; NaN and (as `infinities` says) infinities pass. Between byte and ubyte values are compared too. The same type
// on both sides: everything passes. Stricter than PnetCDF, which stores what the conversion happens to give: NaN to an
// integer is out of range, and so are 2^63 for int64 and 2^64 for uint64. WEIR_CHAR converts only to WEIR_CHAR (the
// caller checks).
RangeFailure encode(const CopyProgram& program, const void* source, Type memory_type, std::byte* target,
                    Type external_type, const ExternalValue& fill, StoreHint store_hint = StoreHint::cached,
                    Infinities infinities = Infinities::fit) noexcept;

// External form to model memory: the inverse, programs' "source" is the external side. A value that does not fit the
// memory type becomes the memory type's default fill value (native order) and is counted. The same rule with the memory
// type's limits; every float passes to double.
RangeFailure decode(const CopyProgram& program, const std::byte* source, Type external_type, void* target,
                    Type memory_type, Infinities infinities = Infinities::fit) noexcept;

// Bytes as they are, elements of `element_bytes` (1, 2, 4, 8): packed pieces to their places in a tile.
void unpack(const CopyProgram& program, const std::byte* source, std::byte* target, int element_bytes) noexcept;

// `count` elements of one external value at `target`.
void fill_elements(std::byte* target, std::int64_t count, const ExternalValue& value, int element_bytes) noexcept;

// Prepares an owner's tile memory for writing, besides unpacking messages (copy.hpp): elements that no rank holds get
// the fill value. Local; nothing allocates.

void fill_holes(const Round& round, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept;

}  // namespace weir
