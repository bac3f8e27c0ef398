// SPDX-License-Identifier: Apache-2.0
#include "storage/filesystem.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {
namespace {

enum class Reach { local, coherent, incoherent };  // this host alone; all hosts, with or without coherent writes
enum class Stripes { none, lustre, block };        // block: the file system reports its stripe as st_blksize

struct Kind {
  std::uint32_t magic;  // f_type of statfs
  std::string_view name;
  Reach reach;
  Stripes stripes;
};

// The numbers are those of linux/magic.h, and of the file systems' own headers for those the kernel does not carry.
constexpr std::array<Kind, 22> kinds{{
    {0x01021994, "tmpfs", Reach::local, Stripes::none},       {0x858458F6, "ramfs", Reach::local, Stripes::none},
    {0x0000EF53, "ext4", Reach::local, Stripes::none},        {0x58465342, "xfs", Reach::local, Stripes::none},
    {0x9123683E, "btrfs", Reach::local, Stripes::none},       {0xF2F52010, "f2fs", Reach::local, Stripes::none},
    {0x2FC12FC1, "zfs", Reach::local, Stripes::none},         {0x794C7630, "overlayfs", Reach::local, Stripes::none},
    {0x00006969, "nfs", Reach::incoherent, Stripes::none},    {0x0000517B, "smb", Reach::incoherent, Stripes::none},
    {0xFF534D42, "cifs", Reach::incoherent, Stripes::none},   {0xFE534D42, "smb2", Reach::incoherent, Stripes::none},
    {0x01021997, "9p", Reach::incoherent, Stripes::none},     {0x5346414F, "afs", Reach::incoherent, Stripes::none},
    {0x0BD00BD0, "lustre", Reach::coherent, Stripes::lustre}, {0x47504653, "gpfs", Reach::coherent, Stripes::block},
    {0x19830326, "beegfs", Reach::coherent, Stripes::block},  {0x00C36400, "ceph", Reach::coherent, Stripes::block},
    {0xAAD7AAEA, "panfs", Reach::coherent, Stripes::block},   {0x01161970, "gfs2", Reach::coherent, Stripes::none},
    {0x7461636F, "ocfs2", Reach::coherent, Stripes::none},    {0x20030528, "orangefs", Reach::coherent, Stripes::block},
}};
constexpr std::array<std::string_view, 2> past_cache{"ext4", "xfs"};
constexpr std::uint32_t fuse_magic = 0x65735546;

// File systems in user space that keep disjoint writes of several hosts apart.
constexpr std::array<std::string_view, 4> coherent_fuse{"fuse.glusterfs", "fuse.ceph-fuse", "fuse.ceph",
                                                        "fuse.juicefs"};

struct Inspected {
  std::string place;  // what exists: the file or its directory
  struct stat status {};
  std::uint32_t magic = 0;
};

Inspected inspect(const std::string& path) {
  Inspected found{path};
  if (::stat(path.c_str(), &found.status) != 0) {
    found.place = directory_of(path);
    if (::stat(found.place.c_str(), &found.status) != 0)
      throw Error(WEIR_EIO, write_error_message(path, "create", errno));
  }
  struct statfs system {};
  if (::statfs(found.place.c_str(), &system) != 0) {
    throw Error(WEIR_EIO, "cannot determine the file system of \"{}\": {}", found.place, std::strerror(errno));
  }
  found.magic = static_cast<std::uint32_t>(system.f_type);
  return found;
}

std::int64_t lustre_stripes_of(const std::string& place) {
  std::array<std::byte, 4096> lov{};
  const ssize_t got = ::getxattr(place.c_str(), "lustre.lov", lov.data(), lov.size());
  return got <= 0 ? 0 : lustre_stripe_bytes(std::span(lov).first(static_cast<std::size_t>(got)));
}

std::int64_t stripes_of(const Inspected& found, Stripes stripes) {
  if (stripes == Stripes::none) return 0;
  const std::int64_t told = stripes == Stripes::lustre ? lustre_stripes_of(found.place) : 0;
  return told > 0 ? told : static_cast<std::int64_t>(found.status.st_blksize);
}

FileSystem judge(std::string_view name, Reach reach, std::int64_t stripe_bytes) {
  return {std::string(name), stripe_bytes, reach != Reach::local, reach != Reach::incoherent, false};
}

// What statfs cannot name, the table of mounts may.
FileSystem inspect_mount(const Inspected& found) {
  std::ifstream mountinfo("/proc/self/mountinfo");
  const Mount mount = find_mount(mountinfo, major(found.status.st_dev), minor(found.status.st_dev));
  std::ostringstream number;
  number << "unknown (0x" << std::hex << found.magic << ')';
  const bool is_fuse = found.magic == fuse_magic;
  const std::string name = !mount.type.empty() ? mount.type : (is_fuse ? "fuse" : number.str());
  if (std::find(coherent_fuse.begin(), coherent_fuse.end(), name) != coherent_fuse.end()) {
    return judge(name, Reach::coherent, 0);
  }
  const bool on_own_disk = mount.source.starts_with("/dev/") && mount.source != "/dev/fuse";
  return judge(name, on_own_disk ? Reach::local : Reach::incoherent, 0);
}

}  // namespace

std::int64_t lustre_stripe_bytes(std::span<const std::byte> lov) noexcept {
  // lov_user_md: u32 magic, u32 pattern, 16 bytes of object, u32 stripe size, u16 count, ... in the host's byte order.
  constexpr std::uint32_t version_1 = 0x0BD10BD0;
  constexpr std::uint32_t version_3 = 0x0BD30BD0;
  constexpr std::size_t stripe_size_offset = 24;
  std::uint32_t magic = 0;
  std::uint32_t stripe_bytes = 0;
  if (lov.size() < stripe_size_offset + sizeof(stripe_bytes)) return 0;
  std::memcpy(&magic, lov.data(), sizeof(magic));
  std::memcpy(&stripe_bytes, lov.data() + stripe_size_offset, sizeof(stripe_bytes));
  // Lustre stripes in multiples of 64 KiB: anything else is not what we take it for.
  const bool plausible = stripe_bytes > 0 && stripe_bytes % (64U << 10) == 0;
  return (magic == version_1 || magic == version_3) && plausible ? stripe_bytes : 0;
}

Mount find_mount(std::istream& mountinfo, unsigned major, unsigned minor) {
  const std::string device = formatted("{}:{}", major, minor);
  // 36 35 98:0 /root /place options [optional ...] - type source options
  for (std::string line; std::getline(mountinfo, line);) {
    std::istringstream fields(line);
    std::string field;
    fields >> field >> field >> field;
    if (field != device) continue;
    while (fields >> field && field != "-") {
    }
    Mount mount;
    if (fields >> mount.type >> mount.source) return mount;
  }
  return {};
}

FileSystem inspect_file_system(const std::string& path) {
  const Inspected found = inspect(path);
  const auto* kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.magic == found.magic; });
  if (kind == kinds.end()) return inspect_mount(found);
  FileSystem system = judge(kind->name, kind->reach, stripes_of(found, kind->stripes));
  system.past_cache = std::find(past_cache.begin(), past_cache.end(), kind->name) != past_cache.end();
  return system;
}

namespace {

// Of the effective user.
int error_of_access(const std::string& path, int wanted) {
  return ::faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) == 0 ? 0 : errno;
}

// Why a folder takes no new name.
int error_of_naming_in(const std::string& directory) {
  return error_of_access(directory + "/.", W_OK | X_OK);
}

}  // namespace

std::string directory_of(const std::string& path) {
  const auto slash = path.find_last_of('/');
  if (slash == path.npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<std::string> target_problem(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return std::nullopt;
  if (S_ISDIR(status.st_mode)) return formatted("{} is a directory: give a file's path", path);
  return formatted("{} is a device, pipe or socket, which a file must not replace: give a file's path", path);
}

std::optional<std::string> name_problem(const std::string& path) {
  const std::string last = path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
  if (last == "." || last == "..")
    return formatted("{} is the folder \"{}\" and not the name of a new file; give the file a name", path, last);
  if (const int error = error_of_naming_in(directory_of(path)); error != 0)
    return write_error_message(path, "create", error);
  const int error = error_of_access(path, W_OK);
  if (error == 0 || error == ENOENT) return std::nullopt;
  return write_error_message(path, "replace", error);
}

std::string without_last_slashes(const std::string& path) {
  const auto last = path.find_last_not_of('/');
  return last == path.npos ? path.substr(0, 1) : path.substr(0, last + 1);
}

// By opening and not by access(2), which asks for the real user.
int error_of_opening(const std::string& path) {
  const int number = uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); });
  if (number < 0) return errno == ENXIO ? 0 : errno;  // ENXIO: a pipe that no rank reads yet
  ::close(number);
  return 0;
}

std::optional<std::string> writability_problem(const std::string& path) {
  int error = error_of_opening(path);
  if (error == ENOENT) error = error_of_naming_in(directory_of(path));
  if (error == 0) return std::nullopt;
  return write_error_message(path, "write", error);
}

std::string storage_reason(int error) {
  return std::strerror(error) +
         std::string(error == ENOSPC || error == EDQUOT ? ": make room, or write elsewhere" : "");
}

Status failed_call(const char* call, const std::string& path) {
  const std::string why = storage_reason(errno);
  return {WEIR_EIO, formatted("{} of {}: {}", call, path, why)};
}

std::string write_error_message(const std::string& path, const char* what, int error) {
  const std::string start = formatted("cannot {} \"{}\": ", what, path);
  const std::string directory = in_quotes(directory_of(path));
  switch (error) {
    case ENOENT:
      if (::access(directory_of(path).c_str(), F_OK) == 0)
        return formatted("{}the directory {} takes no new files; choose another", start, directory);
      return formatted("{}the directory {} does not exist; make it first", start, directory);
    case ENOTDIR:
      return formatted("{}a part of the path {} is a file; give a directory", start, directory);
    case ENAMETOOLONG:
      return formatted("{}File name too long, with what Weir adds to it; give a shorter one", start);
    case EISDIR:
      return formatted("{}it is a directory; give a file's path", start);
    case EACCES:
    case EPERM:
      if (std::string_view(what) == "append to")
        return formatted("{}permission denied; change its permissions, or open it with WEIR_NOWRITE to read it", start);
      if (std::string_view(what) == "replace")
        return formatted("{}permission denied; change its permissions, or choose another path", start);
      return formatted("{}permission denied; choose a directory in which you may write", start);
    case EROFS:
      return formatted("{}the file system is read-only; choose another directory", start);
    case ENOSPC:
      return formatted("{}No space left on device; free space or choose another directory", start);
    case EDQUOT:
      return formatted("{}the quota is used up; free space or choose another directory", start);
    case EFBIG:
      return formatted("{}the file would be larger than the limit; raise it (ulimit -f) or choose another directory",
                       start);
    default:
      return formatted("{}{}; choose another path", start, std::strerror(error));
  }
}

int write_whole(int descriptor, std::span<const std::byte> bytes, std::int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted([&] { return ::pwrite(descriptor, bytes.data(), bytes.size(), offset); });
    if (written < 0) return errno;
    if (written == 0) return EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += written;
  }
  return 0;
}

Status sync_folder(const std::string& path) {
  const std::string parent = directory_of(path);
  const Descriptor folder(uninterrupted([&] { return ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }),
                          parent);
  if (folder.number() >= 0 && (uninterrupted([&] { return ::fsync(folder.number()); }) == 0 || errno == EINVAL))
    return {};
  return {WEIR_EIO, formatted("fsync of the folder \"{}\": {}", parent, std::strerror(errno))};
}

}  // namespace weir
