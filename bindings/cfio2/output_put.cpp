// SPDX-License-Identifier: Apache-2.0
// Puts into a file that is defined.
#include "definitions.hpp"
#include "output.hpp"

namespace weir::cfio2 {

void Output::put_defined(int var, const Put& put, Status status) {
  if (status.ok() && !agrees(schema_, var, put)) {
    try {
      Schema there = schema_;
      reveal(there, put);
    } catch (const Error& error) {
      status = {error.code(), put.in_words() + ": " + error.what(), -1};
    }
  }
  if (schema_.is_record(var) && courses_.goes_on(var, put)) return put_on_course(var, put, status);
  if (!status.ok()) status.message = "rank " + std::to_string(shared_.comm().number()) + ": " + status.message;
  put_at_a_meeting(var, put, status);
}

// All ranks meet, so that what one of them has wrong leaves the file as it is.
void Output::put_at_a_meeting(int var, const Put& put, const Status& status) {
  shared_.meet("cfio2_put_vara", {put.in_words()}, status).raise();
  write(var, put, courses_.agree(var, put));
}

// Meets nobody: what this rank has wrong it says by weir_fail, and the others hear of it at the commit.
void Output::put_on_course(int var, const Put& put, Status status) {
  if (status.ok()) status = courses_.fault(var, put);
  if (!status.ok()) {
    weir_fail(file_, status.code, status.message.c_str());
    throw Error(status.code, status.message);
  }
  const std::int64_t first = put.is_record() ? put.start[0] : 0;
  write(var, put, {first, first + (put.is_record() ? put.count[0] : 1)});
}

void Output::write(int var, const Put& put, const Courses::Records& records) {
  const Course& course = courses_.of(var);
  const std::int64_t record_bytes = elements(course.box.count) * type_bytes(put.type);
  const auto* values = static_cast<const std::byte*>(put.values);
  for (std::int64_t record = records.first; record < records.last; ++record) {
    if (course.way == Course::Way::whole)
      check_file(weir_put_var(file_, var, record, put.type, values));
    else
      check_file(weir_put(file_, var, record, course.layout, put.type, values));
    if (!put.empty()) values += record_bytes;
  }
  courses_.reach(var, records.last);
}

}  // namespace weir::cfio2
