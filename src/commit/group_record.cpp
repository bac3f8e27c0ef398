// SPDX-License-Identifier: Apache-2.0
// The record of a run that commits; group_recovery.cpp has the recovery by the next run.
#include "commit/group_record.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <thread>

#include "base/numbers.hpp"
#include "base/text.hpp"
#include "commit/checked_record.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_record(const std::string& name, const char* call, int error) {
  throw Error(WEIR_EIO, "{} of \"{}\", by which files are committed as one: {}", call, name, std::strerror(error));
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
      return formatted(
          "\"{}\" and \"{}\" are on two file systems, and after a crash one may be available without the other, so "
          "they cannot be committed as one: put them on one file system, or sync each by itself",
          paths.front(), path);
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
  throw Error(WEIR_EIO,
              "files in \"{}\" cannot be committed as one: its file system has no locks ({}), which the next run needs "
              "to know that this one has ended",
              folder, std::strerror(error));
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
  std::vector<PublishStep> relative;
  for (const PublishStep& step : steps) {
    if (link(step.path)) changed[directory_of(step.path)] = step.path;
    relative.push_back(relative_to(folder_, step));
  }
  if (durability_ == Durability::storage)
    for (const auto& [parent, name] : changed) sync_folder(name).raise();
  stands_ = true;
  const int error = write(sealed_record(group_record_mark, relative));
  if (error == 0) return;
  stands_ = write(void_sum) != 0;
  const std::string name = record_.path();
  if (stands_) give_up();
  fail_record(name, "writing", error);
}

Status GroupRecord::carry_out(std::span<const PublishStep> steps, std::size_t& failed_step) {
  const auto failed = [&](std::size_t number, Status status) {
    give_up();
    status.message += "; the commit is decided, and the next run that opens one of the files completes it";
    failed_step = number;
    return status;
  };
  for (std::size_t i = 0; i < steps.size(); ++i) try {
      if (weir::carry_out(steps[i]) == Published::gone)
        return failed(i, {WEIR_EIO, formatted("\"{}\" was moved, replaced or changed during a commit", steps[i].path)});
    } catch (const Error& error) {
      return failed(i, {error.code(), error.what()});
    }
  for (std::size_t i = 0; i < steps.size() && durability_ == Durability::storage; ++i)
    if (Status status = complete_step(steps[i]); !status.ok()) return failed(i, std::move(status));
  if (const int error = write(void_sum); error != 0)
    return failed(0, {WEIR_EIO, formatted("writing of \"{}\": {}", record_.path(), std::strerror(error))});
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

// Recovers a commit of several files that a run has left unfinished.

namespace fs = std::filesystem;

namespace {

constexpr int record_token_digits = 8;
constexpr int most_looks = 500;  // at a commit that is under way
constexpr std::chrono::milliseconds between_looks{10};

// Where the link next to a file leads; empty where there is none, or not one of Weir's.
std::string record_of(const std::string& path) {
  std::error_code none;
  const fs::path target = fs::read_symlink(group_link_name(path), none);
  if (none || !is_group_record_name(target.filename().string())) return {};
  return (fs::path(canonical_folder(path)) / target).lexically_normal().string();
}

// To be read by any user who may read it. Not open where it is not there.
Descriptor open_record(const std::string& name) {
  int opened = uninterrupted([&] { return ::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW); });
  if (opened < 0 && (errno == EACCES || errno == EROFS))
    opened = uninterrupted([&] { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); });
  if (opened < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
    throw Error(WEIR_EIO,
                "cannot determine whether a commit was interrupted in \"{}\": {}; let the owner of the files run "
                "weir-verify --clean",
                name, std::strerror(errno));
  return {opened, name};
}

// Absolute again; empty where the record is void.
std::vector<PublishStep> steps_in(const Descriptor& record) try {
  std::vector<std::byte> bytes(static_cast<std::size_t>(record.bytes()));
  bytes.resize(static_cast<std::size_t>(record.read_up_to(bytes.data(), std::ssize(bytes), 0)));
  auto steps = read_sealed_record<std::vector<PublishStep>>(group_record_mark, bytes);
  if (!steps) return {};
  const fs::path folder = fs::path(record.path()).parent_path();
  for (PublishStep& step : *steps)
    for (std::string* path : {&step.path, &step.written_path}) *path = (folder / *path).lexically_normal().string();
  return std::move(*steps);
} catch (const Error& error) {
  if (error.code() == WEIR_EFORMAT) return {};
  throw;
}

// False where a run that lives holds it.
bool lock(const Descriptor& record) {
  if (uninterrupted([&] { return ::flock(record.number(), LOCK_EX | LOCK_NB); }) == 0) return true;
  if (errno != EWOULDBLOCK)
    throw Error(WEIR_EIO,
                "cannot determine whether a commit is in progress or was interrupted for \"{}\": {}; let the owner of "
                "the files run weir-verify --clean where they were written",
                record.path(), std::strerror(errno));
  return false;
}

// Files of others are touched for them by no rank but who has written the record, and by root's.
std::optional<uid_t> believed_owner(const Descriptor& record) {
  struct stat status {};
  if (::fstat(record.number(), &status) == 0 && (status.st_uid == 0 || status.st_uid == ::geteuid()))
    return std::nullopt;
  return status.st_uid;
}

// As far as they lead to this record.
void remove_links(const std::string& record, const std::string& path, const std::vector<PublishStep>& steps) {
  std::vector<std::string> paths{path};
  for (const PublishStep& step : steps) paths.push_back(step.path);
  for (const std::string& each : paths) try {
      if (record_of(each) == record) ::unlink(group_link_name(each).c_str());
    } catch (const Error&) {  // its folder is gone
    }
}

FinishedCommit finish(const Descriptor& record, const std::vector<PublishStep>& steps) {
  const std::optional<uid_t> owner = believed_owner(record);
  FinishedCommit finished;
  std::vector<const PublishStep*> done;
  for (const PublishStep& step : steps) {
    const bool published = carry_out(step, owner) == Published::done;
    (published ? finished.published : finished.left).push_back(step.path);
    if (published) done.push_back(&step);
  }
  for (const PublishStep* step : done) complete_step(*step).raise();
  return finished;
}

}  // namespace

std::string group_record_name(const std::string& folder, std::uint32_t token) {
  char digits[record_token_digits + 1];
  std::snprintf(digits, sizeof digits, "%08x", token);
  return folder + "/" + group_record_prefix + digits;
}

bool is_group_record_name(const std::string& name) {
  const std::string_view prefix(group_record_prefix);
  return name.size() == prefix.size() + record_token_digits && name.starts_with(prefix) &&
         std::all_of(name.begin() + std::ssize(prefix), name.end(), [](unsigned char c) { return std::isxdigit(c); });
}

std::string canonical_folder(const std::string& path) {
  std::error_code problem;
  const fs::path folder = fs::canonical(directory_of(path), problem);
  if (problem) throw Error(WEIR_EIO, "the folder \"{}\" cannot be found: {}", directory_of(path), problem.message());
  return folder.string();
}

std::optional<FinishedCommit> finish_group_commit(const std::string& path) {
  const std::string name = record_of(path);
  if (name.empty()) return std::nullopt;
  const Descriptor record = open_record(name);
  if (record.number() < 0) return remove_links(name, path, {}), std::nullopt;
  for (int looks = 0; !lock(record); ++looks) {
    if (steps_in(record).empty() || looks == most_looks) return std::nullopt;  // of a run that lives
    std::this_thread::sleep_for(between_looks);
  }
  if (mark_of(name) != mark_of(record.number())) return std::nullopt;  // another run has completed it meanwhile
  const std::vector<PublishStep> steps = steps_in(record);
  std::optional<FinishedCommit> finished;
  if (!steps.empty()) finished = finish(record, steps);
  ::unlink(name.c_str());
  if (finished) sync_folder(name).raise();
  remove_links(name, path, steps);
  return finished;
}

bool has_interrupted_group_commit(const std::string& path) {
  const std::string name = record_of(path);
  if (name.empty()) return false;
  const Descriptor record = open_record(name);
  return record.number() >= 0 && lock(record) && !steps_in(record).empty();
}

}  // namespace weir
