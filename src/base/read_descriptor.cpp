// SPDX-License-Identifier: Apache-2.0
#include "base/read_descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace weir {

ReadDescriptor::ReadDescriptor(const std::string& path)
    : path_(path), number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  require(number_ >= 0, WEIR_EIO, "open of " + path + ": " + std::strerror(errno));
}

ReadDescriptor::~ReadDescriptor() {
  ::close(number_);
}

void ReadDescriptor::read(std::byte* target, std::int64_t bytes, std::int64_t offset) const {
  while (bytes > 0) {
    const ssize_t done = ::pread(number_, target, static_cast<std::size_t>(bytes), offset);
    if (done < 0 && errno == EINTR) continue;
    require(done >= 0, WEIR_EIO, "read of " + path_ + ": " + std::strerror(errno));
    require(done > 0, WEIR_EIO, path_ + " ends before byte " + std::to_string(offset + bytes));
    target += done;
    bytes -= done;
    offset += done;
  }
}

std::int64_t ReadDescriptor::bytes() const {
  struct stat status {};
  require(::fstat(number_, &status) == 0, WEIR_EIO, "stat of " + path_ + ": " + std::strerror(errno));
  return status.st_size;
}

}  // namespace weir
