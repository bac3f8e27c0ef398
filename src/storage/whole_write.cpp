// SPDX-License-Identifier: Apache-2.0
#include "storage/whole_write.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "storage/filesystem.hpp"

namespace weir {

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
