// SPDX-License-Identifier: Apache-2.0
// Reads a file's header from CDL text, as `ncdump -h` prints it: dimensions, variables, types and attributes. Values
// after "data:" are not read. Local.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workload.hpp"

namespace weir::bench {

struct Header {
  std::vector<Dimension> dimensions;
  std::vector<Variable> variables;  // their decompositions are not yet chosen
  std::vector<Attribute> attributes;
};

// Throws BenchError that names `source`, the line, and what was expected there.
Header parse_cdl(std::string_view text, const std::string& source);

}  // namespace weir::bench
