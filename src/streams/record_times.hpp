// SPDX-License-Identifier: Apache-2.0
// The records of a sequence of files in turn, and the files that they go to, as streams/stream.cpp makes them in a run
// whose samples meet all ends of intervals. Pure, Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "calendar/interval.hpp"
#include "calendar/time_axis.hpp"
#include "streams/stream_plan.hpp"

namespace weir {

class RecordTimes {
 public:
  // `start`: of the first run. `step`: the time between samples; 0 if it is not known: then a stream whose intervals
  // are in steps has no records. All arguments outlive this.
  RecordTimes(const PlannedFile& file, const TimeAxis& axis, Instant start, Instant step);

  // Goes to the first record, and to the next one. Returns whether there is one.
  bool next();

  // Of the record: its interval, which is empty for instants.
  Instant begin() const noexcept { return begin_; }
  Instant end() const noexcept { return end_; }
  // Whether it is the first of its file, the date in the file's name, and the name.
  bool opens_file() const noexcept { return records_ == 1; }
  Instant label() const noexcept { return label_; }
  std::string name() const;

 private:
  std::optional<Instant> end_after(Instant begin) const;
  bool needs_file() const;

  const PlannedFile& file_;
  const TimeAxis& axis_;
  Instant stream_begin_;
  Instant step_;
  std::optional<Boundaries> boundaries_, split_boundaries_;
  bool any_ = false;
  Instant begin_ = 0, end_ = 0, label_ = 0;
  std::int64_t records_ = 0;  // of the file
};

}  // namespace weir
