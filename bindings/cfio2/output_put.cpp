// SPDX-License-Identifier: Apache-2.0
// Puts into a file that is defined.
#include "base/text.hpp"
#include "definitions.hpp"
#include "output.hpp"

namespace weir::cfio2 {

void Output::put_defined(int var, const Put& put, Status status) {
  if (status.ok() && !agrees(schema_, var, put)) {
    try {
      Schema there = schema_;
      define_from_put(there, put);
    } catch (const Error& error) {
      status = {error.code(), put.in_words() + ": " + error.what()};
    }
  }
  if (schema_.is_record(var) && patterns_.goes_on(var, put)) return put_by_pattern(var, put, status);
  if (!status.ok()) status.message = formatted("rank {}: {}", shared_.comm().number(), status.message);
  put_by_agreement(var, put, status);
}

// All ranks agree, so that what one of them has wrong leaves the file as it is.
void Output::put_by_agreement(int var, const Put& put, const Status& status) {
  shared_.agree_on("cfio2_put_vara", {put.in_words()}, status).raise();
  write(var, put, patterns_.agree(var, put));
}

// Meets nobody: what this rank has wrong it says by weir_fail, and the others hear of it at the commit.
void Output::put_by_pattern(int var, const Put& put, Status status) {
  if (status.ok()) status = patterns_.fault(var, put);
  if (!status.ok()) {
    weir_fail(file_, status.code, status.message.c_str());
    throw Error(status.code, status.message);
  }
  const std::int64_t first = put.is_record() ? put.start[0] : 0;
  write(var, put, {first, first + (put.is_record() ? put.count[0] : 1)});
}

void Output::write(int var, const Put& put, const PutPatterns::Records& records) {
  const PutPattern& pattern = patterns_.of(var);
  const std::int64_t record_bytes = elements(pattern.box.count) * type_bytes(put.type);
  const auto* values = static_cast<const std::byte*>(put.values);
  for (std::int64_t record = records.first; record < records.last; ++record) {
    if (pattern.way == PutPattern::Way::whole)
      check_file(weir_put_var(file_, var, record, put.type, values));
    else
      check_file(weir_put(file_, var, record, pattern.layout, put.type, values));
    if (!put.empty()) values += record_bytes;
  }
  patterns_.reach(var, records.last);
}

}  // namespace weir::cfio2
