// SPDX-License-Identifier: Apache-2.0
// An open file descriptor, closed at the end of its scope, with its path for messages. Local.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weir {

// Makes a system call, which returns -1 and sets errno, again if a signal has interrupted it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

// Errors: bytes() and reads throw WEIR_EIO with path and reason.
class Descriptor {
 public:
  // Takes over the result of open(2), also -1.
  Descriptor(int number, std::string path);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const noexcept { return number_; }
  const std::string& path() const noexcept { return path_; }
  // Returns the length of the file.
  std::int64_t bytes() const;
  // Reads from `offset` on. Returns the number of bytes, which is less than `bytes` only at the file's end.
  std::int64_t read_up_to(std::byte* target, std::int64_t bytes, std::int64_t offset) const;
  // Reads exactly `bytes` bytes; an earlier end of the file is an error.
  void read(std::byte* target, std::int64_t bytes, std::int64_t offset) const;
  // Returns false if it fails: network file systems report some errors of writing only here.
  bool close() noexcept;

 private:
  static constexpr int none_ = -1;

  int number_;
  std::string path_;
};

// Opens a file to read.
// Errors: WEIR_EIO.
Descriptor open_to_read(const std::string& path);

}  // namespace weir
