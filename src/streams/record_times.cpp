// SPDX-License-Identifier: Apache-2.0
#include "streams/record_times.hpp"

#include <algorithm>

namespace weir {

RecordTimes::RecordTimes(const PlannedFile& file, const TimeAxis& axis, Instant start, Instant step)
    : file_(file), axis_(axis), stream_begin_(std::max(start, file.from.value_or(start))), step_(step) {
  const StreamConfig& stream = file.stream;
  if (stream.every.unit != Interval::Unit::steps) boundaries_.emplace(axis, stream.every, stream.align, stream_begin_);
  if (stream.split.interval) split_boundaries_.emplace(axis, *stream.split.interval, stream.align, stream_begin_);
  begin_ = end_ = label_ = stream_begin_;
}

std::optional<Instant> RecordTimes::end_after(Instant begin) const {
  if (boundaries_) return boundaries_->end_of(begin + 1);
  return step_ > 0 ? std::optional(begin + file_.stream.every.count * step_) : std::nullopt;
}

bool RecordTimes::needs_file() const {
  const Split& split = file_.stream.split;
  if (split_boundaries_) return split_boundaries_->begin_of(std::max(end_, stream_begin_ + 1)) != label_;
  if (split.records > 0) return records_ >= split.records;
  return split.bytes > 0 && file_.fixed_bytes + (records_ + 1) * file_.record_bytes > split.bytes;
}

bool RecordTimes::next() {
  const bool at_start =
      !any_ && file_.bounds_variable < 0 && boundaries_ && boundaries_->end_of(stream_begin_) == stream_begin_;
  const std::optional<Instant> end = at_start ? stream_begin_ : end_after(end_);
  if (!end || (file_.until && *end > *file_.until)) return false;
  begin_ = file_.bounds_variable < 0 ? *end : end_;
  end_ = *end;
  if (!any_ || needs_file()) {
    label_ = split_boundaries_ ? split_boundaries_->begin_of(std::max(end_, stream_begin_ + 1)) : begin_;
    records_ = 0;
  }
  any_ = true;
  ++records_;
  return true;
}

std::string RecordTimes::name() const {
  return expand_pattern(file_.pattern, axis_, label_, "", ends_of(split_boundaries_));
}

}  // namespace weir
