// SPDX-License-Identifier: Apache-2.0
#include "streams/feed.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.hpp"
#include "calendar/interval.hpp"
#include "file/layout_calls.hpp"
#include "streams/ordered_number.hpp"

namespace weir {

namespace {

std::string text_of(const Schema& schema, int var, std::string_view name) {
  const Attribute* const found = schema.find_attribute(var, name);
  return found != nullptr && found->type == WEIR_CHAR ? text_of(*found) : "";
}

bool is_number(Type type) {
  return type != WEIR_CHAR && type != WEIR_STRING;
}

// The names of a variable's dimensions, without that of its records.
std::vector<std::string> dimension_names(const Schema& schema, int var) {
  std::vector<std::string> names;
  for (const int dim : schema.variable(var).dims)
    if (dim != schema.record_dimension()) names.push_back(schema.dimensions()[static_cast<std::size_t>(dim)].name);
  return names;
}

StreamsConfig alone(const StreamConfig& stream, const std::string& place) {
  StreamsConfig config;
  config.streams = {stream};
  config.place = place;
  return config;
}

}  // namespace

Feed::Feed(const Context& context, const Comm& model, FileTable& files, StreamConfig config, const std::string& place,
           const std::string& folder)
    : context_(context),
      model_(model),
      config_(std::move(config)),
      streams_(context, model, files, alone(config_, place), folder) {}

template <class Body>
void Feed::unless_failed(Body body) {
  if (!failure_.ok()) return;
  try {
    body();
  } catch (const Error& error) {
    const std::string prefix = formatted("stream {}: ", config_.name), what = error.what();
    const std::string sentence = what.starts_with("stream ") ? what : prefix + what;
    failure_ = {error.code(), sentence};
    waiting_.clear();
    throw Error(error.code(), sentence, error.where());
  }
}

void Feed::take(const OpenFile& file, int var, const Put& put) {
  unless_failed([&] {
    Source& source = source_of(file);
    if (var == source.time) {
      source.times[put.record] = shared_number(file, var, put);
      send_waiting(file, source);
    } else if (file.schema.is_record(var)) {
      if (source.fields[static_cast<std::size_t>(var)] != other) take_variable(file, source, var, put);
    } else if (!started_ && is_number(file.schema.variable(var).type)) {
      const auto [entry, is_new] = fixed_.try_emplace(var);
      if (is_new) entry->second = copy(put);
      entry->second.in_parts = !is_new;
    }
  });
}

void Feed::finish() {
  Status status = failure_;
  if (started_) attempt(status, [&] { streams_.finish(); });
  status.raise();
}

// Of the file that feeds the stream now. Another one may come when that is closed.
Feed::Source& Feed::source_of(const OpenFile& file) {
  if (source_ && source_->serial == file.serial) {
    source_->fields.resize(file.schema.variables().size(), other);  // weir_redef may have added some
    return *source_;
  }
  require(!source_, WEIR_EARGUMENT, "{} is put into while another file that of: {} names is open; close that first",
          file.path, config_.of);
  const Schema& schema = file.schema;
  const int dim = schema.record_dimension();
  require(dim >= 0, WEIR_EARGUMENT, "{} has no dimension of records, so of: {} has no samples there; name another file",
          file.path, config_.of);
  const std::string& name = schema.dimensions()[static_cast<std::size_t>(dim)].name;
  const int time = schema.find_variable(name);
  const bool usable = time >= 0 && schema.variable(time).dims == std::vector<int>{dim} &&
                      is_number(schema.variable(time).type) && !text_of(schema, time, "units").empty() &&
                      schema.find_attribute(time, "scale_factor") == nullptr;
  require(
      usable, WEIR_EARGUMENT,
      "{} has no coordinate variable of numbers {}({}) with an attribute units (\"hours since 1990-01-01\"), so its "
      "records have no times; define it, or leave of: {} out",
      file.path, name, name, config_.of);
  Source source{file.serial, time, TimeAxis(text_of(schema, time, "units"), text_of(schema, time, "calendar")), {}, {}};
  const std::string bounds = text_of(schema, time, "bounds");
  for (int var = 0; var < std::ssize(schema.variables()); ++var) {
    const Variable& variable = schema.variable(var);
    const bool is_sample = schema.is_record(var) && var != time && variable.name != bounds && takes(variable);
    const auto known = numbers_.find(variable.name);
    source.fields.push_back(!is_sample ? other : !started_ ? to_come : known == numbers_.end() ? other : known->second);
  }
  newest_.clear();
  return source_.emplace(std::move(source));
}

bool Feed::takes(const Variable& variable) const {
  return is_number(variable.type) &&
         std::any_of(config_.fields.begin(), config_.fields.end(), [&](const FieldChoice& choice) {
           return choice.of.empty() ? ::fnmatch(choice.name.c_str(), variable.name.c_str(), 0) == 0
                                    : choice.of == variable.name;
         });
}

void Feed::take_variable(const OpenFile& file, Source& source, int var, const Put& put) {
  const std::string& name = file.schema.variable(var).name;
  const auto before = newest_.find(var);
  require(before == newest_.end() || before->second < put.record, WEIR_EARGUMENT,
          "record {} of {} comes after record {} of it: a stream takes each record of a variable in one put, in "
          "ascending order",
          put.record, name, before == newest_.end() ? 0 : before->second);
  if (!started_ && before != newest_.end()) start(file, source);
  newest_[var] = put.record;
  const bool timed = source.times.contains(put.record);
  if (started_ && timed) return send(file, source, var, put);
  require(!started_ || before == newest_.end() || !waiting_.contains({before->second, var}), WEIR_EARGUMENT,
          "record {} of {} is put, and record {} has no time yet: put the time of a record before the next record",
          put.record, name, before == newest_.end() ? 0 : before->second);
  waiting_[{put.record, var}] = copy(put);
  if (!started_ && first_record_is_complete(file, source)) start(file, source);
}

bool Feed::first_record_is_complete(const OpenFile& file, const Source& source) const {
  if (waiting_.empty()) return false;
  const std::int64_t record = waiting_.begin()->first.first;
  if (!source.times.contains(record)) return false;
  for (int var = 0; var < std::ssize(file.schema.variables()); ++var)
    if (source.fields[static_cast<std::size_t>(var)] != other && !waiting_.contains({record, var})) return false;
  return true;
}

// With the variables whose first record waits.
void Feed::start(const OpenFile& file, Source& source) {
  const std::int64_t record = waiting_.begin()->first.first;
  require(source.times.contains(record), WEIR_EARGUMENT,
          "record {} of {} has no time: put the time of each record before the next record", record, file.path);
  for (const auto& [var, kept] : fixed_) {
    if (kept.in_parts) continue;
    const int field = define(file, var, kept);
    if (decompositions_.at(field).own >= 0) {
      streams_.definitions().set_field(field, kept.type, kept.values.data());
    } else {
      const double value = shared_number(file, var, {0, kept.layout, kept.type, kept.values.data()});
      streams_.definitions().set_field(field, WEIR_DOUBLE, &value);
    }
  }
  fixed_.clear();
  for (std::size_t var = 0; var < source.fields.size(); ++var) {
    if (source.fields[var] != to_come) continue;
    const auto first = waiting_.find({record, static_cast<int>(var)});
    source.fields[var] = first == waiting_.end() ? other : define(file, static_cast<int>(var), first->second);
  }
  std::erase_if(waiting_, [&](const auto& entry) {
    return source.fields[static_cast<std::size_t>(entry.first.second)] == other;
  });
  for (const Attribute& attribute : file.schema.attributes(WEIR_GLOBAL))
    if (attribute.name != "Conventions")
      streams_.definitions().put_attribute(WEIR_GLOBAL, Name::stored(attribute.name), attribute.type, attribute.count,
                                           attribute.values.data());
  start_streams(source, record);
  send_waiting(file, source);
}

void Feed::start_streams(const Source& source, std::int64_t record) {
  axis_ = source.axis;
  const Instant first = axis_->instant(source.times.at(record));
  const Boundaries boundaries(*axis_, config_.every, AlignedTo::calendar, first);
  const Instant begin = boundaries.end_of(first) == first ? first : boundaries.begin_of(first);
  streams_.start(axis_->units(), name(axis_->calendar()), axis_->time(begin));
  started_ = true;
}

int Feed::define(const OpenFile& file, int var, const Kept& kept) {
  const Variable& variable = file.schema.variable(var);
  for (const char* const packing : {"scale_factor", "add_offset"})
    require(!file.schema.is_record(var) || file.schema.find_attribute(var, packing) == nullptr, WEIR_EARGUMENT,
            "{} of {} is packed ({}), and operations take values; leave it out of fields", variable.name, file.path,
            packing);
  const std::vector<std::string> dimensions = dimension_names(file.schema, var);
  int own = -1;
  if (!dimensions.empty()) {
    const Layout layout = context_.layouts.at(kept.layout);
    own = add_layout(context_, layout.shape(), layout, {});
  }
  const int field = streams_.definitions().define_field(variable.name, variable.type, dimensions, own);
  for (const Attribute& attribute : variable.attributes)
    streams_.definitions().put_attribute(field, Name::stored(attribute.name), attribute.type, attribute.count,
                                         attribute.values.data());
  numbers_[variable.name] = field;
  decompositions_[field] = {kept.layout, own};
  return field;
}

// In the order of records, those whose time is known.
void Feed::send_waiting(const OpenFile& file, Source& source) {
  if (!started_) {
    if (first_record_is_complete(file, source)) start(file, source);
    return;
  }
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto [record, var] = next->first;
    if (!source.times.contains(record)) {
      ++next;
      continue;
    }
    const Kept kept = std::move(next->second);
    next = waiting_.erase(next);
    send(file, source, var, {record, kept.layout, kept.type, kept.values.data()});
  }
}

void Feed::send(const OpenFile& file, Source& source, int var, const Put& put) {
  const int field = source.fields[static_cast<std::size_t>(var)];
  const double time = source.times.at(put.record);
  const double in_stream = source.axis == *axis_ ? time : axis_->time(source.axis.instant(time));
  if (decompositions_.at(field).own < 0) {
    const double value = shared_number(file, var, put);
    return streams_.send(field, in_stream, WEIR_DOUBLE, &value);
  }
  require_decomposition(file, var, put);
  streams_.send(field, in_stream, put.type, put.values);
}

void Feed::require_decomposition(const OpenFile& file, int var, const Put& put) {
  Decomposition& known = decompositions_.at(source_->fields[static_cast<std::size_t>(var)]);
  if (known.of_program == put.layout) return;
  std::int64_t differs = context_.layouts.at(put.layout) == context_.layouts.at(known.own) ? 0 : 1;
  allreduce_max(model_, std::span(&differs, 1), context_.pipeline.deadline(), formatted("put into {}", file.path));
  require(
      differs == 0, WEIR_EARGUMENT,
      "record {} of {} is put by another decomposition than the first record was; put all records of it by the same",
      put.record, file.schema.variable(var).name);
  known.of_program = put.layout;
}

// Of the one element of a record, on the rank that holds it.
std::int64_t Feed::number_held(const Put& put) const {
  const Layout& layout = context_.layouts.at(put.layout);
  if (layout.elements_held() == 0) return no_number;
  return in_order(number_at(put.type, put.values + layout.base(0) * type_bytes(put.type)));
}

double Feed::shared_number(const OpenFile& file, int var, const Put& put) const {
  std::int64_t number = number_held(put);
  allreduce_max(model_, std::span(&number, 1), context_.pipeline.deadline(), formatted("put into {}", file.path));
  require(number != no_number, WEIR_EARGUMENT, "no rank holds record {} of {} in {}; put it on one of them", put.record,
          file.schema.variable(var).name, file.path);
  return from_order(number);
}

Feed::Kept Feed::copy(const Put& put) const {
  const std::int64_t bytes = context_.layouts.at(put.layout).buffer_length() * type_bytes(put.type);
  return {put.layout, put.type,
          put.values == nullptr ? std::vector<std::byte>() : std::vector(put.values, put.values + bytes)};
}

void Feed::end_source(const OpenFile& file) {
  unless_failed([&] {
    if (!source_ || source_->serial != file.serial) return;
    if (!started_ && !waiting_.empty()) start(file, *source_);
    require(waiting_.empty(), WEIR_EARGUMENT, "record {} of {} has no time: put the time of each record",
            waiting_.empty() ? 0 : waiting_.begin()->first.first, file.path);
    source_.reset();
    fixed_.clear();
    streams_.sync_own();
  });
}

void Feed::forget_source(const OpenFile& file) noexcept {
  if (!source_ || source_->serial != file.serial) return;
  source_.reset();
  fixed_.clear();
  waiting_.clear();
}

}  // namespace weir
