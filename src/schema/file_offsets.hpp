// SPDX-License-Identifier: Apache-2.0
// Where PnetCDF places the variables of a classic file that asks for no alignment. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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
  std::int64_t fixed_end = 0;       // where record 0 begins
  std::int64_t record_bytes = 0;    // from record to record
};

FileOffsets place_variables(std::int64_t header_bytes, std::span<const VariableSize> variables);
// Of a file in classic format 1, 2 or 5.
FileOffsets place_variables(const Schema& schema, int format);

}  // namespace weir
