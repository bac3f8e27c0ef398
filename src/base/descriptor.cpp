// SPDX-License-Identifier: Apache-2.0
#include "base/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace weir {

Descriptor::Descriptor(int number, std::string path) : number_(number), path_(std::move(path)) {}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : number_(std::exchange(other.number_, none_)), path_(std::move(other.path_)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this == &other) return *this;
  close();
  number_ = std::exchange(other.number_, none_);
  path_ = std::move(other.path_);
  return *this;
}

Descriptor::~Descriptor() {
  close();
}

std::int64_t Descriptor::bytes() const {
  struct stat status {};
  if (::fstat(number_, &status) != 0) {
    throw Error(WEIR_EIO, "cannot determine the length of \"{}\": {}", path_, std::strerror(errno));
  }
  return status.st_size;
}

std::int64_t Descriptor::read_up_to(std::byte* target, std::int64_t bytes, std::int64_t offset) const {
  std::int64_t done = 0;
  while (done < bytes) {
    const auto missing = static_cast<std::size_t>(bytes - done);
    const ssize_t got = uninterrupted([&] { return ::pread(number_, target + done, missing, offset + done); });
    if (got < 0) throw Error(WEIR_EIO, "cannot read \"{}\": {}", path_, std::strerror(errno));
    if (got == 0) break;
    done += got;
  }
  return done;
}

void Descriptor::read(std::byte* target, std::int64_t bytes, std::int64_t offset) const {
  const std::int64_t got = read_up_to(target, bytes, offset);
  if (got != bytes) throw Error(WEIR_EIO, "\"{}\" ends before byte {}; restore the file", path_, offset + bytes);
}

bool Descriptor::close() noexcept {
  const int number = std::exchange(number_, none_);
  return number == none_ || ::close(number) == 0;
}

Descriptor open_to_read(const std::string& path) {
  const int number = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (number < 0)
    throw Error(WEIR_EIO, "cannot read \"{}\": {}; check the path and its permissions", path, std::strerror(errno));
  return Descriptor(number, path);
}

}  // namespace weir
