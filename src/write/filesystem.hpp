// SPDX-License-Identifier: Apache-2.0
// Determines the kind of a file's file system: whether several hosts see it, whether disjoint pwrites of several hosts
// into one file are coherent, and how it stripes. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>

namespace weir {

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

}  // namespace weir
