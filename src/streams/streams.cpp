// SPDX-License-Identifier: Apache-2.0
#include "streams/streams.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "base/host_memory.hpp"
#include "base/text.hpp"
#include "calendar/whole_division.hpp"
#include "commit/done_marker.hpp"
#include "formats/zarr/folder.hpp"
#include "streams/ordered_number.hpp"
#include "streams/restart_file.hpp"

namespace weir {

namespace {

// A model that adds its step to its time again and again drifts from whole milliseconds by some microseconds.
Instant steady(Instant time, Instant before) noexcept {
  constexpr Instant millisecond = microseconds_a_second / 1000;
  if (time - before < microseconds_a_second) return time;
  const Instant rest = remainder_of(time, millisecond);
  return rest < millisecond / 2 ? time - rest : time - rest + millisecond;
}

}  // namespace

Streams::Streams(const Context& context, const Comm& model, FileTable& files, StreamsConfig config, std::string folder)
    : context_(context),
      model_(model),
      files_(files),
      config_(std::move(config)),
      folder_(std::move(folder)),
      definitions_(context.comm, context.layouts),
      fields_(definitions_.fields()),
      parts_(context_, fields_) {}

FieldDefinitions& Streams::definitions() {
  require(!axis_, WEIR_ESTATE, "fields are defined before weir_start_streams");
  return definitions_;
}

void Streams::start(std::string_view units, std::string_view calendar, double start) {
  require(!shared_, WEIR_ESTATE, "weir_start_streams is called once");
  Status status = definitions_.refused();
  std::optional<TimeAxis> axis;
  Instant begin = 0;
  attempt(status, [&] {
    axis.emplace(units, calendar);
    begin = axis->instant(start);
  });
  status.scope = {Scope::this_call};
  const std::string times = formatted("times in \"{}\", calendar \"{}\", from {}", units, calendar, start);
  const std::function<std::vector<std::string>()> history = [&] {
    std::vector<std::string> lines = definitions_.in_words();
    lines.insert(lines.begin(), times);
    return lines;
  };
  agree(AgreementPoint::start_streams, mix(definitions_.signature(), times), &history, std::move(status));
  axis_ = axis;
  shared_.emplace(StreamContext{context_, files_, model_, fields_, *axis_, begin, begin, false, folder_, parts_});
  last_.assign(static_cast<std::size_t>(fields_.count()), begin);
  sent_.assign(last_.size(), Type{});
  missing_.resize(last_.size());
  targets_.resize(last_.size());
  latest_ = begin;
  try {
    if (!config_.streams.empty()) begin_or_go_on(begin);
  } catch (const Error&) {
    // weir_finalize makes nothing of streams that have begun in part.
    for (auto& targets : targets_) targets.clear();
    streams_.clear();
    shared_.reset();
    throw;
  }
}

void Streams::begin_or_go_on(Instant begin) {
  File* kept = nullptr;
  if (const std::optional<std::string> path = restart_path(begin)) {
    kept = &files_.open(shared_->absolute(*path), WEIR_NOWRITE);
    const RestartHead head = RestartHead::of(*kept);
    require(head.units == axis_->units() && head.calendar == name(axis_->calendar()), WEIR_ECONFIG,
            "{} has times in \"{}\", calendar {}, and this run has \"{}\", calendar {}: give the same", *path,
            head.units, head.calendar, axis_->units(), name(axis_->calendar()));
    require(head.time == begin, WEIR_ECONFIG,
            "{} is of {}, and this run begins at {}: begin there, put {{time}} into the key restart so that each time "
            "has a file of its own, or remove it to begin anew",
            *path, axis_->in_words(head.time), axis_->in_words(begin));
    shared_->begun = head.begun;
    shared_->goes_on = true;
    for (std::size_t field = 0; field < last_.size(); ++field)
      if (const auto known = head.last.find(fields_.all()[field].name); known != head.last.end())
        last_[field] = known->second;
  }
  std::vector<PlannedFile> plans = plan_streams(
      config_, fields_, *axis_, shared_->begun, [this](int field) { return coordinate_values(field); },
      definitions_.attributes());
  parts_.make(plans);
  require_memory(plans);
  begin_streams(std::move(plans));
  if (kept == nullptr) return;
  for (const std::string& note : read_restart(*shared_, *kept, streams_))
    if (context_.comm.rank() == 0) std::fprintf(stderr, "weir: %s\n", note.c_str());
  files_.close(*kept);
  remove_later_files();
}

// The run before may have gone beyond the restart file: the files that it began after that are no part of this run.
void Streams::remove_later_files() const {
  Status status;
  if (context_.comm.rank() == 0)
    for (const auto& stream : streams_) {
      std::vector<std::string> later;
      attempt(status, [&] { later = stream->later_files(); });
      for (const std::string& path : later) {
        const auto remove = [path] {
          if (Status unmarked = remove_marker(path, MarkerOf::weir); !unmarked.ok()) return unmarked;
          std::error_code error;
          if (is_zarr_folder(path))
            std::filesystem::remove_all(path, error);
          else if (!std::filesystem::is_directory(path))
            std::filesystem::remove(path, error);
          return error ? Status{WEIR_EIO,
                                formatted(
                                    "\"{}\" begins after the restart file's time and cannot be removed: {}; remove it",
                                    path, error.message())}
                       : Status();
        };
        attempt(status, [&] { context_.pipeline.storage().run(remove, formatted("removing {}", path)).raise(); });
      }
    }
  status.scope = {Scope::this_call};
  agree(AgreementPoint::streams_later_files, 0, nullptr, std::move(status));
}

// The elements of a one-dimensional field, which some ranks hold.
std::vector<double> Streams::coordinate_values(int number) const {
  const Field& field = fields_.at(number);
  const std::int64_t length = field.shape.empty() ? 1 : field.shape.front();
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(length), no_number);
  const Layout& layout = context_.layouts.at(field.layout);
  for (std::size_t piece = 0; piece < layout.pieces().size(); ++piece) {
    const Box box = layout.pieces()[piece];
    for (std::int64_t i = box.lo[0]; i < box.hi[0]; ++i) {
      const std::int64_t at = layout.base(piece) + (i - box.lo[0]) * layout.memory_strides(piece)[0];
      numbers[static_cast<std::size_t>(i)] =
          in_order(number_at(field.values_type, field.values.data() + at * type_bytes(field.values_type)));
    }
  }
  allreduce_max(model_, numbers, context_.pipeline.deadline(), "weir_start_streams");
  std::vector<double> values;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    require(numbers[i] != no_number, WEIR_EARGUMENT, "no rank holds element {} of the coordinate {}: set all of it", i,
            field.name);
    values.push_back(from_order(numbers[i]));
  }
  return values;
}

// What the field's attributes say of samples of a type.
Missing Streams::missing(const Field& field, Type type) {
  for (const char* const name : {"_FillValue", "missing_value"})
    for (const Attribute& attribute : field.attributes) {
      if (attribute.name != name || attribute.type == WEIR_CHAR || attribute.count < 1) continue;
      Missing missing;
      missing.has_value = true;
      missing.value = number_at(attribute.type, attribute.values.data());
      if (type == WEIR_INT64 || type == WEIR_UINT64)
        with_type(attribute.type, [&](auto value) {
          std::memcpy(&value, attribute.values.data(), sizeof value);
          missing.whole = static_cast<std::int64_t>(value);
        });
      return missing;
    }
  return {};
}

void Streams::begin_streams(std::vector<PlannedFile> plans) {
  for (PlannedFile& plan : plans) {
    std::vector<Stream::Output> outputs;
    for (const PlannedOutput& planned : plan.outputs) {
      Stream::Output output;
      output.part = &parts_.at(fields_.at(planned.field).layout, planned.kept);
      output.plan = planned;
      if (planned.operation != Operation::instant)
        output.accumulator = std::make_unique<Accumulator>(planned.operation, output.part->held.elements());
      outputs.push_back(std::move(output));
    }
    streams_.push_back(std::make_unique<Stream>(*shared_, std::move(plan), std::move(outputs)));
    Stream& stream = *streams_.back();
    for (Stream::Output& output : stream.outputs())
      targets_[static_cast<std::size_t>(output.plan.field)].push_back({&stream, &output});
  }
}

void Streams::require_memory(const std::vector<PlannedFile>& plans) const {
  std::int64_t bytes = 0;
  for (const PlannedFile& plan : plans)
    for (const PlannedOutput& output : plan.outputs) {
      const std::int64_t elements = parts_.at(fields_.at(output.field).layout, output.kept).held.elements();
      const auto arrays = std::ssize(Accumulator::state_names(output.operation));
      bytes += elements * arrays * static_cast<std::int64_t>(sizeof(double));
    }
  const std::int64_t usable = usable_memory_bytes();
  Status status;
  if (bytes > usable)
    status = {WEIR_EMEMORY,
              formatted("rank {}: the accumulators of the streams take up to {} bytes, and the job may use {} on its "
                        "host: use more ranks, or fewer operations",
                        context_.comm.number(), bytes, usable),
              {Scope::this_call}};
  agree(AgreementPoint::streams_memory, 0, nullptr, std::move(status));
}

std::optional<std::string> Streams::restart_path(Instant time) const {
  if (config_.restart.empty()) return std::nullopt;
  const std::string path = expand_pattern(config_.restart, *axis_, time, "");
  const bool mine = context_.comm.rank() == 0 && ::access(shared_->absolute(path).c_str(), F_OK) == 0;
  const bool is_there = broadcast_value(model_, mine, 0, context_.pipeline.deadline(), "weir_start_streams");
  return is_there ? std::optional(path) : std::nullopt;
}

// An agreement in weir_start_streams. Servers take part, as in all of the pipeline's.
void Streams::agree(AgreementPoint point, std::uint64_t signature,
                    const std::function<std::vector<std::string>()>* history, Status mine) const {
  constexpr std::string_view call = "weir_start_streams";
  const CallBroadcast::Call broadcast(context_.call_broadcast, CallKind::agree,
                                      {static_cast<std::int64_t>(point), static_cast<std::int64_t>(signature)},
                                      std::as_bytes(std::span(call)));
  context_.pipeline.agreement().agree_at({point, signature, call, history, true}, std::move(mine));
}

void Streams::require_started(const char* call) const {
  require(shared_.has_value(), WEIR_ESTATE, "{} comes after weir_start_streams", call);
}

void Streams::send(int number, double time, Type type, const void* values) {
  require_started("weir_send");
  const Field& field = fields_.at(number);
  const auto n = static_cast<std::size_t>(number);
  try {
    require(!field.fixed, WEIR_ESTATE, "the field {} is fixed: weir_set_field has set it once for all", field.name);
    const Instant at = steady(axis_->instant(time), last_[n]);
    if (at == shared_->start && shared_->goes_on && last_[n] == at) return;  // the run before has sent it
    require(at > last_[n] || (at == shared_->start && sent_[n] == Type{}), WEIR_EARGUMENT, [&] {
      return formatted("the field {} is sent for {} after it was sent for {}: the times of a field ascend", field.name,
                       axis_->in_words(at), axis_->in_words(last_[n]));
    });
    const std::int64_t length =
        field.layout < 0 ? (context_.comm.rank() == 0 ? 1 : 0) : context_.layouts.at(field.layout).buffer_length();
    const Status usable =
        !type_is_valid(type) || type == WEIR_CHAR
            ? Status{WEIR_EARGUMENT, formatted("the field {} is sent in a type that is no number", field.name)}
        : values == nullptr && length > 0
            ? Status{WEIR_EARGUMENT, formatted("the values of the field {} are NULL", field.name)}
            : Status{};
    if (!usable.ok()) {
      context_.pipeline.agreement().fall_out_of_sync(usable);
      usable.raise();
    }
    std::vector<Target> targets;
    for (const Target& target : targets_[n])
      if (target.stream->takes(*target.output, at)) targets.push_back(target);
    if (sent_[n] != type) missing_[n] = missing(field, type);
    const Sample sample{at, last_[n], type, values, missing_[n]};
    last_[n] = at;
    sent_[n] = type;
    latest_ = std::max(latest_, at);
    if (std::any_of(targets.begin(), targets.end(),
                    [&](const Target& each) { return each.stream->wants(*each.output, at); })) {
      const std::int64_t held = field.layout < 0 ? length : context_.layouts.at(field.layout).elements_held();
      bytes_sent_ += held * type_bytes(type);
    }
    fold(targets, sample);
    for (const Target& target : targets) target.stream->end(*target.output, sample);
    for (const Target& target : targets)
      if (!target.output->open.is) target.stream->check_error(*target.output);
  } catch (const Error& error) {
    failure_.merge({error.code(), error.what()});
    throw;
  }
}

// All that takes the same elements in one pass. Instants are not folded.
void Streams::fold(const std::vector<Target>& targets, const Sample& sample) {
  std::optional<Span> span;
  if (std::any_of(targets.begin(), targets.end(),
                  [](const Target& each) { return each.output->accumulator != nullptr; }))
    span.emplace(context_.trace.main(), Step::accumulate, context_.pipeline.tally().accumulate_seconds,
                 Detail{.bytes = 0});
  std::vector<Accumulator*> together;
  for (std::size_t i = 0; i < targets.size();) {
    const SentPart* const part = targets[i].output->part;
    double weight = 1;
    const auto pass = [&] {
      if (together.empty()) return;
      fold_all(together, part->held.runs, sample.type, sample.values, weight, sample.missing);
      span->detail().bytes += part->held.elements() * type_bytes(sample.type);
      together.clear();
    };
    for (; i < targets.size(); ++i) {
      if (targets[i].output->part != part) break;
      const Stream::Folding folding = targets[i].stream->begin(*targets[i].output, sample);
      if (folding.accumulator == nullptr) continue;
      if (folding.weight != weight) pass();
      weight = folding.weight;
      together.push_back(folding.accumulator);
    }
    pass();
  }
}

bool Streams::wanted(int field, double time) const {
  require_started("weir_field_wanted");
  fields_.at(field);
  const Instant at = steady(axis_->instant(time), last_[static_cast<std::size_t>(field)]);
  const auto& targets = targets_[static_cast<std::size_t>(field)];
  return std::any_of(targets.begin(), targets.end(),
                     [&](const Target& target) { return target.stream->wants(*target.output, at); });
}

// A restart file of this time, left open; nullptr: none is asked for, or nothing was sent.
File* Streams::keep_unfinished() {
  if (!shared_ || config_.restart.empty() || latest_ == shared_->start) return nullptr;
  return &write_restart(*shared_, expand_pattern(config_.restart, *axis_, latest_, ""), latest_, last_, streams_);
}

// Zarr folders take part in no commit of several files. They are committed before: a restart goes back to the records
// that the restart file names.
void Streams::commit(File* kept) {
  std::vector<const File*> committed;
  for (const auto& stream : streams_) {
    if (stream->file() == nullptr || stream->file()->format() != zarr_format) continue;
    files_.sync(*stream->file());
    committed.push_back(stream->file());
  }
  Status status;
  attempt(status, [&] { files_.sync_all(committed); });
  if (kept != nullptr) attempt(status, [&] { files_.close(*kept); });
  status.raise();
}

void Streams::sync_own() {
  for (const auto& stream : streams_)
    if (stream->file() != nullptr) files_.sync(*stream->file());
}

void Streams::sync_all() {
  commit(keep_unfinished());
}

// The restart file knows nothing of the records of unfinished intervals: a run that goes on writes them whole.
void Streams::finish() {
  Status status = failure_;
  File* kept = nullptr;
  attempt(status, [&] { kept = keep_unfinished(); });
  for (const auto& stream : streams_) attempt(status, [&] { stream->end_unfinished(); });
  if (shared_ && !config_.restart.empty()) attempt(status, [&] { commit(kept); });
  for (const auto& stream : streams_) attempt(status, [&] { stream->close(); });
  attempt(status, [&] { check_expected(); });
  status.raise();
}

// Of streams that have not begun, too, unless weir_start_streams has refused them.
void Streams::check_expected() const {
  for (const auto& stream : streams_) stream->check_expected();
  for (const StreamConfig& stream : config_.streams)
    require(
        axis_ || stream.expected == 0, WEIR_ESTATE,
        "stream {}: it has not begun, and expected says {} records; let the model call weir_start_streams, or leave "
        "expected out{}",
        stream.name, stream.expected, origin_of(config_.place, stream.line));
}

StreamsCounts Streams::counts() const {
  StreamsCounts all;
  all.bytes_sent = bytes_sent_;
  for (const StreamConfig& config : config_.streams) {
    StreamCounts& counts = all.streams.emplace_back();
    counts.name = config.name;
    for (const auto& stream : streams_)
      if (stream->name() == config.name) stream->add_to(counts);
  }
  return all;
}

}  // namespace weir
