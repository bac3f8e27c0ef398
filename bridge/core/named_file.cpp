// SPDX-License-Identifier: Apache-2.0
#include "core/named_file.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace weir::bridge {

namespace {

constexpr int most_looks = 256;

// Beyond it the system does not only refuse: it ends the program by a signal.
bool is_allowed(std::int64_t bytes) noexcept {
  rlimit most{};
  if (::getrlimit(RLIMIT_FSIZE, &most) != 0) return false;
  return most.rlim_cur == RLIM_INFINITY || static_cast<rlim_t>(bytes) <= most.rlim_cur;
}

}  // namespace

std::string absolute_path(const std::string& name) {
  std::error_code problem;
  const std::filesystem::path path = std::filesystem::absolute(name, problem);
  return problem ? name : path.string();
}

NamedFile::NamedFile(const std::string& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC), path) {}

bool NamedFile::still_named() const noexcept {
  struct stat mine {
  }, named{};
  return file_.number() >= 0 && ::fstat(file_.number(), &mine) == 0 && ::stat(file_.path().c_str(), &named) == 0 &&
         mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

void NamedFile::read(std::int64_t from, std::span<std::byte> bytes) const {
  const Descriptor fresh(still_named() ? ::open(file_.path().c_str(), O_RDONLY | O_CLOEXEC) : -1, file_.path());
  (fresh.number() >= 0 ? fresh : file_).read(bytes.data(), std::ssize(bytes), from);
}

void NamedFile::lengthen(std::int64_t bytes) noexcept {
  struct stat status {};
  if (file_.number() < 0 || ::fstat(file_.number(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_size >= bytes || !is_allowed(bytes)) return;
  if (::ftruncate(file_.number(), bytes) != 0) return;
  if (status.st_size != given_) before_ = status.st_size;
  given_ = bytes;
}

void NamedFile::shorten(std::int64_t end) noexcept {
  struct stat status {};
  const std::int64_t given = std::exchange(given_, 0);
  end = std::max(end, before_);
  if (given <= end || ::fstat(file_.number(), &status) != 0 || status.st_size != given) return;
  if (holds_zeros(end, given)) static_cast<void>(::ftruncate(file_.number(), end) == 0);
}

// Looks at what is no hole, if that is not too much.
bool NamedFile::holds_zeros(std::int64_t from, std::int64_t to) const noexcept {
  std::array<char, 4096> bytes{};
  for (int looks = 0; looks < most_looks; ++looks) {
    from = ::lseek(file_.number(), from, SEEK_DATA);
    if (from < 0 || from >= to) return from >= to || errno == ENXIO;
    const auto wanted = std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(to - from));
    const ssize_t got = ::pread(file_.number(), bytes.data(), wanted, from);
    if (got <= 0 || std::any_of(bytes.begin(), bytes.begin() + got, [](char byte) { return byte != 0; })) return false;
    from += got;
    if (from == to) return true;
  }
  return false;
}

}  // namespace weir::bridge
