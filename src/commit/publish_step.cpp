// SPDX-License-Identifier: Apache-2.0
#include "commit/publish_step.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "commit/partial.hpp"
#include "commit/undo_log.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

FileMark mark(int descriptor, const char* path, int how) {
  struct statx found {};
  if (::statx(descriptor, path, how, STATX_INO | STATX_BTIME, &found) != 0) return {};
  FileMark mark{static_cast<std::int64_t>(found.stx_ino), 0, 0};
  if ((found.stx_mask & STATX_BTIME) != 0) {
    mark.born_seconds = found.stx_btime.tv_sec;
    mark.born_nanoseconds = found.stx_btime.tv_nsec;
  }
  return mark;
}

[[noreturn]] void fail_step(const PublishStep& step, const char* call, int error) {
  throw Error(WEIR_EIO, "{} of \"{}\" in a commit: {}", call, step.path, std::strerror(error));
}

void require_owner(const PublishStep& step, uid_t found, const std::optional<uid_t>& owner) {
  require(!owner || *owner == found, WEIR_EIO,
          "a commit of \"{}\" was interrupted, and you do not own that file: let its owner run weir-verify --clean",
          step.path);
}

Published rename_file(const PublishStep& step, const std::optional<uid_t>& owner) {
  const FileMark now = mark_of(step.path);
  if (now == step.file) return Published::done;
  if (mark_of(step.written_path) != step.file || now != step.replaced) return Published::gone;
  struct stat status {};
  if (::lstat(step.written_path.c_str(), &status) != 0) fail_step(step, "a look", errno);
  require_owner(step, status.st_uid, owner);
  if (now.any() && ::lstat(step.path.c_str(), &status) == 0) require_owner(step, status.st_uid, owner);
  if (uninterrupted([&] { return std::rename(step.written_path.c_str(), step.path.c_str()); }) != 0)
    fail_step(step, "rename", errno);
  return Published::done;
}

// Each byte is as before or as it is to be: no other rank has written there.
bool is_between(const Descriptor& file, const Edit& edit) {
  std::vector<std::byte> now(std::min(edit.before.size(), edit.after.size()));
  if (file.read_up_to(now.data(), std::ssize(now), edit.offset) != std::ssize(now)) return false;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] != edit.before[i] && now[i] != edit.after[i]) return false;
  return true;
}

Descriptor open_to_edit(const PublishStep& step) {
  return {uninterrupted([&] { return ::open(step.path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW); }), step.path};
}

Published edit_file(const PublishStep& step, const std::optional<uid_t>& owner) {
  const Descriptor file = open_to_edit(step);
  if (file.number() < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)) return Published::gone;
  if (file.number() < 0) fail_step(step, "opening", errno);
  struct stat status {};
  if (mark_of(file.number()) != step.file || ::fstat(file.number(), &status) != 0) return Published::gone;
  if (!std::all_of(step.edits.begin(), step.edits.end(), [&](const Edit& edit) { return is_between(file, edit); }))
    return Published::gone;
  require_owner(step, status.st_uid, owner);
  for (const Edit& edit : step.edits)
    if (const int error = write_whole(file.number(), edit.after, edit.offset); error != 0)
      fail_step(step, "writing", error);
  if (step.length >= 0 && uninterrupted([&] { return ::ftruncate(file.number(), step.length); }) != 0)
    fail_step(step, "ftruncate", errno);
  if (step.ends_undo_log && ::unlink(undo_log_name(step.path).c_str()) != 0 && errno != ENOENT)
    fail_step(step, "removing of the undo log", errno);
  return Published::done;
}

}  // namespace

FileMark mark_of(int descriptor) {
  return mark(descriptor, "", AT_EMPTY_PATH);
}

FileMark mark_of(const std::string& path) {
  return mark(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW);
}

Published carry_out(const PublishStep& step, std::optional<uid_t> owner) {
  if (!step.renames()) return edit_file(step, owner);
  const Published published = rename_file(step, owner);
  if (published == Published::done) ::unlink(partial_name(step.path).c_str());
  return published;
}

Status complete_step(const PublishStep& step) {
  if (step.renames()) return sync_folder(step.path);
  const Descriptor file = open_to_edit(step);
  if (file.number() >= 0 && uninterrupted([&] { return ::fsync(file.number()); }) == 0)
    return step.ends_undo_log ? sync_folder(step.path) : Status{};
  return {WEIR_EIO, formatted("fsync of \"{}\" in a commit: {}", step.path, std::strerror(errno))};
}

}  // namespace weir
