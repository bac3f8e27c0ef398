// SPDX-License-Identifier: Apache-2.0
// An open file descriptor, closed at the end of its scope, with the path it was opened by for messages. Local; reading
// throws Error(WEIR_EIO) with path and reason.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weir {

// Makes a call of the system, which gives -1 and errno, again where a signal has interrupted it.
template <class Call>
auto uninterrupted(Call call) {
  for (;;) {
    const auto result = call();
    if (result != -1 || errno != EINTR) return result;
  }
}

class Descriptor {
 public:
  // Takes over what open(2) gave, -1 included.
  Descriptor(int number, std::string path);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const noexcept { return number_; }
  const std::string& path() const noexcept { return path_; }
  // Length of the file.
  std::int64_t bytes() const;
  // Reads from `offset` on; returns how many bytes there were: fewer than `bytes` only at the file's end.
  std::int64_t read_up_to(std::byte* target, std::int64_t bytes, std::int64_t offset) const;
  // The same, where an end before `bytes` bytes is an error.
  void read(std::byte* target, std::int64_t bytes, std::int64_t offset) const;
  // False where it fails: network file systems tell some errors of writing only here.
  bool close() noexcept;

 private:
  static constexpr int none_ = -1;

  int number_;
  std::string path_;
};

// Throws Error(WEIR_EIO) where it cannot be read.
Descriptor open_to_read(const std::string& path);

}  // namespace weir
