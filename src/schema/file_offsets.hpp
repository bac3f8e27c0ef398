// SPDX-License-Identifier: Apache-2.0
// Computes the offsets of the variables of a classic file, as PnetCDF does. formats/definition.hpp makes headers with
// them. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/config.hpp"
#include "schema/schema.hpp"

namespace weir {

struct VariableSize {
  bool record;
  std::int64_t bytes;  // of it, or of one record of it
};

// Offsets in bytes: first the fixed variables, then records, each of all record variables. A single record variable has
// its records without padding.
struct FileOffsets {
  std::vector<std::int64_t> begin;  // by variable
  std::int64_t fixed_end = 0;       // end of the header and all fixed variables, with padding
  std::int64_t record_begin = 0;    // first byte of record 0
  std::int64_t record_bytes = 0;    // distance between records; 0 without record variables

  // Returns the offset of a variable's record, whose elements are contiguous; a fixed variable has one record, 0.
  std::int64_t first_byte(int var, std::int64_t record) const noexcept {
    return begin[static_cast<std::size_t>(var)] + record * record_bytes;
  }
};

// Sums up to INT64_MAX, since the numbers of a damaged file may have any sum.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept;
// Returns the next multiple of 4 and of `multiple`, which is rounded up to 4 itself. Saturates.
std::int64_t aligned_place(std::int64_t place, std::int64_t multiple) noexcept;

// Returns the bytes of a variable, or of one record of it, without padding.
std::int64_t variable_bytes(const Schema& schema, int var);

// Returns the alignment of files for which the program sets none.
Alignment alignment_of(const Config& config) noexcept;

// Returns the offset at which the first variable may begin.
std::int64_t first_place(std::int64_t header_bytes, const Alignment& alignment) noexcept;
FileOffsets place_variables(std::int64_t header_bytes, std::span<const VariableSize> variables,
                            const Alignment& alignment = {});
// Returns the offsets of a file in classic format 1, 2 or 5.
FileOffsets place_variables(const Schema& schema, int format, const Alignment& alignment = {});

}  // namespace weir
