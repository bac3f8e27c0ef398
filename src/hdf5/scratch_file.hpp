// SPDX-License-Identifier: Apache-2.0
// A temporary file that netCDF-C writes, and whose contents are then read. Local.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace weir {

// A file of this name for a moment: in memory where the machine has such a folder, else where temporary files go. HDF5
// follows links, so one without a name, by its link in /proc, will not do; and what netCDF-C makes in memory itself
// lists variables by their names.
class ScratchFile {
 public:
  ScratchFile() {
    std::error_code none;
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    path_ = (memory ? "/dev/shm" : std::filesystem::temp_directory_path(none).string()) + "/weir-definition-XXXXXX";
    const int made = ::mkstemp(path_.data());
    require(made >= 0, WEIR_EIO, [&] { return "cannot make " + path_ + ": " + std::strerror(errno); });
    ::close(made);
  }
  ~ScratchFile() { ::unlink(path_.c_str()); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::vector<std::byte> contents() const {
    const Descriptor file = open_to_read(path_);
    std::vector<std::byte> bytes(static_cast<std::size_t>(file.bytes()));
    file.read(bytes.data(), std::ssize(bytes), 0);
    return bytes;
  }

 private:
  std::string path_;
};

}  // namespace weir
