// SPDX-License-Identifier: Apache-2.0
#include "commit/undo_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commit/checked_record.hpp"
#include "storage/filesystem.hpp"
#include "storage/identity.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t journal_mark = 0x574549524a4e4c32;       // "WEIRJNL2"
constexpr std::int64_t tail_journal_mark = 0x574549524a4e4c33;  // "WEIRJNL3", with the end of the file
constexpr std::int64_t tail_begins_at = 4096;                   // in the journal, behind the record
constexpr std::int64_t copied_bytes = 4 << 20;                  // at a time

// What a journal says, where all of it is there.
struct Kept {
  std::uint64_t inode;
  std::int64_t file_bytes;
  std::vector<Change> changes;
};
void fields(auto& archive, Either<Kept> auto& kept) {
  archive(kept.inode, kept.file_bytes, kept.changes);
}

// With the bytes of the file from `begin` to its end, which lie in the journal from tail_begins_at on.
struct KeptTail {
  Kept kept;
  std::int64_t begin;

  std::int64_t bytes() const noexcept { return kept.file_bytes - begin; }
};
void fields(auto& archive, Either<KeptTail> auto& tail) {
  archive(tail.kept, tail.begin);
}

// Without the end of the file, which may be long. A journal whose end is not there is no journal.
std::optional<KeptTail> read_journal(const Descriptor& journal) {
  const std::int64_t there = journal.bytes();
  std::array<std::byte, record_head_bytes> head{};
  if (there < std::ssize(head)) return std::nullopt;
  journal.read(head.data(), std::ssize(head), 0);
  std::vector<std::byte> bytes(std::min(sealed_bytes(head), static_cast<std::size_t>(there)));
  journal.read(bytes.data(), std::ssize(bytes), 0);
  if (auto kept = read_sealed_record<Kept>(journal_mark, bytes)) {
    const std::int64_t end = kept->file_bytes;
    return KeptTail{std::move(*kept), end};
  }
  auto kept = read_sealed_record<KeptTail>(tail_journal_mark, bytes);
  if (kept && there < tail_begins_at + kept->bytes()) kept.reset();
  return kept;
}

// Bytes of a file to another place. 0, or the errno of writing.
int copy_bytes(const Descriptor& from, std::int64_t at, std::int64_t bytes, const Descriptor& into,
               std::int64_t place) {
  std::vector<std::byte> piece;
  for (std::int64_t done = 0; done < bytes; done += std::ssize(piece)) {
    piece.resize(static_cast<std::size_t>(std::min(copied_bytes, bytes - done)));
    from.read(piece.data(), std::ssize(piece), at + done);
    if (const int error = write_whole(into.number(), piece, place + done); error != 0) return error;
  }
  return 0;
}

// Of a commit that this process cannot judge, or not take back.
std::string cannot(const std::string& what, const std::string& path, int error, const char* then) {
  return formatted("{}\"{}\": {}; {}", what, path, std::strerror(error), then);
}

// To be read by any user who may read the file. Not open where there is none, as where no name of a file is so long.
Descriptor open_journal(const std::string& path) {
  const std::string name = undo_log_name(path);
  int opened = uninterrupted([&] { return ::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW); });
  if (opened < 0 && (errno == EACCES || errno == EROFS))
    opened = uninterrupted([&] { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); });
  if (opened < 0 && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
    throw Error(WEIR_EIO, cannot("a commit is in progress or was interrupted, and its journal cannot be read, in ",
                                 path, errno, "let the owner of the file run weir-verify --clean"));
  return {opened, name};
}

enum class Holder { nobody, a_run, unknown };

// Nobody: then it is locked from here on. A network file system locks what may only be read for readers alone.
Holder holder_of(const Descriptor& journal) {
  int locked = uninterrupted([&] { return ::flock(journal.number(), LOCK_EX | LOCK_NB); });
  if (locked != 0 && errno == EBADF)
    locked = uninterrupted([&] { return ::flock(journal.number(), LOCK_SH | LOCK_NB); });
  if (locked == 0) return Holder::nobody;
  return errno == EWOULDBLOCK ? Holder::a_run : Holder::unknown;
}

// Otherwise another run has rolled its commit back meanwhile, or found it unfinished.
bool has_its_name(const Descriptor& journal) {
  struct stat named {
  }, opened{};
  return ::lstat(journal.path().c_str(), &named) == 0 && ::fstat(journal.number(), &opened) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

// The journal of `path`, if there is one that no rank holds, locked where there are locks.
Descriptor open_abandoned(const std::string& path, IfLocksMissing if_locks_missing) {
  Descriptor journal = open_journal(path);
  if (journal.number() < 0) return journal;
  const Holder holder = holder_of(journal);
  if (holder == Holder::unknown && if_locks_missing != IfLocksMissing::roll_back)
    throw Error(WEIR_EIO,
                cannot("cannot determine whether a commit is in progress or was interrupted for ", path, errno,
                       "once the run that wrote it has ended, weir-verify --clean rolls the commit back"));
  if (holder == Holder::a_run || !has_its_name(journal)) return {-1, journal.path()};
  return journal;
}

// An empty one, held. Until it is, another program may find it unfinished and remove it, or hold it itself: one that is
// held is emptied only then. `waits`: for the run that holds it.
Descriptor hold_journal(const std::string& name, bool waits) {
  constexpr int most_tries = 100;
  for (int tries = 0; tries < most_tries; ++tries) {
    Descriptor journal(
        uninterrupted([&] { return ::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600); }), name);
    if (journal.number() < 0) throw Error(WEIR_EIO, write_error_message(name, "make", errno));
    // Where there are no locks no rank rolls a commit back unasked.
    const int locked = uninterrupted([&] { return ::flock(journal.number(), waits ? LOCK_EX : LOCK_EX | LOCK_NB); });
    require(locked == 0 || errno != EWOULDBLOCK, WEIR_EIO,
            "\"{}\" is held by another run, which has its file open for writing; close it there first", name);
    if (!has_its_name(journal)) continue;
    if (uninterrupted([&] { return ::ftruncate(journal.number(), 0); }) != 0)
      throw Error(WEIR_EIO, write_error_message(name, "empty", errno));
    return journal;
  }
  throw Error(WEIR_EIO, "{} is removed by another program whenever it is made", name);
}

// The commit is rolled back, or was never begun: it must not be rolled back once more, from a file that has gone on.
void remove_journal(const std::string& name) {
  if (::unlink(name.c_str()) != 0 && errno != ENOENT)
    throw Error(WEIR_EIO,
                "the journal of an interrupted commit cannot be removed, \"{}\": {}; remove it before anything is "
                "written to the file",
                name, std::strerror(errno));
}

// 0, or the errno of what failed. The end of the file is there before the header counts it again.
int put_back(const Descriptor& file, const KeptTail& tail, const Descriptor& journal) {
  const auto sync = [&] { return uninterrupted([&] { return ::fsync(file.number()); }) != 0 ? errno : 0; };
  if (tail.bytes() > 0) {
    if (const int error = copy_bytes(journal, tail_begins_at, tail.bytes(), file, tail.begin); error != 0) return error;
    if (const int error = sync(); error != 0) return error;
  }
  for (const Change& change : tail.kept.changes)
    if (const int error = write_whole(file.number(), change.bytes, change.offset); error != 0) return error;
  if (uninterrupted([&] { return ::ftruncate(file.number(), tail.kept.file_bytes); }) != 0) return errno;
  return sync();
}

void restore(const std::string& path, const KeptTail& tail, const Descriptor& journal) {
  const Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); }), path);
  if (file.number() < 0 && errno == ENOENT) return;
  const auto owner = [&](int error) {
    return cannot("a commit of this file was interrupted, and cannot be rolled back in ", path, error,
                  "let the owner of the file run weir-verify --clean");
  };
  if (file.number() < 0) throw Error(WEIR_EIO, owner(errno));
  if (identity_of(file.number(), path).inode != tail.kept.inode) return;  // another file has the name by now
  const int error = put_back(file, tail, journal);
  if (error != 0) throw Error(WEIR_EIO, owner(error));
}

// What the file held may be read by any user who may read the file; where the file system has no such rights, or no
// change of them, by the owner alone.
void give_permissions(const Descriptor& journal, const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return;
  if (::fchown(journal.number(), status.st_uid, status.st_gid) != 0)
    static_cast<void>(::fchown(journal.number(), static_cast<uid_t>(-1), status.st_gid));
  struct stat mine {};
  if (::fstat(journal.number(), &mine) != 0) return;
  const mode_t others = mine.st_gid == status.st_gid ? 0444 : 0404;
  static_cast<void>(::fchmod(journal.number(), 0600 | (status.st_mode & others)));
}

}  // namespace

std::vector<std::byte> bytes_there(const Descriptor& file, const Change& change, std::int64_t file_bytes) {
  const std::int64_t count = std::clamp<std::int64_t>(file_bytes - change.offset, 0, std::ssize(change.bytes));
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  file.read(bytes.data(), count, change.offset);
  return bytes;
}

std::string undo_log_name(const std::string& path) {
  const fs::path whole(path);
  std::string name = ".";
  name.append(whole.filename().string()).append(".journal.weir");
  return (whole.parent_path() / name).string();
}

UndoLog::UndoLog(const std::string& path, const Descriptor& file, std::span<const Change> changes,
                 Durability durability)
    : path_(path), name_(undo_log_name(path)), durability_(durability), undo_log_(hold_journal(name_, true)) {
  keep(file, changes, std::nullopt);
}

UndoLog::UndoLog(const std::string& path, const Descriptor& file, std::span<const Change> changes, std::int64_t tail,
                 Durability durability)
    : path_(path), name_(undo_log_name(path)), durability_(durability), undo_log_(hold_journal(name_, false)) {
  keep(file, changes, tail);
}

// The record makes the journal one, so it comes last.
void UndoLog::keep(const Descriptor& file, std::span<const Change> changes, std::optional<std::int64_t> tail) try {
  give_permissions(undo_log_, file);
  const std::int64_t file_bytes = file.bytes();
  Kept kept{identity_of(file.number(), path_).inode, file_bytes, {}};
  for (const Change& change : changes) kept.changes.push_back({change.offset, bytes_there(file, change, file_bytes)});
  const auto require_done = [&](int error) {
    if (error != 0) throw Error(WEIR_EIO, write_error_message(name_, "write", error));
  };
  const auto sync = [&] {
    if (durability_ == Durability::storage)
      require_done(uninterrupted([&] { return ::fsync(undo_log_.number()); }) != 0 ? errno : 0);
  };
  if (tail) {
    const std::vector<std::byte> record = sealed_record(tail_journal_mark, KeptTail{std::move(kept), *tail});
    require(std::ssize(record) <= tail_begins_at, WEIR_EINTERNAL, "an undo log has a record of {} bytes",
            record.size());
    require_done(copy_bytes(file, *tail, file_bytes - *tail, undo_log_, tail_begins_at));
    sync();
    require_done(write_whole(undo_log_.number(), record, 0));
  } else {
    require_done(write_whole(undo_log_.number(), sealed_record(journal_mark, kept), 0));
  }
  sync();
  if (durability_ == Durability::storage) sync_folder(name_).raise();
} catch (...) {
  ::unlink(name_.c_str());
  throw;
}

Status UndoLog::remove() {
  if (::unlink(name_.c_str()) != 0) return {WEIR_EIO, formatted("removing of {}: {}", name_, std::strerror(errno))};
  return durability_ == Durability::storage ? sync_folder(name_) : Status{};
}

Status UndoLog::roll_back() try {
  const std::optional<KeptTail> kept = read_journal(undo_log_);
  require(kept.has_value(), WEIR_EIO, "{} has changed since this run wrote it", name_);
  restore(path_, *kept, undo_log_);
  return remove();
} catch (const std::exception&) {
  return caught();
}

bool roll_back_commit(const std::string& path, IfLocksMissing if_locks_missing) {
  const Descriptor journal = open_abandoned(path, if_locks_missing);
  if (journal.number() < 0) return false;
  const std::optional<KeptTail> kept = read_journal(journal);
  if (kept) restore(path, *kept, journal);
  remove_journal(journal.path());
  sync_folder(undo_log_name(path)).raise();
  return kept.has_value();
}

bool roll_back_commit(const std::string& path) {
  return roll_back_commit(path, IfLocksMissing::refuse);
}

bool has_interrupted_commit(const std::string& path, IfLocksMissing if_locks_missing) {
  const Descriptor journal = open_abandoned(path, if_locks_missing);
  return journal.number() >= 0 && read_journal(journal).has_value();
}

bool has_interrupted_commit(const std::string& path) {
  return has_interrupted_commit(path, IfLocksMissing::refuse);
}

}  // namespace weir
