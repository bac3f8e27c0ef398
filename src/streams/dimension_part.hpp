// SPDX-License-Identifier: Apache-2.0
// Which elements of a dimension a stream keeps: an entry of its key `box`. Pure, Local.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "streams/setting.hpp"

namespace weir {

// A part of a dimension: elements first to last (both included), each `step`-th. `to_the_end`: the dimension's last.
struct IndexRange {
  static constexpr std::int64_t to_the_end = INT64_MAX;
  std::int64_t first = 0, last = 0, step = 1;
  bool operator==(const IndexRange&) const = default;
};
// Or the elements whose coordinate is in [first, last].
struct CoordinateRange {
  double first = 0, last = 0;
  bool operator==(const CoordinateRange&) const = default;
};
// Or a list of elements (`levels: [0, 10]`).
using IndexList = std::vector<std::int64_t>;
struct DimensionPart {
  std::string dimension;
  std::variant<IndexRange, CoordinateRange, IndexList> part;
  bool operator==(const DimensionPart&) const = default;
};

// Reads an entry of `box`.
// Errors: WEIR_ECONFIG, with the place of the entry.
DimensionPart parse_part(const Setting& setting);

}  // namespace weir
