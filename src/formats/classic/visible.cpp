// SPDX-License-Identifier: Apache-2.0
#include "formats/classic/visible.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "commit/group_record.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr int most_links = 40;  // as the system follows
constexpr std::ptrdiff_t count_at = 4;

// The header's second word: 4 bytes in CDF-1 and CDF-2, 8 in CDF-5, big-endian.
std::size_t count_width(int format) {
  return format == 5 ? 8 : 4;
}

}  // namespace

std::string resolved_path(const std::string& path) {
  std::error_code problem;
  fs::path whole = fs::absolute(path, problem);
  for (int links = 0; fs::is_symlink(whole, problem); ++links) {
    require(links < most_links, WEIR_EIO, "\"{}\" is part of a loop of symbolic links", path);
    whole = whole.parent_path() / fs::read_symlink(whole, problem);
  }
  return whole.string();
}

VisibleFile::VisibleFile(std::string path, const DefinedHeader& header, Durability durability)
    : path_(std::move(path)), durability_(durability), file_(-1, path_), header_(header.bytes) {
  make(header);
}

VisibleFile::VisibleFile(std::string path, const Geometry& geometry, Durability durability)
    : path_(std::move(path)),
      written_path_(path_),
      durability_(durability),
      file_(uninterrupted([&] { return ::open(path_.c_str(), O_RDWR | O_CLOEXEC); }), path_) {
  if (file_.number() < 0) throw Error(WEIR_EIO, write_error_message(path_, "append to", errno));
  remove_leftover(path_);
  identity_ = identity_of(file_.number(), path_);
  header_.resize(static_cast<std::size_t>(geometry.header_bytes));
  file_.read(header_.data(), geometry.header_bytes, 0);
  const std::int64_t whole = geometry.file_bytes(geometry.records);
  if (file_.bytes() > whole && uninterrupted([&] { return ::ftruncate(file_.number(), whole); }) != 0)
    throw Error(WEIR_EIO, write_error_message(path_, "truncate the uncommitted data after the records of", errno));
}

VisibleFile::VisibleFile(std::string path, const Geometry& geometry, std::int64_t records, Durability durability)
    : VisibleFile(std::move(path), geometry, durability) {
  if (records == geometry.records) return;
  try {
    go_back(geometry, records);
  } catch (const Error&) {
    discard();
    throw;
  }
}

// The header counts fewer records before the others go, so that no reader looks for them.
void VisibleFile::go_back(const Geometry& geometry, std::int64_t records) {
  const Change count{count_at, count_bytes(geometry, records)};
  const std::int64_t whole = geometry.file_bytes(records);
  behind_.emplace(path_, file_, std::span(&count, 1), std::min(whole, file_.bytes()), durability_);
  count_records(geometry, records).raise();
  if (file_.bytes() > whole && uninterrupted([&] { return ::ftruncate(file_.number(), whole); }) != 0)
    throw Error(WEIR_EIO, write_error_message(path_, "cut off the records behind those that stay in", errno));
}

void VisibleFile::make(const DefinedHeader& header) {
  if (const auto problem = target_problem(path_)) throw Error(WEIR_EIO, *problem);
  static_cast<void>(finish_group_commit(path_));
  roll_back_commit(path_);  // until this file is published that one stays
  remove_leftover(path_);
  written_path_ = make_partial(path_, [&](const std::string& name) {
    const int made =
        uninterrupted([&] { return ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); });
    const int error = made < 0 ? errno : 0;
    file_ = Descriptor(made, name);
    return error;
  });
  try {
    take_over_permissions();
    int error = write_whole(file_.number(), header.bytes, 0);
    if (error == 0 && uninterrupted([&] { return ::ftruncate(file_.number(), header.geometry.file_bytes(0)); }) != 0)
      error = errno;
    if (error != 0) throw Error(WEIR_EIO, write_error_message(path_, "write", error));
    identity_ = identity_of(file_.number(), written_path_);
  } catch (...) {
    discard();
    throw;
  }
}

// Of the file that this one will take the place of.
void VisibleFile::take_over_permissions() {
  struct stat older {};
  if (::stat(path_.c_str(), &older) != 0) return;
  if (::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
    throw Error(WEIR_EIO, write_error_message(path_, "replace", errno));
  // The owner first: a change of it takes bits off the mode.
  if (::fchown(file_.number(), older.st_uid, older.st_gid) != 0)
    static_cast<void>(::fchown(file_.number(), static_cast<uid_t>(-1), older.st_gid));
  static_cast<void>(::fchmod(file_.number(), older.st_mode & 07777));
}

Status VisibleFile::failure(const char* call) const {
  return failed_call(call, written_path_);
}

// Before anything is made visible.
Status VisibleFile::check_same() const {
  if (const auto problem = other_file_problem(written_path_, identity_)) return refuse_to_commit(*problem, "file");
  return check_header();
}

Status VisibleFile::check_header() const {
  std::vector<std::byte> found(header_.size());
  const std::int64_t length = file_.read_up_to(found.data(), std::ssize(found), 0);
  if (length == std::ssize(header_) && found == header_) return {};
  return {WEIR_EIO, formatted("\"{}\" has a header that this run did not write: another program has changed the file; "
                              "nothing more is written",
                              written_path_)};
}

Status VisibleFile::sync() const {
  if (durability_ != Durability::storage) return {};
  return uninterrupted([&] { return ::fsync(file_.number()); }) == 0 ? Status{} : failure("fsync");
}

Status VisibleFile::give_length(const Geometry& geometry, std::int64_t records) {
  const std::int64_t length = geometry.file_bytes(records);
  if (::lseek(file_.number(), 0, SEEK_END) < length &&
      uninterrupted([&] { return ::ftruncate(file_.number(), length); }) != 0)
    return failure("ftruncate");
  return sync();
}

// Empty where they stand in the header.
std::vector<std::byte> VisibleFile::count_bytes(const Geometry& geometry, std::int64_t records) const {
  std::vector<std::byte> count(count_width(geometry.format));
  for (std::size_t i = 0; i < count.size(); ++i)
    count[i] = static_cast<std::byte>(records >> (8 * (count.size() - 1 - i)));
  if (std::equal(count.begin(), count.end(), header_.begin() + count_at)) count.clear();
  return count;
}

Status VisibleFile::count_records(const Geometry& geometry, std::int64_t records) {
  const Change count{count_at, count_bytes(geometry, records)};
  if (count.bytes.empty()) return {};
  errno = write_whole(file_.number(), count.bytes, count_at);
  if (errno != 0) return failure("writing of the record count");
  watch_changed(count);
  return sync();
}

Status VisibleFile::give_name() {
  if (replaced_.inode != 0)
    if (const auto problem = other_file_problem(path_, replaced_)) return refuse_to_commit(*problem, "file");
  if (uninterrupted([&] { return std::rename(written_path_.c_str(), path_.c_str()); }) != 0)
    return failed_call("rename", formatted("{} to {}", written_path_, path_));
  ::unlink(partial_name(path_).c_str());
  written_path_ = path_;
  return durability_ == Durability::cache ? Status{} : sync_folder(path_);
}

Status VisibleFile::publish(const Geometry& geometry, std::int64_t records) try {
  if (Status status = check_same(); !status.ok()) return status;
  if (Status status = give_length(geometry, records); !status.ok()) return status;
  if (Status status = count_records(geometry, records); !status.ok()) return status;
  if (!visible()) return give_name();
  Status status = behind_ ? behind_->remove() : Status{};
  if (status.ok()) behind_.reset();
  return status;
} catch (const Error& error) {
  return {error.code(), error.what()};
}

Status VisibleFile::publish(std::span<const Change> changes, std::int64_t length) try {
  if (Status status = check_same(); !status.ok()) return status;
  std::optional<UndoLog> journal;
  if (visible()) journal.emplace(path_, file_, changes, durability_);
  if (Status status = change(changes, length); !status.ok()) {
    const Status back = journal ? journal->roll_back() : Status{};
    if (!back.ok()) status.message.append("; ").append(back.message);
    return status;
  }
  if (!journal) return give_name();
  return journal->remove();
} catch (const Error& error) {
  return {error.code(), error.what()};
}

Status VisibleFile::change(std::span<const Change> changes, std::int64_t length) {
  for (const Change& change : changes) {
    errno = write_whole(file_.number(), change.bytes, change.offset);
    if (errno != 0) return failure("writing of the metadata");
    watch_changed(change);
  }
  if (uninterrupted([&] { return ::ftruncate(file_.number(), length); }) != 0) return failure("ftruncate");
  return sync();
}

// As the header is, or will be.
void VisibleFile::watch_changed(const Change& change) {
  const std::int64_t watched =
      std::clamp<std::int64_t>(std::ssize(header_) - change.offset, 0, std::ssize(change.bytes));
  std::copy_n(change.bytes.begin(), watched, header_.begin() + std::min(change.offset, std::ssize(header_)));
}

PublishStep VisibleFile::step() const {
  PublishStep step{path_, written_path_, mark_of(file_.number()), {}, -1, {}};
  if (!visible()) step.replaced = mark_of(path_);
  return step;
}

Status VisibleFile::prepare(const Geometry& geometry, std::int64_t records, std::vector<PublishStep>& steps) try {
  if (Status status = check_same(); !status.ok()) return status;
  if (Status status = give_length(geometry, records); !status.ok()) return status;
  PublishStep publishing = step();
  if (!visible()) {
    if (Status status = count_records(geometry, records); !status.ok()) return status;
    steps.push_back(std::move(publishing));
    return {};
  }
  Change count{count_at, count_bytes(geometry, records)};
  publishing.ends_undo_log = behind_.has_value();
  if (count.bytes.empty() && !behind_) return {};
  if (!count.bytes.empty())
    publishing.edits.push_back({count_at, bytes_there(file_, count, file_.bytes()), count.bytes});
  watch_changed(count);
  steps.push_back(std::move(publishing));
  return {};
} catch (const Error& error) {
  return {error.code(), error.what()};
}

Status VisibleFile::prepare(std::span<const Change> changes, std::int64_t length, std::vector<PublishStep>& steps) try {
  if (Status status = check_same(); !status.ok()) return status;
  PublishStep publishing = step();
  const std::int64_t bytes = file_.bytes();
  if (!visible()) {
    if (Status status = change(changes, length); !status.ok()) return status;
    steps.push_back(std::move(publishing));
    return {};
  }
  if (changes.empty() && length == bytes) return {};
  publishing.length = length;
  for (const Change& change : changes) {
    publishing.edits.push_back({change.offset, bytes_there(file_, change, bytes), change.bytes});
    watch_changed(change);
  }
  steps.push_back(std::move(publishing));
  return {};
} catch (const Error& error) {
  return {error.code(), error.what()};
}

void VisibleFile::discard() noexcept {
  if (behind_) static_cast<void>(behind_->roll_back());  // else the next run does
  behind_.reset();
  if (visible()) return;
  ::unlink(written_path_.c_str());
  ::unlink(partial_name(path_).c_str());
}

}  // namespace weir
