// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "base/spelling.hpp"
#include "write/change_journal.hpp"
#include "write/partial.hpp"
#include "write/trouble.hpp"
#include "write/whole_write.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr const char* text_name = "zarr.json";

Status failure(const char* call, const std::string& path) {
  return {WEIR_EIO, std::string(call) + " of " + path + ": " + std::strerror(errno), -1};
}

bool exists(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

bool swap_names(const std::string& one, const std::string& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

// Known before the model has computed anything: a folder cannot be renamed over another one.
void require_exchange(const std::string& path, const std::string& made) {
  if (!exists(path)) return;
  const std::string one = made + "/.one.weir", other = made + "/.other.weir";
  const bool can = ::mkdir(one.c_str(), 0777) == 0 && ::mkdir(other.c_str(), 0777) == 0 && swap_names(one, other);
  const std::string why = std::strerror(errno);
  ::rmdir(one.c_str());
  ::rmdir(other.c_str());
  require(can, WEIR_EIO,
          in_quotes(path) + " exists, and its file system cannot put another folder in its place at once (" + why +
              "); remove it first, or choose another path");
}

}  // namespace

bool is_zarr_folder(const std::string& path) {
  const auto has = [&](const char* name) { return ::access((path + "/" + name).c_str(), F_OK) == 0; };
  return has(text_name) || has(".zgroup") || has(".zarray");
}

std::optional<std::string> zarr_target_trouble(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return target_trouble(path);
  if (is_zarr_folder(path)) return std::nullopt;
  return path + " is a directory and no Zarr folder, which a new one must not replace: give another path";
}

Status write_pending(const std::string& folder, const std::string& name, std::span<const std::byte> bytes,
                     Durability durability) {
  const std::string path = folder + "/" + pending_name(name);
  const Descriptor file(
      uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666); }),
      path);
  if (file.number() < 0) return failure("making", path);
  errno = write_whole(file.number(), bytes, 0);
  if (errno != 0) return failure("writing", path);
  if (durability == Durability::storage && uninterrupted([&] { return ::fsync(file.number()); }) != 0)
    return failure("fsync", path);
  return {};
}

Status show_pending(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  if (std::rename((folder + "/" + pending_name(name)).c_str(), path.c_str()) == 0) return {};
  return failure("renaming", path);
}

ZarrFolder::ZarrFolder(std::string path, const std::vector<std::string>& arrays, Durability durability)
    : path_(std::move(path)), durability_(durability), folder_(-1, path_) {
  if (const auto trouble = zarr_target_trouble(path_)) throw Error(WEIR_EIO, *trouble);
  take_back_commit(path_);  // of a netCDF-4 file that had the name
  remove_leftover(path_);
  written_path_ =
      make_partial(path_, [](const std::string& name) { return ::mkdir(name.c_str(), 0777) == 0 ? 0 : errno; });
  try {
    make(arrays);
  } catch (const Error&) {
    discard();
    throw;
  }
}

void ZarrFolder::make(const std::vector<std::string>& arrays) {
  folder_ = Descriptor(::open(written_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), written_path_);
  require(folder_.number() >= 0, WEIR_EIO, [&] { return write_trouble(path_, "create", errno); });
  static_cast<void>(::flock(folder_.number(), LOCK_EX | LOCK_NB));  // for who cleans up, where the system has it
  struct stat older {};
  if (::stat(path_.c_str(), &older) == 0) {
    require(::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) == 0, WEIR_EIO,
            [&] { return write_trouble(path_, "replace", errno); });
    if (S_ISDIR(older.st_mode)) static_cast<void>(::fchmod(folder_.number(), older.st_mode & 07777));
  }
  require_exchange(path_, written_path_);
  for (const std::string& array : arrays)
    require(::mkdir(within(array).c_str(), 0777) == 0, WEIR_EIO,
            [&] { return write_trouble(within(array), "create", errno); });
  identity_ = identity_of(folder_.number(), written_path_);
}

std::string ZarrFolder::within(const std::string& folder) const {
  return folder.empty() ? written_path_ : written_path_ + "/" + folder;
}

Status ZarrFolder::sync(const std::string& folder) const {
  return durability_ == Durability::storage ? sync_folder(within(folder) + "/" + text_name) : Status{};
}

// Before anything is made visible.
Status ZarrFolder::check_same() const {
  if (const auto trouble = other_file_trouble(written_path_, identity_)) return refuse_to_commit(*trouble, "folder");
  const auto known = shown_.find("");
  if (known == shown_.end()) return {};
  const Descriptor text = open_to_read(within("") + "/" + text_name);
  std::string found(static_cast<std::size_t>(text.bytes()), '\0');
  text.read(std::as_writable_bytes(std::span(found)).data(), std::ssize(found), 0);
  if (found == known->second) return {};
  return {WEIR_EIO,
          in_quotes(text.path()) +
              " is not as this run has written it: another program has changed it meanwhile; nothing more is written",
          -1};
}

// All are written before the first is published, so that the moment in which some are new and others old is short.
Status ZarrFolder::show_texts(std::vector<ZarrDocument>& documents) {
  std::erase_if(documents, [&](const ZarrDocument& document) {
    const auto known = shown_.find(document.folder);
    return known != shown_.end() && known->second == document.text;
  });
  for (const ZarrDocument& document : documents) {
    const auto bytes = std::as_bytes(std::span(document.text));
    if (Status status = write_pending(within(document.folder), text_name, bytes, durability_); !status.ok())
      return status;
  }
  for (ZarrDocument& document : documents) {
    if (Status status = show_pending(within(document.folder), text_name); !status.ok()) return status;
    if (Status status = sync(document.folder); !status.ok()) return status;
    shown_[document.folder] = std::move(document.text);
  }
  return {};
}

Status ZarrFolder::publish(const std::vector<Pending>& files, std::vector<ZarrDocument> documents) try {
  if (Status status = check_same(); !status.ok()) return status;
  std::set<std::string> folders;
  for (const Pending& file : files) {
    if (Status status = show_pending(within(file.folder), file.name); !status.ok()) return status;
    folders.insert(file.folder);
  }
  for (const std::string& folder : folders)
    if (Status status = sync(folder); !status.ok()) return status;
  if (Status status = show_texts(documents); !status.ok()) return status;
  return visible() ? Status{} : give_name();
} catch (const Error& error) {
  return {error.code(), error.what(), -1};
}

// What had the name before has that of the new folder then, and goes.
Status ZarrFolder::give_name() {
  const bool replaces = exists(path_);
  const bool named =
      replaces ? swap_names(written_path_, path_) : std::rename(written_path_.c_str(), path_.c_str()) == 0;
  if (!named) return failure("rename", written_path_ + " to " + path_);
  if (durability_ == Durability::storage)
    if (Status status = sync_folder(path_); !status.ok()) return status;
  std::error_code none;
  if (replaces) fs::remove_all(written_path_, none);
  ::unlink(partial_name(path_).c_str());
  written_path_ = path_;
  return {};
}

void ZarrFolder::discard() noexcept {
  if (visible()) return;
  std::error_code none;
  fs::remove_all(written_path_, none);
  ::unlink(partial_name(path_).c_str());
}

}  // namespace weir
