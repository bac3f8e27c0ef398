// SPDX-License-Identifier: Apache-2.0
// What a file system allows, and why a path may not be read, written or made, in words. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"

namespace weir {

// Determines the kind of a file's file system: whether several hosts see it, whether disjoint pwrites of several hosts
// into one file are coherent, and how it stripes. Local.

struct FileSystem {
  std::string name;                   // "ext4", "lustre", "fuse.glusterfs", ...
  std::int64_t stripe_bytes = 0;      // bytes that one server holds in a row; 0: not striped, or not known
  bool shared_between_hosts = false;  // every host sees the same files
  bool coherent = false;              // disjoint extents written by several hosts are all there afterwards
  bool past_cache = false;            // known to be written well past the page cache of the system
};

// Of the file `path`, or of its directory where there is no such file. What is not known counts as shared and not
// coherent, unless it lies on a disk of this host. Throws Error(WEIR_EIO) where there is no such directory.
FileSystem inspect_file_system(const std::string& path);

// The parts of it that read foreign formats:
// The stripe size in the extended attribute "lustre.lov" (lov_user_md, versions 1 and 3); 0 where it is another thing.
std::int64_t lustre_stripe_bytes(std::span<const std::byte> lov) noexcept;

struct Mount {
  std::string type;    // "" where the device is not listed
  std::string source;  // a device, a server, or a word
};
// The line of /proc/self/mountinfo for a device number.
Mount find_mount(std::istream& mountinfo, unsigned major, unsigned minor);

// Finds out why a path cannot be written, in words that say what to do. Local; changes nothing.

// "/data" of "/data/history.nc", "." of "history.nc".
std::string directory_of(const std::string& path);

// What stands at `path` that a new file must not take the place of (directory, device, pipe), as a sentence; nullopt
// where there is a file or nothing.
std::optional<std::string> target_problem(const std::string& path);

// Why a new file or folder cannot take the name `path`, as a sentence: its last part is "." or "..", the folder is not
// there, is none, or takes no new names; or what has the name now may not be written. nullopt where nothing is known.
std::optional<std::string> name_problem(const std::string& path);

// Without the slashes at its end; "/" stays.
std::string without_last_slashes(const std::string& path);

// Why a file at `path` could not be written, as a sentence; nullopt where it could, so far as that shows without
// writing.
std::optional<std::string> writability_problem(const std::string& path);

// The errno of opening a file that exists for writing; 0 where that succeeds.
int error_of_opening(const std::string& path);

// errno `error` of a call that writes into an open file, and what to do about it.
std::string storage_reason(int error);
// A call of the system on this path has failed, and errno says why.
Status failed_call(const char* call, const std::string& path);

// The sentence for errno `error` of trying to `what` (create, write) the file `path`.
std::string write_error_message(const std::string& path, const char* what, int error);

}  // namespace weir
