// SPDX-License-Identifier: Apache-2.0
// Creates, defines, opens and closes a file.
#include "file/file.hpp"

#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "commit/done_marker.hpp"
#include "commit/group_record.hpp"
#include "file/opening.hpp"
#include "formats/classic/visible.hpp"
#include "formats/zarr/folder.hpp"
#include "schema/name.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

// Why rank 0 cannot make a file there, which its sink keeps or does not; else the file of that name loses its marker. A
// link that leads nowhere is there all the same, and so is a file that a commit was about to publish.
Status create_problem(const std::string& path, const std::string& resolved, int mode, int format, bool keeps,
                      MarkerOf marker) try {
  std::error_code none;
  if (mode & WEIR_NOCLOBBER) static_cast<void>(finish_group_commit(resolved));
  if ((mode & WEIR_NOCLOBBER) && std::filesystem::exists(std::filesystem::symlink_status(path, none)))
    return {WEIR_EIO, formatted("{} exists, and WEIR_NOCLOBBER says not to replace it", path)};
  auto problem = format == zarr_format ? zarr_target_problem(path) : target_problem(path);
  if (!problem && keeps) problem = name_problem(resolved);
  if (problem) return {WEIR_EIO, *problem};
  return keeps ? remove_marker(resolved, marker) : Status{};
} catch (const Error& error) {
  return {error.code(), error.what()};
}

}  // namespace

File::File(const Context& context, int serial, const std::string& path)
    : state_(context, serial, path),
      context_(state_.context),
      file_(state_.file),
      sources_(state_),
      definitions_(state_),
      puts_(state_),
      gets_(state_, sources_),
      commits_(state_, sources_) {}

File::~File() {
  context_.pipeline.leave(file_);
}

std::unique_ptr<File> File::create(const Context& context, int serial, const std::string& path, int mode,
                                   Afterwards afterwards) {
  std::unique_ptr<File> file(new File(context, serial, path));
  file->state_.leaves_marker = afterwards == Afterwards::marker;
  Status status = file->definitions_.take_format(mode);
  if (file->state_.names_a_folder && file->definitions_.format_asked() != zarr_format)
    status.merge(file->state_.folder_problem());
  status.merge(file->state_.resolve());
  if (status.ok() && context.comm.rank() == 0)
    status = context.pipeline.storage().run(
        [path, resolved = file->file_.resolved, mode, format = file->definitions_.format_asked(),
         keeps = !keeps_nothing(context.config().sink),
         marker = file->state_.whose_marker()] { return create_problem(path, resolved, mode, format, keeps, marker); },
        formatted("inspection of {}", path));
  status.scope = Scope::of(serial);
  const std::uint64_t signature = mix(mix(0, path), static_cast<std::uint64_t>(mode));
  const std::string call = formatted("weir_create of {}{}", path, mode_in_words(mode));
  context.pipeline.agreement().agree_at({AgreementPoint::create, signature, call, nullptr, true}, status, &file->file_);
  context.pipeline.agreement().enter(file->file_);
  return file;
}

std::unique_ptr<File> File::open(const Context& context, int serial, const std::string& path, int mode,
                                 const Stays& stays, Afterwards afterwards) {
  std::unique_ptr<File> file(new File(context, serial, path));
  FileState& state = file->state_;
  state.leaves_marker = afterwards == Afterwards::marker;
  state.visible = true;
  Opening(state).read(mode, stays.records);
  state.phase = FilePhase::reading;
  const std::int64_t there = state.found.geometry.records;
  const std::int64_t records =
      stays.until_time ? file->gets_.records_until(*stays.until_time) : stays.records.value_or(there);
  if (records < there) state.found.goes_back_to = records;
  state.history.start_with(records, records);
  if (!(mode & WEIR_WRITE)) return file;
  context.pipeline.agreement().enter(state.file);
  file->definitions_.go_on_with(state.found.geometry);
  return file;
}

std::unique_ptr<File> File::attach(const Context& context, int serial, const Attached& attached,
                                   std::int64_t former_bytes) {
  std::unique_ptr<File> file(new File(context, serial, attached.path));
  FileState& state = file->state_;
  file->former_bytes_ = former_bytes;
  state.resolve().raise();
  if (context.comm.rank() == 0)
    context.pipeline.storage()
        .run([path = state.file.resolved] { return remove_marker(path, MarkerOf::weir); },
             formatted("removing the marker of {}", attached.path))
        .raise();
  state.visible = state.file.attached = true;
  state.fill = attached.fill;
  file->definitions_.set_hints(attached.hints);
  state.file.schema = attached.defined.schema;
  state.found.geometry = attached.defined.geometry;
  state.history.start_with(state.found.geometry.records, 0);
  context.pipeline.agreement().enter(state.file);
  file->definitions_.go_on_with(state.found.geometry);
  return file;
}

std::string why_left_out(const File& file, std::string_view variable) {
  variable = from_root(variable);
  for (const auto& [name, reason] : file.left_out())
    if (same_name(name, variable)) return formatted("{} has \"{}\", but {}", file.path(), name, reason);
  return {};
}

bool File::leaves_marker() const noexcept {
  const bool written = state_.phase == FilePhase::writing && file_.output->uses_storage();
  return state_.leaves_marker && (written || state_.phase == FilePhase::defining) && file_.failure.ok();
}

std::shared_ptr<const ReadableFile> File::readable() {
  auto file = std::make_shared<ReadableFile>();
  file->schema = schema();
  file->records = state_.found.geometry.records;
  file->format = format();
  for (const auto& [name, reason] : left_out()) file->left_out.push_back(name);
  if (state_.found.tables) file->in_chunks = sources_.of_this_rank();
  file->source = file->in_chunks ? file->in_chunks : sources_.of_all();
  return file;
}

const Variable& File::variable(int var) const {
  return schema().variables()[static_cast<std::size_t>(state_.check_var(var))];
}

std::optional<FileSummary> File::summary() const {
  if (!file_.output) return last_summary_;
  return FileSummary{file_.serial,
                     file_.path,
                     std::string(name(file_.output->sink_kind())),
                     file_.output->sink_reason(),
                     records(),
                     file_.output->bytes_written() + former_bytes_,
                     file_.output->compress_seconds() + former_compress_seconds_,
                     file_.output->packing_bytes(),
                     file_.attached && file_.failure.ok()};
}

// Nothing of a failed file is written any more, but what waits to be written names it. Where all files failed, all
// ranks dropped what waited, so that this call has nothing to wait for: a rank that closed the file before does not
// come.
void File::end_writing(Ending ending) {
  if (file_.failure.of_all_files()) return;
  if (!file_.failure.ok() || ending == Ending::is_committed)
    return context_.pipeline.flush(formatted("weir_close of {}", file_.path));
  file_.attached ? commits_.flush_attached(false) : commits_.commit("weir_close");
}

void File::sync() {
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::sync, {file_.serial});
  commits_.commit("weir_sync");
}

void File::redef() {
  state_.require_writing("weir_redef");
  require(!context_.pipeline.roles().strategy().part_files(), WEIR_ESTATE,
          "{}: part files cannot be redefined; choose another strategy", file_.path);
  require(file_.output->uses_storage(), WEIR_ESTATE, "{}: its sink keeps no file to redefine", file_.path);
  last_summary_ = summary();
  former_bytes_ += file_.output->bytes_written();
  former_compress_seconds_ += file_.output->compress_seconds();
  state_.found.geometry = file_.output->geometry();
  state_.found.geometry.records = state_.history.records();
  state_.found.goes_back_to.reset();
  state_.found.identity = file_.output->identity();
  sources_.end();
  end_output(false);
  definitions_.reopen();
}

void File::close(Ending ending) {
  if (state_.phase == FilePhase::defining) definitions_.tell();
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::close, {file_.serial});
  Status status = file_.failure;
  const std::string verb = formatted("weir_close of {}", file_.path);
  try {
    if (state_.phase == FilePhase::defining && status.ok()) definitions_.enddef();
    // All ranks hear whether one of them took it for a file to write.
    if (state_.phase == FilePhase::reading)
      context_.pipeline.agreement().agree_at({AgreementPoint::close, mix(0, file_.path), verb, nullptr, true},
                                             state_.refused, &file_);
    if (state_.phase == FilePhase::writing) end_writing(ending);
  } catch (const Error& error) {
    if (ends_instance(error.code())) throw;
    status.merge({error.code(), error.what(), Scope::of(file_.serial)});
  }
  leave();
  status.raise();
}

void File::leave() {
  last_summary_ = summary();
  const bool failed = !file_.failure.ok() || state_.phase == FilePhase::defining;
  state_.phase = FilePhase::closed;
  context_.pipeline.leave(file_);
  sources_.end();
  if (file_.output) end_output(failed && !file_.attached);
}

// By the thread that makes calls to storage, which closes what the call has to itself; not where that calls MPI.
void File::end_output(bool discards) {
  std::shared_ptr<OutputFile> output(std::move(file_.output));
  const bool by_storage_thread = output->uses_storage() && !output->collective();
  StorageCalls::Call end = [output, discards] {
    if (discards) output->discard();
    return Status();
  };
  output.reset();
  static_cast<void>(
      by_storage_thread ? context_.pipeline.storage().run(std::move(end), formatted("closing {}", file_.path)) : end());
}

}  // namespace weir
