// SPDX-License-Identifier: Apache-2.0
// What streams have done so far, for the report. Bytes are of this rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

// Of a stream of the configuration. With {field} in its pattern it has a sequence of files for each field, and the
// numbers are of all of them.
struct StreamCounts {
  std::string name;
  std::int64_t fields = 0;             // variables that it writes
  std::int64_t files = 0;              // that this run has begun, or has gone on with
  std::int64_t records = 0;            // that this run has put
  std::int64_t expected = 0;           // of them, by the configuration; 0: it does not say
  std::int64_t bytes_put = 0;          // in external form, with times and fixed fields
  std::int64_t accumulator_bytes = 0;  // memory; it never falls
  double largest_error = 0;            // of what its files hold, as a share of max_error; 0: none is bounded
};

struct StreamsCounts {
  std::int64_t bytes_sent = 0;        // of samples that at least one stream folded or put
  std::vector<StreamCounts> streams;  // those of sent fields first, each in the configuration's order
};

}  // namespace weir
