// SPDX-License-Identifier: Apache-2.0
// The record of a run that commits; group_recovery.cpp has the recovery by the next run.
#include "write/group_record.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/random_bits.hpp"
#include "base/spelling.hpp"
#include "write/group_names.hpp"
#include "write/path_problem.hpp"
#include "write/whole_write.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_record(const std::string& name, const char* call, int error) {
  throw Error(WEIR_EIO, std::string(call) + " of " + in_quotes(name) +
                            ", by which files are committed as one: " + std::strerror(error));
}

std::uint64_t device_of(const std::string& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_dev) : 0;
}

// As it stands in the record: however the folders are reached, and wherever they are moved together.
PublishStep relative_to(const std::string& folder, const PublishStep& step) {
  PublishStep relative = step;
  const auto from_folder = [&](const std::string& path) {
    return (fs::path(canonical_folder(path)) / fs::path(path).filename()).lexically_relative(folder).string();
  };
  relative.path = from_folder(step.path);
  relative.written_path = from_folder(step.written_path);
  return relative;
}

}  // namespace

std::optional<std::string> group_obstacle(std::span<const std::string> paths) {
  for (const std::string& path : paths)
    if (device_of(directory_of(path)) != device_of(directory_of(paths.front())))
      return in_quotes(paths.front()) + " and " + in_quotes(path) +
             " are on two file systems, and after a crash one may be available without the other, so they cannot be committed as one: put them on one file system, or sync each by itself";
  return std::nullopt;
}

std::string group_link_name(const std::string& path) {
  const fs::path whole(path);
  std::string name = ".";
  name.append(whole.filename().string()).append(group_link_suffix);
  return (whole.parent_path() / name).string();
}

bool GroupRecord::is_there() const {
  return record_.number() >= 0 && mark_of(record_.path()) == mark_of(record_.number());
}

// A link leads to it before it is there, so that a kill in between leaves nothing that cannot be found.
void GroupRecord::make(const std::string& folder, const std::string& path) {
  links_.clear();
  folder_ = folder;
  for (int made = -1; made < 0;) {
    const std::string name = group_record_name(folder, random_bits());
    record_ = Descriptor(-1, name);
    link(path);
    made =
        uninterrupted([&] { return ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666); });
    const int error = errno;
    record_ = Descriptor(made, name);
    if (made < 0 && error != EEXIST) {
      ::unlink(group_link_name(path).c_str());
      fail_record(name, "making", error);
    }
  }
  if (::flock(record_.number(), LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  leave(path);
  throw Error(WEIR_EIO, "files in " + in_quotes(folder) +
                            " cannot be committed as one: its file system has no locks (" + std::strerror(error) +
                            "), which the next run needs to know that this one has ended");
}

// False where it was there.
bool GroupRecord::link(const std::string& path) {
  const std::string name = group_link_name(path);
  const fs::path target = fs::path(record_.path()).lexically_relative(canonical_folder(path));
  std::error_code none;
  links_.insert(path);
  if (fs::read_symlink(name, none) == target && !none) return false;
  ::unlink(name.c_str());
  if (::symlink(target.c_str(), name.c_str()) != 0) fail_record(name, "making", errno);
  return true;
}

// 0, or the errno.
int GroupRecord::write(std::span<const std::byte> bytes) {
  if (const int error = write_whole(record_.number(), bytes, 0); error != 0) return error;
  if (durability_ != Durability::storage) return 0;
  return uninterrupted([&] { return ::fdatasync(record_.number()); }) == 0 ? 0 : errno;
}

// A sum of zero is that of no record: its first word makes it void.
static constexpr std::array<std::byte, sizeof(std::int64_t)> void_sum{};

void GroupRecord::decide(std::span<const PublishStep> steps) {
  stands_ = false;
  const std::string folder = canonical_folder(steps.front().path);
  std::map<std::string, std::string> changed;  // folders that have new names, and one of these
  if (!is_there() || device_of(folder_) != device_of(folder)) {
    make(folder, steps.front().path);
    changed[folder_] = record_.path();
  }
  CheckedWords words(group_record_mark);
  words.add(std::ssize(steps));
  for (const PublishStep& step : steps) {
    if (link(step.path)) changed[directory_of(step.path)] = step.path;
    relative_to(folder_, step).add_to(words);
  }
  if (durability_ == Durability::storage)
    for (const auto& [parent, name] : changed) sync_folder(name).raise();
  stands_ = true;
  const int error = write(words.sealed());
  if (error == 0) return;
  stands_ = write(void_sum) != 0;
  const std::string name = record_.path();
  if (stands_) give_up();
  fail_record(name, "writing", error);
}

Status GroupRecord::carry_out(std::span<const PublishStep> steps) {
  const auto failed = [&](std::size_t number, Status status) {
    give_up();
    status.message += "; the commit is decided, and the next run that opens one of the files completes it";
    status.subject = static_cast<int>(number);
    return status;
  };
  for (std::size_t i = 0; i < steps.size(); ++i) try {
      if (weir::carry_out(steps[i]) == Published::gone)
        return failed(i, {WEIR_EIO, in_quotes(steps[i].path) + " was moved, replaced or changed during a commit", -1});
    } catch (const Error& error) {
      return failed(i, {error.code(), error.what(), -1});
    }
  for (std::size_t i = 0; i < steps.size() && durability_ == Durability::storage; ++i)
    if (Status status = complete_step(steps[i]); !status.ok()) return failed(i, std::move(status));
  if (const int error = write(void_sum); error != 0)
    return failed(0, {WEIR_EIO, "writing of " + in_quotes(record_.path()) + ": " + std::strerror(error), -1});
  stands_ = false;
  return {};
}

// What is there is the next run's to deal with: it is locked no more.
void GroupRecord::give_up() noexcept {
  links_.clear();
  record_.close();
}

// The record goes before the last link to it, so that a kill in between leaves nothing that cannot be found.
void GroupRecord::leave(const std::string& path) noexcept {
  const auto mine = links_.find(path);
  if (mine == links_.end()) return;
  links_.erase(mine);
  if (links_.empty()) {
    ::unlink(record_.path().c_str());
    record_.close();
  }
  ::unlink(group_link_name(path).c_str());
}

}  // namespace weir
