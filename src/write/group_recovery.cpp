// SPDX-License-Identifier: Apache-2.0
// Recovers a commit of several files that a run has left unfinished.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <thread>

#include "base/spelling.hpp"
#include "write/group_names.hpp"
#include "write/group_record.hpp"
#include "write/path_problem.hpp"
#include "write/whole_write.hpp"

namespace weir {

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
  require(opened >= 0 || errno == ENOENT || errno == ENOTDIR || errno == ELOOP, WEIR_EIO, [&] {
    return "cannot determine whether a commit was interrupted in " + in_quotes(name) + ": " + std::strerror(errno) +
           "; let the owner of the files run weir-verify --clean";
  });
  return {opened, name};
}

// Absolute again; empty where the record is void.
std::vector<PublishStep> steps_in(const Descriptor& record) try {
  std::vector<std::byte> bytes(static_cast<std::size_t>(record.bytes()));
  bytes.resize(static_cast<std::size_t>(record.read_up_to(bytes.data(), std::ssize(bytes), 0)));
  std::optional<CheckedReader> words = CheckedReader::open(bytes, group_record_mark);
  std::vector<PublishStep> steps;
  if (!words) return steps;
  const fs::path folder = fs::path(record.path()).parent_path();
  for (std::int64_t left = words->word(); left > 0; --left) {
    PublishStep step = PublishStep::read(*words);
    for (std::string* path : {&step.path, &step.written_path}) *path = (folder / *path).lexically_normal().string();
    steps.push_back(std::move(step));
  }
  return steps;
} catch (const Error& error) {
  if (error.code() == WEIR_EFORMAT) return {};
  throw;
}

// False where a run that lives holds it.
bool lock(const Descriptor& record) {
  if (uninterrupted([&] { return ::flock(record.number(), LOCK_EX | LOCK_NB); }) == 0) return true;
  require(errno == EWOULDBLOCK, WEIR_EIO, [&] {
    return "cannot determine whether a commit is in progress or was interrupted for " + in_quotes(record.path()) + ": " +
           std::strerror(errno) + "; let the owner of the files run weir-verify --clean where they were written";
  });
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
  require(!problem, WEIR_EIO,
          [&] { return "the folder " + in_quotes(directory_of(path)) + " cannot be found: " + problem.message(); });
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
