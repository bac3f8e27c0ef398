// SPDX-License-Identifier: Apache-2.0
#include "write/change_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/spelling.hpp"
#include "write/checked_words.hpp"
#include "write/identity.hpp"
#include "write/trouble.hpp"
#include "write/whole_write.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t journal_mark = 0x574549524a4e4c32;  // "WEIRJNL2"

// What a journal says, where all of it is there.
struct Kept {
  std::uint64_t inode;
  std::int64_t file_bytes;
  std::vector<Change> changes;
};

std::optional<Kept> read_journal(const Descriptor& journal) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(journal.bytes()));
  journal.read(bytes.data(), std::ssize(bytes), 0);
  std::optional<CheckedReader> words = CheckedReader::open(bytes, journal_mark);
  if (!words) return std::nullopt;
  Kept kept{static_cast<std::uint64_t>(words->word()), words->word(), {}};
  for (std::int64_t left = words->word(); left > 0; --left) {
    const std::int64_t offset = words->word();
    kept.changes.push_back({offset, words->bytes()});
  }
  return kept;
}

// The journal of `path`, if there is one that nobody holds, locked.
Descriptor open_abandoned(const std::string& path) {
  const std::string name = journal_name(path);
  const int opened = uninterrupted([&] { return ::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW); });
  Descriptor journal(opened, name);
  if (opened < 0) {
    require(errno == ENOENT || errno == ENOTDIR, WEIR_EIO, [&] { return write_trouble(name, "open", errno); });
    return journal;
  }
  if (uninterrupted([&] { return ::flock(opened, LOCK_EX | LOCK_NB); }) == 0) return journal;
  return {-1, name};
}

void restore(const std::string& path, const Kept& kept) {
  const Descriptor file(uninterrupted([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); }), path);
  if (file.number() < 0 && errno == ENOENT) return;
  require(file.number() >= 0, WEIR_EIO, [&] { return write_trouble(path, "take back a commit in", errno); });
  if (identity_of(file.number(), path).inode != kept.inode) return;  // another file has the name by now
  int error = 0;
  for (const Change& change : kept.changes)
    if (error == 0) error = write_whole(file.number(), change.bytes, change.offset);
  if (error == 0 && uninterrupted([&] { return ::ftruncate(file.number(), kept.file_bytes); }) != 0) error = errno;
  if (error == 0 && uninterrupted([&] { return ::fsync(file.number()); }) != 0) error = errno;
  require(error == 0, WEIR_EIO, [&] { return write_trouble(path, "take back a commit in", error); });
}

}  // namespace

std::vector<std::byte> bytes_there(const Descriptor& file, const Change& change, std::int64_t file_bytes) {
  const std::int64_t count = std::clamp<std::int64_t>(file_bytes - change.offset, 0, std::ssize(change.bytes));
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  file.read(bytes.data(), count, change.offset);
  return bytes;
}

std::string journal_name(const std::string& path) {
  const fs::path whole(path);
  std::string name = ".";
  name.append(whole.filename().string()).append(".journal.weir");
  return (whole.parent_path() / name).string();
}

ChangeJournal::ChangeJournal(const std::string& path, const Descriptor& file, std::span<const Change> changes,
                             Durability durability)
    : name_(journal_name(path)),
      durability_(durability),
      journal_(uninterrupted(
                   [&] { return ::open(name_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600); }),
               name_) {
  require(journal_.number() >= 0, WEIR_EIO, [&] { return write_trouble(name_, "make", errno); });
  static_cast<void>(uninterrupted([&] { return ::flock(journal_.number(), LOCK_EX); }));
  const std::int64_t file_bytes = file.bytes();
  CheckedWords words(journal_mark);
  words.add(static_cast<std::int64_t>(identity_of(file.number(), path).inode));
  words.add(file_bytes);
  words.add(std::ssize(changes));
  for (const Change& change : changes) {
    words.add(change.offset);
    words.add(std::span<const std::byte>(bytes_there(file, change, file_bytes)));
  }
  int error = write_whole(journal_.number(), words.sealed(), 0);
  if (error == 0 && durability == Durability::storage) {
    if (uninterrupted([&] { return ::fsync(journal_.number()); }) != 0) error = errno;
    if (error == 0) sync_folder(name_).raise();
  }
  require(error == 0, WEIR_EIO, [&] { return write_trouble(name_, "write", error); });
}

Status ChangeJournal::remove() {
  if (::unlink(name_.c_str()) != 0) return {WEIR_EIO, "removing of " + name_ + ": " + std::strerror(errno), -1};
  return durability_ == Durability::storage ? sync_folder(name_) : Status{};
}

bool take_back_commit(const std::string& path) {
  const Descriptor journal = open_abandoned(path);
  if (journal.number() < 0) return false;
  const std::optional<Kept> kept = read_journal(journal);
  if (kept) restore(path, *kept);
  ::unlink(journal_name(path).c_str());
  sync_folder(journal_name(path)).raise();
  return kept.has_value();
}

bool commit_was_cut_short(const std::string& path) {
  const Descriptor journal = open_abandoned(path);
  return journal.number() >= 0 && read_journal(journal).has_value();
}

}  // namespace weir
