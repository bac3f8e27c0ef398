// SPDX-License-Identifier: Apache-2.0
#include "streams/stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "streams/ordered_number.hpp"

namespace weir {

namespace {

// How far above 1 a share may be by the rounding of doubles alone.
constexpr double rounding_of_doubles = 1e-9;

}  // namespace

// Adds to bytes_put_ what is put during its life.
class Stream::CountedPuts {
 public:
  explicit CountedPuts(Stream& stream) : stream_(stream) { stream_.bytes_put_ -= bytes(); }
  ~CountedPuts() { stream_.bytes_put_ += bytes(); }
  CountedPuts(const CountedPuts&) = delete;
  CountedPuts& operator=(const CountedPuts&) = delete;

 private:
  std::int64_t bytes() const noexcept { return stream_.shared_.context.pipeline.tally().bytes_put; }

  Stream& stream_;
};

Stream::Stream(const StreamContext& shared, PlannedFile plan, std::vector<Output> outputs)
    : shared_(shared), plan_(std::move(plan)), outputs_(std::move(outputs)) {
  const StreamConfig& stream = plan_.stream;
  const Instant begin = stream_begin();
  if (stream.every.unit != Interval::Unit::steps) boundaries_.emplace(shared.axis, stream.every, stream.align, begin);
  if (stream.split.interval) split_boundaries_.emplace(shared.axis, *stream.split.interval, stream.align, begin);
  if (stream.commit.interval) commit_boundaries_.emplace(shared.axis, *stream.commit.interval, stream.align, begin);
  for (Output& output : outputs_) output.since = begin;
  in_file_.resize(plan_.schema.variables().size());
}

Instant Stream::stream_begin() const noexcept {
  return plan_.from ? std::max(*plan_.from, shared_.begun) : shared_.begun;
}

// A sample at the begin is in no interval: only a stream of instants alone has a record of it.
bool Stream::in_range(Instant time) const noexcept {
  const bool instants = plan_.bounds_variable < 0;
  const Instant begin = stream_begin();
  if (plan_.until && time > *plan_.until) return false;
  return instants && boundaries_ ? time >= begin : time > begin;
}

bool Stream::wants(const Output& output, Instant time) const {
  if (!in_range(time)) return false;
  if (output.accumulator) return true;
  return !boundaries_ || boundaries_->end_of(time) == time;
}

bool Stream::takes(const Output& output, Instant time) const {
  if (!in_range(time)) return false;
  const Open& open = output.open;
  const std::string& field = shared_.fields.at(output.plan.field).name;
  const auto date = [this](Instant instant) { return shared_.axis.in_words(instant); };
  if (!boundaries_) {
    if (open.samples + 1 < plan_.stream.every.count) return true;
    const std::optional<std::int64_t> record = known_record(time);
    require(!any_ || time > last_end_ || record, WEIR_EARGUMENT, [&] {
      return formatted(
          "stream {}: the sample of {} at {} comes too late: a record that ends at {} has been written; send all "
          "fields of a time before one of them is sent for the next, or give {} a stream of its own",
          plan_.name, field, date(time), date(last_end_), field);
    });
    const Instant begin = open.is ? open.begin : output.since;
    const Instant shared = record ? begins_[static_cast<std::size_t>(*record - first_known_)] : begin;
    require(plan_.bounds_variable < 0 || shared == begin || shared == unknown_begin, WEIR_EARGUMENT, [&] {
      return formatted(
          "stream {}: {} of {} end at {} and begin at {}, and those of another field begin at {}: fields that are sent "
          "at different frequencies have no such interval in common; give every in time, or put {{field}} into file",
          plan_.name, in_words(plan_.stream.every), field, date(time), date(begin), date(shared));
    });
    return true;
  }
  require(!open.is || time <= open.end, WEIR_EARGUMENT, [&] {
    return formatted(
        "stream {}: no sample of {} came at {}, where an interval of {} ends: the samples around it came at {} and {}; "
        "give an interval that the model's steps meet",
        plan_.name, field, date(open.end), in_words(plan_.stream.every), date(open.last), date(time));
  });
  const Instant end = open.is ? open.end : boundaries_->end_of(time);
  require(!any_ || end > last_end_ || known_record(end), WEIR_EARGUMENT, [&] {
    return formatted(
        "stream {}: the sample of {} at {} comes too late: the record that ends at {} is in a file that is finished; "
        "send all fields of a stream before one of them is sent for the next file",
        plan_.name, field, date(time), date(end));
  });
  return true;
}

// Most often the last one is asked for.
std::optional<std::int64_t> Stream::known_record(Instant end) const noexcept {
  const auto known = std::find(ends_.rbegin(), ends_.rend(), end);
  if (known == ends_.rend()) return std::nullopt;
  return first_known_ + (ends_.rend() - known) - 1;
}

Stream::Folding Stream::begin(Output& output, const Sample& sample) {
  Open& open = output.open;
  const Instant step = sample.time - sample.before;
  if (!open.is || output.step == 0)
    output.step = step;
  else if (output.step != step)
    output.step = uneven;
  if (!open.is) {
    const Instant begin = stream_begin();
    open = {true, output.since, sample.time, 0, sample.time};
    if (boundaries_) {
      open.end = boundaries_->end_of(sample.time);
      open.begin = std::max(boundaries_->begin_of(sample.time), begin);
    }
  }
  ++open.samples;
  open.last = sample.time;
  if (!boundaries_) open.end = sample.time;
  const Instant since = std::max(sample.before, open.begin);
  const double weight = plan_.stream.weighted
                            ? static_cast<double>(sample.time - since) / static_cast<double>(microseconds_a_second)
                            : 1.0;
  return {output.accumulator.get(), weight};
}

void Stream::end(Output& output, const Sample& sample) {
  Open& open = output.open;
  const bool ended = boundaries_ ? sample.time == open.end : open.samples == plan_.stream.every.count;
  if (!ended) return;
  const CountedPuts counted(*this);
  const std::int64_t record = record_of(open.end, open.begin);
  if (output.accumulator) {
    put_result(output, record);
    output.accumulator->clear();
  } else {
    put_instant(output, record, sample);
  }
  output.since = open.end;
  open = {};
}

void Stream::end_unfinished() {
  if (!plan_.stream.unfinished) return;
  Instant begin = std::numeric_limits<Instant>::max(), end = std::numeric_limits<Instant>::min();
  for (const Output& output : outputs_) {
    if (!output.open.is || !output.accumulator) continue;
    begin = std::min(begin, output.open.begin);
    end = std::max(end, output.open.last);
  }
  if (end < begin) return;
  if (any_) end = std::max(end, last_end_);  // a field may be behind the others
  const CountedPuts counted(*this);
  const std::int64_t record = record_of(end, begin);
  for (Output& output : outputs_) {
    if (!output.open.is || !output.accumulator) continue;
    put_result(output, record);
    output.accumulator->clear();
    output.open = {};
  }
  for (const Output& output : outputs_) check_error(output);
}

void Stream::add_to(StreamCounts& counts) const noexcept {
  counts.fields += std::ssize(outputs_);
  counts.files += files_;
  counts.records += records_;
  counts.expected += plan_.stream.expected;
  counts.bytes_put += bytes_put_;
  for (const Output& output : outputs_)
    if (output.accumulator) counts.accumulator_bytes += output.accumulator->bytes();
  for (const Output& output : outputs_)
    if (output.plan.rounding) counts.largest_error = std::max(counts.largest_error, output.plan.rounding->largest());
}

// The record that ends at `end`, a new one unless another output has it already. Records of before are committed first,
// where `commit` says so: their bytes have been written while the model computed.
std::int64_t Stream::record_of(Instant end, Instant begin) {
  if (const auto known = known_record(end)) return *known;
  if (plan_.bounds_variable < 0) begin = end;
  if (needs_file(end))
    begin_file(end, begin);
  else if (commits_before(end))
    shared_.files.sync(*file_);
  const std::int64_t record = first_known_ + static_cast<std::int64_t>(ends_.size());
  ends_.push_back(end);
  begins_.push_back(begin);
  last_end_ = end;
  any_ = true;
  ++records_;
  put_time(record, end, begin);
  return record;
}

bool Stream::commits_before(Instant end) const {
  if (commit_boundaries_) return any_ && commit_boundaries_->end_of(last_end_) < end;
  return std::ssize(ends_) > 0 && (first_known_ + std::ssize(ends_)) % plan_.stream.commit.records == 0;
}

bool Stream::needs_file(Instant end) const {
  if (file_ == nullptr) return true;
  const Split& split = plan_.stream.split;
  const std::int64_t records = first_known_ + static_cast<std::int64_t>(ends_.size());
  if (split.interval) return label_of(end, end) != label_;
  if (split.records > 0) return records >= split.records;
  return split.bytes > 0 && records > 0 && plan_.fixed_bytes + (records + 1) * plan_.record_bytes > split.bytes;
}

// The date in the name of a record's file. What ends where a file's interval ends belongs to it; an instant at the
// run's begin belongs to the first. Of fields that count steps apart, an interval may begin before the last one ended:
// no file begins before that, or two would have one name.
Instant Stream::label_of(Instant end, Instant begin) const {
  if (split_boundaries_) return split_boundaries_->begin_of(std::max(end, stream_begin() + 1));
  return any_ ? std::max(begin, last_end_) : begin;
}

void Stream::begin_file(Instant end, Instant begin) {
  label_ = label_of(end, begin);
  const std::string path = expand_pattern(plan_.pattern, shared_.axis, label_, "", ends_of(split_boundaries_));
  require(path != path_, WEIR_ECONFIG,
          "stream {}: two files in turn are called {}; put a finer time into the name of its files", plan_.name, path);
  close();
  path_ = path;
  const bool refuses = plan_.stream.existing == ExistingFiles::refuse && !shared_.goes_on;
  file_ = &shared_.files.create(shared_.absolute(path), plan_.mode | (refuses ? WEIR_NOCLOBBER : WEIR_CLOBBER),
                                FileTable::Whose::streams, plan_.stream.done_marker);
  ++files_;
  const std::optional<Interval> step = common_step();
  file_->definitions().define([&](Schema& schema) { schema = step ? with_step(plan_, *step) : plan_.schema; });
  file_->definitions().enddef();
  std::iota(in_file_.begin(), in_file_.end(), 0);
  first_known_ = 0;
  ends_.clear();
  begins_.clear();
  put_fixed();
}

// The time between samples, if it is one for all samples of each field's last interval.
std::optional<Interval> Stream::common_step() const {
  Instant step = 0;
  for (const Output& output : outputs_) {
    if (output.step == uneven || (step != 0 && output.step != 0 && output.step != step)) return std::nullopt;
    if (output.step != 0) step = output.step;
  }
  return step > 0 ? std::optional(Interval{step, Interval::Unit::microseconds}) : std::nullopt;
}

void Stream::put_fixed() {
  for (const PlannedFixed& fixed : plan_.fixed) {
    const Field& field = shared_.fields.at(fixed.field);
    put_kept(in_file(fixed.variable), 0, field, fixed.kept, field.values_type, field.values.data());
  }
}

// The kept elements of a field, whose values are in the model's order.
void Stream::put_kept(int variable, std::int64_t record, const Field& field, const KeptIndices& kept, Type type,
                      const void* values) {
  if (field.layout < 0) return file_->puts().put_whole(variable, record, type, values);
  if (kept.empty()) return file_->puts().put(variable, record, field.layout, type, values);
  const SentPart& part = shared_.parts.at(field.layout, kept);
  std::vector<std::byte> gathered(static_cast<std::size_t>(part.held.elements() * type_bytes(type)));
  gather(part.held.runs, values, type_bytes(type), gathered.data());
  file_->puts().put(variable, record, part.layout, type, gathered.data());
}

void Stream::put_time(std::int64_t record, Instant end, Instant begin) {
  const bool middle = plan_.stream.stamp == TimeStamp::middle;
  const double time = shared_.axis.time(middle ? begin + (end - begin) / 2 : end);
  file_->puts().put_whole(in_file(plan_.time_variable), record, WEIR_DOUBLE, &time);
  if (plan_.bounds_variable < 0) return;
  const double bounds[2] = {shared_.axis.time(begin), shared_.axis.time(end)};
  file_->puts().put_whole(in_file(plan_.bounds_variable), record, WEIR_DOUBLE, bounds);
}

void Stream::put_result(Output& output, std::int64_t record) {
  const bool counts = output.plan.operation == Operation::count;
  values_.resize(static_cast<std::size_t>(output.part->held.elements()));
  output.accumulator->finish(plan_.stream.valid_fraction, counts ? 0 : std::numeric_limits<double>::quiet_NaN(),
                             values_);
  put_values(output, record, values_);
}

void Stream::put_instant(Output& output, std::int64_t record, const Sample& sample) {
  const SentPart& part = *output.part;
  if (output.plan.scale_factor || output.plan.rounding) {
    Accumulator converted(Operation::sum, part.held.elements());
    converted.fold(part.held.runs, sample.type, sample.values, 1.0, sample.missing);
    values_.resize(static_cast<std::size_t>(part.held.elements()));
    converted.finish(0, std::numeric_limits<double>::quiet_NaN(), values_);
    return put_values(output, record, values_);
  }
  put_kept(in_file(output.plan.variable), record, shared_.fields.at(output.plan.field), output.plan.kept, sample.type,
           sample.values);
}

// Packs or rounds values, where the variable is packed or its error bounded, and notes the errors.
void Stream::reduce(PlannedOutput& output, std::span<double> values) const {
  const double scale = output.scale_factor.value_or(1), offset = output.add_offset.value_or(0);
  const bool packs = output.scale_factor.has_value();
  const bool single = plan_.schema.variable(output.variable).type == WEIR_FLOAT;
  for (double& value : values) {
    const double given = value;
    value = packs ? std::nearbyint((given - offset) / scale) : output.rounding->rounded(given);
    if (single) value = static_cast<double>(static_cast<float>(value));
    if (output.rounding) output.rounding->note(given, packs ? value * scale + offset : value);
  }
}

void Stream::check_error(const Output& output) const {
  if (!output.plan.rounding) return;
  std::int64_t number = in_order(output.plan.rounding->largest());
  allreduce_max(shared_.model, std::span(&number, 1), shared_.context.pipeline.deadline(), "weir_send");
  const double largest = from_order(number);
  if (largest <= 1 + rounding_of_doubles) return;
  const ErrorBound& bound = output.plan.rounding->bound();
  const double shown = bound.relative ? 100 : 1;
  throw Error(
      WEIR_ERANGE,
      "stream {}: {} has values that cannot be kept within max_error: {}{}: the largest error is {}; give type: "
      "double, or a larger bound",
      plan_.name, plan_.schema.variable(output.plan.variable).name, shown * bound.most, bound.relative ? " %" : "",
      shown * largest * bound.most);
}

// NaN is what no sample has given: it becomes the fill value.
void Stream::put_values(Output& output, std::int64_t record, std::vector<double>& values) {
  if (output.plan.scale_factor || output.plan.rounding) reduce(output.plan, values);
  if (plan_.schema.variable(output.plan.variable).type == WEIR_INT64) {
    if (const auto whole = whole_numbers<std::int64_t>(output, values))
      return put_part(output, record, WEIR_INT64, whole->data());
  } else if (plan_.schema.variable(output.plan.variable).type == WEIR_UINT64) {
    if (const auto whole = whole_numbers<std::uint64_t>(output, values))
      return put_part(output, record, WEIR_UINT64, whole->data());
  }
  for (double& value : values)
    if (std::isnan(value)) value = output.plan.fill;
  put_part(output, record, WEIR_DOUBLE, values.data());
}

// Whole numbers of 64 bits, with a fill value that a double may not hold; nullopt if one of them does not fit.
template <class Whole>
std::optional<std::vector<Whole>> Stream::whole_numbers(const Output& output, std::span<const double> values) const {
  const auto least = static_cast<double>(std::numeric_limits<Whole>::min());
  const double end = std::ldexp(1.0, std::numeric_limits<Whole>::digits);
  Whole fill = 0;
  if (const Attribute* const given = plan_.schema.find_attribute(output.plan.variable, "_FillValue"))
    std::memcpy(&fill, given->values.data(), sizeof fill);
  std::vector<Whole> whole;
  whole.reserve(values.size());
  for (const double value : values) {
    if (value < least || value >= end) return std::nullopt;
    whole.push_back(std::isnan(value) ? fill : static_cast<Whole>(value));
  }
  return whole;
}

void Stream::put_part(const Output& output, std::int64_t record, Type type, const void* values) {
  const int variable = in_file(output.plan.variable);
  if (output.part->layout < 0)
    file_->puts().put_whole(variable, record, type, values);
  else
    file_->puts().put(variable, record, output.part->layout, type, values);
}

void Stream::check_expected() const {
  const std::int64_t expected = plan_.stream.expected;
  require(expected == 0 || records_ == expected, WEIR_ESTATE,
          "stream {}: it ends with {} record(s), and expected says {}; find what ended the run, or give expected the "
          "number that a run makes",
          plan_.name, records_, expected);
}

void Stream::close() {
  if (file_ != nullptr) shared_.files.close(*std::exchange(file_, nullptr));
}

Stream::Place Stream::place() const {
  Place place;
  place.any = any_;
  place.last_end = last_end_;
  place.path = path_;
  place.label = label_;
  place.records = file_ != nullptr ? first_known_ + static_cast<std::int64_t>(ends_.size()) : 0;
  return place;
}

// Where folders have dates too, all folders that may have one of the files are read.
std::vector<std::string> Stream::later_files() const {
  namespace fs = std::filesystem;
  if (!went_on_ || plan_.stream.split.never()) return {};
  const auto absolute = [this](const std::string& path) {
    return fs::path(shared_.absolute(path)).lexically_normal().native();
  };
  const std::string pattern = absolute(plan_.pattern);
  std::vector<std::string> found = {""};
  for (const fs::path& part : fs::path(pattern)) {
    std::vector<std::string> next;
    for (const std::string& above : found) {
      if (part.native().find_first_of("{}%") == std::string::npos) {
        next.push_back((fs::path(above) / part).native());
        continue;
      }
      std::error_code error;
      for (auto entry = fs::directory_iterator(above, error); !error && entry != fs::directory_iterator();
           entry.increment(error))
        next.push_back(entry->path().native());
    }
    found = std::move(next);
  }
  const EndOf ends = ends_of(split_boundaries_);
  const auto begin_of = [&](const std::string& path) { return instant_in(path, pattern, shared_.axis, ends); };
  const Instant begin = stream_begin();
  const std::string first = expand_pattern(plan_.pattern, shared_.axis, label_of(begin + 1, begin), "", ends);
  const std::optional<Instant> here = begin_of(absolute(any_ ? path_ : first));
  std::erase_if(found, [&](const std::string& path) {
    const std::optional<Instant> there = begin_of(path);
    std::error_code error;
    return !here || !there || (any_ ? *there <= *here : *there < *here) || (plan_.until && *there >= *plan_.until) ||
           !fs::exists(path, error);
  });
  return found;
}

void Stream::go_on(const Place& place) {
  went_on_ = true;
  any_ = place.any;
  last_end_ = place.last_end;
  path_ = place.path;
  label_ = place.label;
  if (place.records == 0) return;
  file_ = &shared_.files.open(shared_.absolute(place.path), WEIR_WRITE, place.records, plan_.stream.done_marker);
  ++files_;
  // Another library's order of variables, or a file that is not this stream's.
  for (std::size_t variable = 0; variable < in_file_.size(); ++variable) {
    const std::string& name = plan_.schema.variables()[variable].name;
    in_file_[variable] = file_->schema().find_variable(name);
    require(in_file_[variable] >= 0, WEIR_EFORMAT,
            "stream {}: {} has no variable {}, which the run before has written: give the stream another file, or put "
            "the file of that run back",
            plan_.name, place.path, name);
  }
  first_known_ = place.records - 1;
  ends_ = {place.last_end};
  begins_ = {unknown_begin};
}

}  // namespace weir
