// SPDX-License-Identifier: Apache-2.0
// A file's life: defining, writing, reading, closed.
#include "file/file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

#include "base/spelling.hpp"
#include "write/definition.hpp"
#include "write/group_record.hpp"
#include "write/trouble.hpp"
#include "write/visible.hpp"
#include "write/zarr/folder.hpp"

namespace weir {

namespace {

constexpr std::int64_t definitions_point = 201;
constexpr std::int64_t open_point = 202;
constexpr std::int64_t create_point = 203;
constexpr std::int64_t closing_point = 204;

// One of File::Settings as it is here and on rank 0.
std::string setting_in_words(std::size_t number, std::int64_t here, std::int64_t on_rank_0) {
  static constexpr const char* names[] = {"the fill mode", "header_free_bytes", "variable_align_bytes",
                                          "record_align_bytes"};
  static constexpr const char* modes[] = {"WEIR_FILL", "WEIR_NOFILL", "WEIR_COVER"};
  const auto show = [&](std::int64_t value) { return number == 0 ? modes[value] : std::to_string(value); };
  return std::string(names[number]) + " is " + show(here) + " here and " + show(on_rank_0) + " on rank 0";
}

}  // namespace

// Why rank 0 cannot make a file there. A link that leads nowhere is there all the same, and so is a file that a commit
// was about to publish.
Status create_trouble(const std::string& path, const std::string& resolved, int mode, int format) try {
  std::error_code none;
  if (mode & WEIR_NOCLOBBER) static_cast<void>(finish_group_commit(resolved));
  if ((mode & WEIR_NOCLOBBER) && std::filesystem::exists(std::filesystem::symlink_status(path, none)))
    return {WEIR_EIO, path + " exists, and WEIR_NOCLOBBER says not to replace it", -1};
  const auto trouble = format == zarr_format ? zarr_target_trouble(path) : target_trouble(path);
  return trouble ? Status{WEIR_EIO, *trouble, -1} : Status{};
} catch (const Error& error) {
  return {error.code(), error.what(), -1};
}

File::File(const Context& context, int serial, const std::string& path)
    : context_(context),
      alignment_{context.config.header_free_bytes, context.config.variable_align_bytes,
                 context.config.record_align_bytes} {
  file_.serial = serial;
  file_.path = path;
  file_.counting = context.layouts.counting();
}

File::~File() {
  context_.pipeline.leave(file_);
}

// From now on the path means one file, wherever the model goes.
Status File::resolve() try {
  require(!file_.path.empty(), WEIR_EARGUMENT, "a file needs a path");
  file_.resolved =
      context_.pipeline.storage().get([path = file_.path] { return resolved_path(path); }, "following " + file_.path);
  return {};
} catch (const Error& error) {
  return {error.code(), error.what(), file_.serial};
}

std::unique_ptr<File> File::create(const Context& context, int serial, const std::string& path, int mode) {
  std::unique_ptr<File> file(new File(context, serial, path));
  Status status = file->take_format(mode);
  status.merge(file->resolve());
  if (status.ok() && context.comm.rank() == 0)
    status = context.pipeline.storage().run(
        [path, resolved = file->file_.resolved, mode, format = file->format_asked_] {
          return create_trouble(path, resolved, mode, format);
        },
        "a look at " + path);
  status.subject = serial;
  const std::uint64_t signature = mix(mix(0, path), static_cast<std::uint64_t>(mode));
  const std::string call = "weir_create of " + path + mode_in_words(mode);
  context.pipeline.meet({create_point, signature, call, nullptr, true}, status, &file->file_);
  context.pipeline.enter(file->file_);
  return file;
}

std::unique_ptr<File> File::open(const Context& context, int serial, const std::string& path, int mode) {
  std::unique_ptr<File> file(new File(context, serial, path));
  file->commits_ = true;
  file->read_existing(mode);
  file->records_ = file->first_open_record_ = file->read_geometry_.records;
  file->state_ = State::reading;
  if (!(mode & WEIR_WRITE)) return file;
  context.pipeline.enter(file->file_);
  file->begin_writing(&file->read_geometry_);
  std::fill(file->fixed_complete_.begin(), file->fixed_complete_.end(), true);
  std::fill(file->put_by_.begin(), file->put_by_.end(), several_layouts);  // of an earlier run nobody knows them
  return file;
}

std::unique_ptr<File> File::attach(const Context& context, int serial, const Attached& attached,
                                   std::int64_t former_bytes) {
  std::unique_ptr<File> file(new File(context, serial, attached.path));
  file->former_bytes_ = former_bytes;
  file->resolve().raise();
  file->commits_ = file->file_.attached = true;
  file->fill_ = attached.fill;
  file->hints_ = attached.hints;
  file->file_.schema = attached.defined.schema;
  file->read_geometry_ = attached.defined.geometry;
  file->records_ = file->read_geometry_.records;
  context.pipeline.enter(file->file_);
  file->begin_writing(&file->read_geometry_);
  return file;
}

void File::read_existing(int mode) {
  Status status = resolve();
  std::vector<std::byte> schema, places, tables;
  if (status.ok() && context_.comm.rank() == 0) {
    try {
      const DefinedFile existing = read_definition_of(mode);
      if (tables_) tables = serialize(*tables_);
      schema = existing.schema.serialize();
      places = serialize(existing.geometry);
      const auto* identity = reinterpret_cast<const std::byte*>(&existing.identity);
      places.insert(places.end(), identity, identity + sizeof existing.identity);
      const auto* where = reinterpret_cast<const std::byte*>(&read_from_);
      places.insert(places.end(), where, where + sizeof read_from_);
    } catch (const Error& error) {
      status = {error.code(), error.what(), file_.serial};
    }
  }
  const std::string call = "weir_open of " + file_.path + mode_in_words(mode);
  const std::uint64_t signature = mix(mix(0, file_.path), static_cast<std::uint64_t>(mode));
  context_.pipeline.meet({open_point, signature, call, nullptr, true}, status, &file_);
  broadcast(context_.comm, schema, 0, context_.pipeline.deadline(), call);
  broadcast(context_.comm, places, 0, context_.pipeline.deadline(), call);
  file_.schema = Schema::deserialize(schema);
  const std::size_t words = places.size() - sizeof read_identity_ - sizeof read_from_;
  read_geometry_ = deserialize_geometry(std::span(places).first(words));
  std::memcpy(&read_identity_, places.data() + words, sizeof read_identity_);
  std::memcpy(&read_from_, places.data() + words + sizeof read_identity_, sizeof read_from_);
  if (context_.pipeline.machine().hosts() > 1) read_identity_.device = 0;
  if (read_geometry_.format != netcdf4_format && read_geometry_.format != zarr_format) return;
  broadcast(context_.comm, tables, 0, context_.pipeline.deadline(), call);
  tables_ = std::make_shared<const StoredTables>(deserialize_tables(tables));
}

// A late definition is a call of this rank alone, so the rank goes on with what the others do until they meet and hear.
void File::require_defining() {
  check_failure();
  if (state_ == State::defining) return;
  const Status late{WEIR_ESTATE,
                    "rank " + std::to_string(context_.comm.number()) + ": " + file_.path +
                        ": definitions have ended; define everything before weir_enddef, in a file of weir_create",
                    file_.serial};
  if (state_ == State::writing && refused_.ok()) context_.pipeline.note(late);
  refused_.merge(late);
  late.raise();
}

void File::set_fill(weir_fill_mode mode) {
  define([&](Schema&) {
    require(mode == WEIR_FILL || mode == WEIR_NOFILL || mode == WEIR_COVER, WEIR_EARGUMENT,
            std::to_string(mode) + " is no fill mode");
    fill_ = mode;
  });
}

void File::set_alignment(const Alignment& alignment) {
  define([&](Schema&) {
    require(
        alignment.header_free_bytes >= 0 && alignment.variable_align_bytes >= 0 && alignment.record_align_bytes >= 0,
        WEIR_EARGUMENT, "alignments are 0 or more bytes");
    if (alignment.header_free_bytes > 0) alignment_.header_free_bytes = alignment.header_free_bytes;
    if (alignment.variable_align_bytes > 0) alignment_.variable_align_bytes = alignment.variable_align_bytes;
    if (alignment.record_align_bytes > 0) alignment_.record_align_bytes = alignment.record_align_bytes;
  });
}

// What ranks must have set alike beside the definitions.
File::Settings File::settings() const noexcept {
  return {fill_, alignment_.header_free_bytes, alignment_.variable_align_bytes, alignment_.record_align_bytes};
}

void File::tell_definitions() {
  const std::vector<std::byte> schema = file_.schema.serialize();
  const Lead::Call call(context_.lead, Verb::define,
                        {file_.serial, fill_, alignment_.header_free_bytes, alignment_.variable_align_bytes,
                         alignment_.record_align_bytes},
                        schema);
}

void File::adopt(const Told& definition) {
  file_.schema = Schema::deserialize(definition.bytes);
  fill_ = static_cast<weir_fill_mode>(definition.words[1]);
  alignment_ = {definition.words[2], definition.words[3], definition.words[4]};
}

// Definitions are compared by signature; only where one differs are they sent, to say in words what differs.
void File::enddef() {
  tell_definitions();
  const Lead::Call call_of_all(context_.lead, Verb::enddef, {file_.serial});
  require_defining();
  std::vector<std::byte> definitions = file_.schema.serialize();
  const std::string_view text(reinterpret_cast<const char*>(definitions.data()), definitions.size());
  std::uint64_t signature = mix(mix(0, text), file_.path);
  for (const std::int64_t setting : settings()) signature = mix(signature, static_cast<std::uint64_t>(setting));
  const std::string call = "weir_enddef of " + file_.path;
  const Status common = context_.pipeline.ask({definitions_point, signature, call, nullptr}, refused_);
  if (common.ok()) return begin_writing(nullptr);
  const Point here{definitions_point, mix(0, file_.path), call, nullptr};
  Status status = common;
  if (common.code == WEIR_EMISMATCH) {
    context_.pipeline.meet(here, {}, &file_);  // is every rank here, and only its definitions differ?
    status = difference_from_rank_0(definitions, call);
  }
  context_.pipeline.meet(here, status, &file_);
  file_.failure = common;
  file_.failure.raise();
}

// In words; ok on a rank that has all as rank 0. Collective.
Status File::difference_from_rank_0(std::vector<std::byte>& definitions, std::string_view call) {
  Settings mine = settings(), first = mine;
  broadcast(context_.comm, definitions, 0, context_.pipeline.deadline(), call);
  broadcast(context_.comm, std::span(first), 0, context_.pipeline.deadline(), call);
  auto words =
      difference(file_.schema, Schema::deserialize(definitions), "rank " + std::to_string(context_.comm.number_of(0)));
  for (std::size_t i = 0; i < mine.size() && !words; ++i)
    if (mine[i] != first[i]) words = setting_in_words(i, mine[i], first[i]);
  if (!words) return {};
  return {WEIR_EMISMATCH, file_.path + ": rank " + std::to_string(context_.comm.number()) + ": " + *words,
          file_.serial};
}

OutputOptions File::output_options(bool append) const {
  return {file_.resolved,
          context_.config,
          context_.comm,
          context_.pipeline.storage(),
          context_.pipeline.writers(),
          context_.pipeline.machine().hosts(),
          format_asked_,
          append,
          file_.attached,
          alignment_,
          fill_,
          context_.storage,
          hints_,
          &context_.pipeline.machine(),
          &context_.pipeline.host(),
          &context_.pipeline.roll_call()};
}

void File::begin_writing(const Geometry* existing) {
  context_.pipeline.take_advice(file_);
  const OutputOptions options = output_options(existing != nullptr);
  try {
    make_output(options, existing);
  } catch (const Error& error) {
    file_.failure.merge({error.code(), error.what(), file_.serial});
    throw;
  }
  put_.resize(file_.schema.variables().size());
  fixed_complete_.assign(put_.size(), false);
  put_by_.assign(put_.size(), not_put);
  state_ = State::writing;
}

const Geometry& File::geometry() const noexcept {
  return file_.output ? file_.output->geometry() : read_geometry_;
}

const FileIdentity& File::identity() const noexcept {
  return file_.output ? file_.output->identity() : read_identity_;
}

void File::check_failure() const {
  file_.failure.raise();
}

// A put that is refused is lost, and a commit that is refused commits nothing: the file has failed by it.
void File::require_writing(const char* call) {
  check_failure();
  if (state_ == State::writing) return;
  const std::string why = state_ == State::defining ? " before weir_enddef" : " into a file opened with WEIR_NOWRITE";
  fail_here(Error(WEIR_ESTATE, file_.path + ": " + call + why));
}

int File::check_var(int var) const {
  const auto count = static_cast<int>(file_.schema.variables().size());
  require(var >= 0 && var < count, WEIR_EARGUMENT, [&] {
    return file_.path + " has no variable number " + file_.counting.number(var) + ": it has " + std::to_string(count) +
           ", counted from " + file_.counting.number(0);
  });
  return var;
}

std::optional<FileSummary> File::summary() const {
  if (!file_.output) return last_summary_;
  return FileSummary{file_.serial,
                     file_.path,
                     std::string(name(file_.output->sink_kind())),
                     file_.output->sink_reason(),
                     records_,
                     file_.output->bytes_written() + former_bytes_,
                     file_.output->compress_seconds(),
                     file_.attached && file_.failure.ok()};
}

// All ranks hear whether one of them took it for a file to write.
void File::end_reading() {
  const std::string call = "weir_close of " + file_.path;
  context_.pipeline.meet({closing_point, mix(0, file_.path), call, nullptr, true}, refused_, &file_);
}

// Of a file that has failed nothing is written any more, but what waits to be written knows it.
void File::end_writing(Ending ending) {
  if (!file_.failure.ok() || ending == Ending::is_committed)
    return context_.pipeline.flush("weir_close of " + file_.path);
  file_.attached ? land(false) : commit("weir_close");
}

void File::sync() {
  const Lead::Call call(context_.lead, Verb::sync, {file_.serial});
  require_writing("weir_sync");
  commit("weir_sync");
}

void File::close(Ending ending) {
  if (state_ == State::defining) tell_definitions();
  const Lead::Call call(context_.lead, Verb::close, {file_.serial});
  Status status = file_.failure;
  try {
    if (state_ == State::defining && status.ok()) enddef();
    if (state_ == State::reading) end_reading();
    if (state_ == State::writing) end_writing(ending);
  } catch (const Error& error) {
    if (ends_instance(error.code())) throw;
    status.merge({error.code(), error.what(), file_.serial});
  }
  leave();
  status.raise();
}

void File::leave() {
  last_summary_ = summary();
  const bool failed = !file_.failure.ok() || state_ == State::defining;
  state_ = State::closed;
  context_.pipeline.leave(file_);
  end_source();
  if (file_.output) end_output(failed && !file_.attached);
}

// By the thread that makes calls to storage, which closes what the call has to itself; not where that calls MPI.
void File::end_output(bool discards) {
  std::shared_ptr<OutputFile> output(std::move(file_.output));
  output->prepare_end();
  const bool beside = output->stores() && !output->collective();
  StorageCalls::Call end = [output, discards] {
    if (discards) output->discard();
    return Status();
  };
  output.reset();
  static_cast<void>(beside ? context_.pipeline.storage().run(std::move(end), "closing " + file_.path) : end());
}

}  // namespace weir
