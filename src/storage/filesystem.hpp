// SPDX-License-Identifier: Apache-2.0
// What a file system can do; why a path cannot be read, written or created, in words; whole writes, and new names on
// stable storage. formats/output_file.hpp: choose_sink() asks. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"

namespace weir {

// What is known of a file system.
struct FileSystem {
  std::string name;                   // "ext4", "lustre", "fuse.glusterfs", ...
  std::int64_t stripe_bytes = 0;      // bytes in a row on one server; 0: not striped, or not known
  bool shared_between_hosts = false;  // every host sees the same files
  bool coherent = false;              // disjoint extents that several hosts write are all there afterwards
  bool past_cache = false;            // known to be fast past the page cache
};

// Inspects the file system of `path`, or of its directory if there is no such file. Unless it is a disk of this host,
// an unknown file system counts as shared and not coherent.
// Errors: WEIR_EIO if there is no such directory.
FileSystem inspect_file_system(const std::string& path);

// Returns the stripe size in the extended attribute "lustre.lov" (lov_user_md, versions 1 and 3); 0 for other contents.
std::int64_t lustre_stripe_bytes(std::span<const std::byte> lov) noexcept;

// A line of /proc/self/mountinfo.
struct Mount {
  std::string type;    // "" if the device is not listed
  std::string source;  // a device, a server, or another word
};
// Returns the line of /proc/self/mountinfo for a device number.
Mount find_mount(std::istream& mountinfo, unsigned major, unsigned minor);

// Returns "/data" for "/data/history.nc", "." for "history.nc".
std::string directory_of(const std::string& path);

// Returns, as a sentence, what is at `path` that a new file must not replace (directory, device, pipe); nullopt for a
// file or nothing.
std::optional<std::string> target_problem(const std::string& path);

// Returns, as a sentence, why a new file or folder cannot have the name `path`: its last part is "." or "..", its
// directory is missing, is none, or is not writable; or the file that has the name is not writable. nullopt if nothing
// is known.
std::optional<std::string> name_problem(const std::string& path);

// Returns the path without slashes at its end; "/" stays.
std::string without_last_slashes(const std::string& path);

// Returns, as a sentence, why a file at `path` could not be written, as far as that can be known without writing; else
// nullopt.
std::optional<std::string> writability_problem(const std::string& path);

// Returns the errno of opening an existing file for writing; 0 if that succeeds.
int error_of_opening(const std::string& path);

// Returns what errno `error` of a write means, and what to do about it.
std::string storage_reason(int error);
// Returns the failure of a system call on this path. Reads errno.
Status failed_call(const char* call, const std::string& path);

// Returns the sentence for errno `error` of an attempt to `what` (create, write) the file `path`.
std::string write_error_message(const std::string& path, const char* what, int error);

// Returns 0, or the errno of the write that failed.
int write_whole(int descriptor, std::span<const std::byte> bytes, std::int64_t offset);

// Brings the entry of `path` in its folder to stable storage, as a new name needs.
Status sync_folder(const std::string& path);

}  // namespace weir
