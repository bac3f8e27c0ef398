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

ScratchFile::ScratchFile() : file_(memfd_create("weir-header", MFD_CLOEXEC), "header in memory") {
  if (file_.number() < 0) fail("make");
}

ScratchFile::ScratchFile(std::span<const std::byte> contents) : ScratchFile() {
  while (!contents.empty()) {
    const ssize_t written = uninterrupted([&] { return ::write(file_.number(), contents.data(), contents.size()); });
    if (written <= 0) fail("fill");
    contents = contents.subspan(static_cast<std::size_t>(written));
  }
}

std::string ScratchFile::path() const {
  return "/proc/self/fd/" + std::to_string(file_.number());
}

int ScratchFile::reserve(std::int64_t bytes) const {
  return ::posix_fallocate(file_.number(), 0, static_cast<off_t>(bytes));
}

std::vector<std::byte> ScratchFile::read(std::int64_t bytes) const {
  std::vector<std::byte> contents(static_cast<std::size_t>(bytes));
  file_.read(contents.data(), bytes, 0);
  return contents;
}

}  // namespace weir
