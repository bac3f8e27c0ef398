// SPDX-License-Identifier: Apache-2.0
// Puts into a file that is defined.
#include <algorithm>
#include <array>
#include <limits>

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
  if (goes_on(var, put)) return put_on_course(var, put, status);
  if (!status.ok()) status.message = "rank " + std::to_string(shared_.comm().number()) + ": " + status.message;
  put_at_a_meeting(var, put, status);
}

// The same on all ranks, save where one of them has lost its way.
bool Output::goes_on(int var, const Put& put) const {
  const Course& course = courses_[static_cast<std::size_t>(var)];
  const bool is_known =
      course.way == Way::whole || (course.way == Way::parts && course.generation == shared_.generation());
  return is_known && schema_.is_record(var) && (put.start.empty() || put.start[0] >= course.next_record);
}

// All ranks meet, so that what one of them has wrong leaves the file as it is.
void Output::put_at_a_meeting(int var, const Put& put, const Status& status) {
  shared_.meet("cfio2_put_vara", {put.in_words()}, status).raise();
  write(var, put, agree_on_course(var, put));
}

// Ranks without records learn them here.
Output::Records Output::agree_on_course(int var, const Put& put) {
  constexpr std::int64_t none = -std::numeric_limits<std::int64_t>::max();
  Course course;
  course.box = own_box(put);
  course.next_record = courses_[static_cast<std::size_t>(var)].next_record;
  const bool has_records = !put.is_record() || put.count[0] > 0;
  const std::int64_t first = put.is_record() ? put.start[0] : 0;
  const std::int64_t last = put.is_record() ? first + put.count[0] : 1;
  const std::int64_t known = shared_.known_layout(course.box);
  std::array<std::int64_t, 8> most{course.box.whole() && has_records ? 0 : 1,
                                   known,
                                   -known,
                                   has_records ? first : none,
                                   has_records ? -first : none,
                                   has_records ? last : none,
                                   has_records ? -last : none,
                                   has_records ? 0 : 1};
  shared_.share_largest(most, put.in_words());
  if (most[3] == none) return {0, 0};
  require(most[3] == -most[4] && most[5] == -most[6], WEIR_EMISMATCH,
          put.in_words() + ": some ranks begin at record " + std::to_string(-most[4]) +
              " (from 0) and others at record " + std::to_string(most[3]) +
              ", or put more of them; give all ranks the same start and count of records");
  course.way = most[0] == 0 ? Way::whole : (most[7] == 0 ? Way::parts : Way::varying);
  if (course.way != Way::whole)
    course.layout = known >= 0 && most[1] == -most[2] ? static_cast<int>(known) : shared_.make_layout(course.box);
  course.generation = shared_.generation();
  courses_[static_cast<std::size_t>(var)] = course;
  return {most[3], most[5]};
}

// Meets nobody: what this rank has wrong it says by weir_fail, and the others hear of it at the commit.
void Output::put_on_course(int var, const Put& put, Status status) {
  const Course& course = courses_[static_cast<std::size_t>(var)];
  if (status.ok() && put.count[0] == 0)
    status = {WEIR_EARGUMENT,
              put.in_words() +
                  ": the count of records is 0 here, where earlier puts gave one on every rank; give the " +
                  "records that the others put, and a count of 0 elsewhere",
              -1};
  if (status.ok() && !(own_box(put) == course.box))
    status = {WEIR_EARGUMENT,
              put.in_words() + ": this rank puts " + own_box(put).in_words() + ", and before it put " +
                  course.box.in_words() + "; the parts of a variable stay while its file is open: call " +
                  "cfio2_wait_output twice before they change",
              -1};
  if (!status.ok()) {
    weir_fail(file_, status.code, status.message.c_str());
    throw Error(status.code, status.message);
  }
  const std::int64_t first = put.is_record() ? put.start[0] : 0;
  write(var, put, {first, first + (put.is_record() ? put.count[0] : 1)});
}

void Output::write(int var, const Put& put, const Records& records) {
  Course& course = courses_[static_cast<std::size_t>(var)];
  const std::int64_t record_bytes = elements(course.box.count) * type_bytes(put.type);
  const auto* values = static_cast<const std::byte*>(put.values);
  for (std::int64_t record = records.first; record < records.last; ++record) {
    if (course.way == Way::whole)
      check_file(weir_put_var(file_, var, record, put.type, values));
    else
      check_file(weir_put(file_, var, record, course.layout, put.type, values));
    if (!put.empty()) values += record_bytes;
  }
  course.next_record = std::max(course.next_record, records.last);
}

}  // namespace weir::cfio2
