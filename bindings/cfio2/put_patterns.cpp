// SPDX-License-Identifier: Apache-2.0
#include "put_patterns.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.hpp"

namespace weir::cfio2 {

bool PutPatterns::goes_on(int var, const Put& put) const {
  const PutPattern& pattern = of(var);
  const bool is_known = pattern.way == PutPattern::Way::whole ||
                        (pattern.way == PutPattern::Way::parts && pattern.generation == shared_.generation());
  return is_known && (put.start.empty() || put.start[0] >= pattern.next_record);
}

Status PutPatterns::fault(int var, const Put& put) const {
  const PutPattern& pattern = of(var);
  if (put.count[0] == 0)
    return {WEIR_EARGUMENT, formatted("{}: the count of records is 0 here, where earlier puts gave one on every rank; "
                                      "give the records that the others put, and a count of 0 elsewhere",
                                      put.in_words())};
  if (!(own_box(put) == pattern.box))
    return {WEIR_EARGUMENT,
            formatted("{}: this rank puts {}, and earlier it put {}; the part of a variable that a rank puts is fixed "
                      "while the file is open: call cfio2_wait_output twice before they change",
                      put.in_words(), own_box(put).in_words(), pattern.box.in_words())};
  return {};
}

PutPatterns::Records PutPatterns::agree(int var, const Put& put) {
  constexpr std::int64_t none = -std::numeric_limits<std::int64_t>::max();
  PutPattern pattern;
  pattern.box = own_box(put);
  pattern.next_record = of(var).next_record;
  const bool has_records = !put.is_record() || put.count[0] > 0;
  const std::int64_t first = put.is_record() ? put.start[0] : 0;
  const std::int64_t last = put.is_record() ? first + put.count[0] : 1;
  const std::int64_t known = shared_.known_layout(pattern.box);
  std::array<std::int64_t, 8> most{pattern.box.whole() && has_records ? 0 : 1,
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
          "{}: some ranks begin at record {} (from 0) and others at record {}, or put more of them; give all ranks the "
          "same start and count of records",
          put.in_words(), -most[4], most[3]);
  pattern.way =
      most[0] == 0 ? PutPattern::Way::whole : (most[7] == 0 ? PutPattern::Way::parts : PutPattern::Way::varying);
  if (pattern.way != PutPattern::Way::whole)
    pattern.layout = known >= 0 && most[1] == -most[2] ? static_cast<int>(known) : shared_.make_layout(pattern.box);
  pattern.generation = shared_.generation();
  patterns_[static_cast<std::size_t>(var)] = pattern;
  return {most[3], most[5]};
}

void PutPatterns::reach(int var, std::int64_t next) {
  PutPattern& pattern = patterns_[static_cast<std::size_t>(var)];
  pattern.next_record = std::max(pattern.next_record, next);
}

}  // namespace weir::cfio2
