// SPDX-License-Identifier: Apache-2.0
#include "courses.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace weir::cfio2 {

bool Courses::goes_on(int var, const Put& put) const {
  const Course& course = of(var);
  const bool is_known = course.way == Course::Way::whole ||
                        (course.way == Course::Way::parts && course.generation == shared_.generation());
  return is_known && (put.start.empty() || put.start[0] >= course.next_record);
}

Status Courses::fault(int var, const Put& put) const {
  const Course& course = of(var);
  if (put.count[0] == 0)
    return {WEIR_EARGUMENT,
            put.in_words() + ": the count of records is 0 here, where earlier puts gave one on every rank; give the " +
                "records that the others put, and a count of 0 elsewhere",
            -1};
  if (!(own_box(put) == course.box))
    return {WEIR_EARGUMENT,
            put.in_words() + ": this rank puts " + own_box(put).in_words() + ", and before it put " +
                course.box.in_words() + "; the parts of a variable stay while its file is open: call " +
                "cfio2_wait_output twice before they change",
            -1};
  return {};
}

Courses::Records Courses::agree(int var, const Put& put) {
  constexpr std::int64_t none = -std::numeric_limits<std::int64_t>::max();
  Course course;
  course.box = own_box(put);
  course.next_record = of(var).next_record;
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
  course.way = most[0] == 0 ? Course::Way::whole : (most[7] == 0 ? Course::Way::parts : Course::Way::varying);
  if (course.way != Course::Way::whole)
    course.layout = known >= 0 && most[1] == -most[2] ? static_cast<int>(known) : shared_.make_layout(course.box);
  course.generation = shared_.generation();
  courses_[static_cast<std::size_t>(var)] = course;
  return {most[3], most[5]};
}

void Courses::reach(int var, std::int64_t next) {
  Course& course = courses_[static_cast<std::size_t>(var)];
  course.next_record = std::max(course.next_record, next);
}

}  // namespace weir::cfio2
