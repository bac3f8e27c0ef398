// SPDX-License-Identifier: Apache-2.0
#include "write/scratch_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace weir {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(WEIR_EMEMORY, std::string("cannot ") + what +
                                " a file in memory for the header: " + std::strerror(errno) +
                                "; see the limits of memory, open files and file size (ulimit -a)");
}

}  // namespace

ScratchFile::ScratchFile() : descriptor_(memfd_create("weir-header", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail("make");
}

ScratchFile::ScratchFile(std::span<const std::byte> contents) : ScratchFile() {
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor_, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("fill");
    contents = contents.subspan(static_cast<std::size_t>(written));
  }
}

ScratchFile::~ScratchFile() {
  ::close(descriptor_);
}

std::string ScratchFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

int ScratchFile::reserve(std::int64_t bytes) const {
  return ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
}

std::vector<std::byte> ScratchFile::read(std::int64_t bytes) const {
  std::vector<std::byte> contents(static_cast<std::size_t>(bytes));
  std::size_t done = 0;
  while (done < contents.size()) {
    const ssize_t got = ::pread(descriptor_, contents.data() + done, contents.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return contents;
}

}  // namespace weir
