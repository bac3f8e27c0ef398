// SPDX-License-Identifier: Apache-2.0
#include "file/file_table.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "file/done_file.hpp"

namespace weir {

FileTable::FileTable(const Context& context, const Config& asked)
    : context_(context),
      asked_(asked),
      group_(context.config().durability, context.comm, context.pipeline, context.trace) {}

namespace {

// As it is sent to servers: -1, 0, 1.
std::int64_t word_of(std::optional<bool> done_marker) {
  return done_marker ? (*done_marker ? 1 : 0) : -1;
}

}  // namespace

File& FileTable::create(const std::string& path, int mode, Whose whose, std::optional<bool> done_marker) {
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::create, {mode, word_of(done_marker)},
                                 std::as_bytes(std::span(path)));
  FileWatch* const watch = find_watch_ && whose == Whose::programs ? find_watch_(path) : nullptr;
  if (by_configuration(path).any()) own_.insert(path);
  const File::Afterwards then = afterwards(path, done_marker);
  const int serial = next_++;
  File& file = *(files_[serial] = File::create(context_, serial, path, mode, then));
  if (watch != nullptr) file.set_watch(*watch);
  return file;
}

Config FileTable::config_for(const std::string& path) const {
  const FileRule* const rule = rule_for(context_.config(), path);
  return rule && !rule->off ? with_rule(context_.config(), *rule) : context_.config();
}

File::Afterwards FileTable::afterwards(const std::string& path, std::optional<bool> done_marker) const {
  if (!done_marker.value_or(config_for(path).done_marker)) return File::Afterwards::nothing;
  if (writes_parts(context_.config()))
    throw Error(WEIR_ECONFIG, "{}: done_marker: yes {}", path, marker_of_parts(context_.config()));
  return File::Afterwards::marker;
}

File::Stays FileTable::by_configuration(const std::string& path) const {
  const Config config = config_for(path);
  require(!config.records || !config.until_time, WEIR_ECONFIG,
          "{}: the configuration has records and until_time for this file; keep one of them", path);
  return {config.records, config.until_time};
}

File& FileTable::open(const std::string& path, int mode, std::optional<std::int64_t> records,
                      std::optional<bool> done_marker) {
  std::vector<std::int64_t> words{mode, word_of(done_marker)};
  if (records) words.push_back(*records);
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::open, words, std::as_bytes(std::span(path)));
  const File::Afterwards then = mode & WEIR_WRITE ? afterwards(path, done_marker) : File::Afterwards::nothing;
  const int serial = next_++;
  File::Stays stays{records, {}};
  if (!records && (mode & WEIR_WRITE)) stays = by_configuration(path);
  if (!records && stays.any() && !own_.insert(path).second) stays = {};  // what this run has put stays
  return *(files_[serial] = File::open(context_, serial, path, mode, stays, then));
}

File& FileTable::attach(const Attached& attached) {
  const int serial = next_++;
  const FileSummary* const former = history_.attachment(attached.path);
  File& file =
      *(files_[serial] = File::attach(context_, serial, attached, former != nullptr ? former->bytes_written : 0));
  if (former != nullptr) history_.remove(former->serial);
  return file;
}

void FileTable::leave(File& file) {
  file.leave();
  forget(file);
}

// That are being written, by their numbers.
template <class Belongs>
std::vector<File*> FileTable::writing(Belongs belongs) const {
  std::vector<File*> found;
  for (const auto& [serial, file] : files_)
    if (file->commits().takes_part() && belongs(*file)) found.push_back(file.get());
  return found;
}

// Of a file that is committed by itself: none.
std::vector<File*> FileTable::group_of(const File& file) const {
  if (!file.commits().takes_part() || !in_commit_group(asked_, file.path())) return {};
  return writing([&](const File& other) { return in_commit_group(asked_, other.path()); });
}

void FileTable::sync(File& file) {
  const std::vector<File*> group = group_of(file);
  if (group.size() < 2) return file.sync();
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::sync, {file.open_file().serial});
  group_.commit(group, "weir_sync");
}

void FileTable::redef(File& file) {
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::redef, {file.open_file().serial});
  const std::vector<File*> group = group_of(file);
  if (group.size() < 2)
    file.commits().commit("weir_redef");
  else
    group_.commit(group, "weir_redef");
  file.redef();
}

void FileTable::sync_all(std::span<const File* const> committed) {
  std::vector<std::int64_t> serials;
  for (const File* const file : committed) serials.push_back(file->open_file().serial);
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::sync_all, serials, {});
  const std::vector<File*> all = writing(
      [&](const File& file) { return std::find(committed.begin(), committed.end(), &file) == committed.end(); });
  if (all.size() == 1) all.front()->sync();
  if (all.size() > 1) group_.commit(all, "weir_sync_all");
}

// A group that cannot be committed as one is told so; the file is committed all the same. One that has failed leaves
// the others alone.
void FileTable::close(File& file) {
  Status watched;
  if (file.watch() != nullptr && file.phase() == FilePhase::writing && file.open_file().failure.ok())
    attempt(watched, [&] { file.watch()->close(file.open_file()); });
  else if (file.watch() != nullptr)
    file.watch()->forget(file.open_file());
  attempt(watched, [&] { close_in_group(file); });
  watched.raise();
}

void FileTable::close_in_group(File& file) {
  const std::vector<File*> group = file.open_file().failure.ok() ? group_of(file) : std::vector<File*>{};
  if (group.size() < 2) return close(file, File::Ending::commits);
  const CallBroadcast::Call call(context_.call_broadcast, CallKind::close, {file.open_file().serial});
  Status status;
  attempt(status, [&] { group_.commit(group, "weir_close"); });
  const bool committed = status.ok() || status.code == WEIR_ERANGE;
  attempt(status, [&] { close(file, committed ? File::Ending::is_committed : File::Ending::commits); });
  status.raise();
}

void FileTable::close(File& file, File::Ending ending) {
  Status status;
  const bool marked = file.leaves_marker();
  attempt(status, [&] { file.close(ending); });
  if (marked && status.ok()) attempt(status, [&] { mark_done(context_, next_++, file.open_file()); });
  group_.leave(file);
  forget(file);
  status.raise();
}

void FileTable::tell_definitions() {
  for (const auto& [serial, file] : files_)
    if (file->phase() == FilePhase::defining) file->definitions().tell();
}

void FileTable::close_all(Status& status) {
  while (!files_.empty()) attempt(status, [&] { close(*files_.begin()->second); });
}

void FileTable::close_watched(Status& status) {
  std::vector<File*> watched;
  for (const auto& [serial, file] : files_)
    if (file->watch() != nullptr) watched.push_back(file.get());
  for (File* const file : watched) attempt(status, [&] { close(*file); });
}

void FileTable::forget(File& file) {
  const OpenFile& closed = file.open_file();
  if (context_.trace.on()) traced_[closed.serial] = traced(closed);
  if (file.summary()) history_.add(*file.summary());
  files_.erase(closed.serial);
}

File* FileTable::find(int serial) const {
  const auto found = files_.find(serial);
  return found == files_.end() ? nullptr : found->second.get();
}

FileHistory FileTable::history() const {
  FileHistory all = history_;
  for (const auto& [serial, file] : files_)
    if (file->summary()) all.add(*file->summary());
  return all;
}

std::map<int, TracedFile> FileTable::traced_files() const {
  std::map<int, TracedFile> all = traced_;
  for (const auto& [serial, file] : files_) all[serial] = traced(file->open_file());
  return all;
}

}  // namespace weir
