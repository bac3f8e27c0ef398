// SPDX-License-Identifier: Apache-2.0
#include "core/record_count.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/text.hpp"

namespace weir::bridge {

namespace {

constexpr off_t place = 4;  // behind the magic number
using Bytes = std::array<unsigned char, 8>;

std::int64_t decode(const Bytes& bytes, std::size_t size) noexcept {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count = count << 8 | bytes[i];
  return count;
}

Bytes encode(std::int64_t count, std::size_t size) noexcept {
  Bytes bytes{};
  for (std::size_t i = size; i-- > 0; count >>= 8) bytes[i] = static_cast<unsigned char>(count & 0xff);
  return bytes;
}

}  // namespace

Status raise_record_count(const std::string& path, int format, std::int64_t records) {
  const std::size_t size = format == 5 ? 8 : 4;
  const auto bytes = static_cast<ssize_t>(size);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC), path);
  Bytes found{};
  const bool known = file.number() >= 0 && ::pread(file.number(), found.data(), size, place) == bytes;
  if (known && decode(found, size) >= records) return {};
  const Bytes raised = encode(records, size);
  if (known && ::pwrite(file.number(), raised.data(), size, place) == bytes) return {};
  return {WEIR_EIO, formatted("the record count of {}: {}", path, std::strerror(errno))};
}

}  // namespace weir::bridge
