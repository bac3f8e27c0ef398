// SPDX-License-Identifier: Apache-2.0
// Computes the offsets of the variables of a classic file, as PnetCDF does. Pure.
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

// Bytes from the file's beginning: first the fixed variables, then records, each of all variables that have any. Where
// one variable alone has records, these follow each other without padding.
struct FileOffsets {
  std::vector<std::int64_t> begin;  // a variable each
  std::int64_t fixed_end = 0;       // first byte after the header and all fixed variables (with their padding)
  std::int64_t record_begin = 0;    // first byte of record 0
  std::int64_t record_bytes = 0;    // distance between records; 0 without record variables

  // Of a variable's record, of which a fixed variable has one, 0. Its elements follow one another from there.
  std::int64_t first_byte(int var, std::int64_t record) const noexcept {
    return begin[static_cast<std::size_t>(var)] + record * record_bytes;
  }
};

// What a damaged file says may add up to anything: so do sums here, up to INT64_MAX.
std::int64_t saturated_sum(std::int64_t a, std::int64_t b) noexcept;
// The next place that is a multiple of 4 and of so many bytes, which are rounded up to 4 themselves. Saturates.
std::int64_t aligned_place(std::int64_t place, std::int64_t multiple) noexcept;

// Bytes of a variable, or of one record of it, without padding.
std::int64_t variable_bytes(const Schema& schema, int var);

// What files are aligned by where the program does not say it of one.
Alignment alignment_of(const Config& config) noexcept;

// Where the first of them may begin.
std::int64_t first_place(std::int64_t header_bytes, const Alignment& alignment) noexcept;
FileOffsets place_variables(std::int64_t header_bytes, std::span<const VariableSize> variables,
                            const Alignment& alignment = {});
// Of a file in classic format 1, 2 or 5.
FileOffsets place_variables(const Schema& schema, int format, const Alignment& alignment = {});

}  // namespace weir
