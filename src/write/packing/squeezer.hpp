// SPDX-License-Identifier: Apache-2.0
// The compressors that this build has, with what they keep from one time to the next. For one thread at a time. Local.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace weir {

enum class SqueezedForm { zlib, gzip, zstd };

class Squeezer {
 public:
  Squeezer();
  ~Squeezer();
  Squeezer(const Squeezer&) = delete;
  Squeezer& operator=(const Squeezer&) = delete;

  static bool has(SqueezedForm form) noexcept;
  // The most bytes that so many can come to.
  static std::size_t bound(SqueezedForm form, std::size_t bytes) noexcept;
  // Writes `from` in this form to the beginning of `to`. Returns its bytes; 0 where they have no room, or where this
  // build or the machine's memory cannot.
  std::size_t squeeze(SqueezedForm form, int level, std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Workspaces;
  std::size_t deflate(SqueezedForm form, int level, std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t zstd(int level, std::span<const std::byte> from, std::span<std::byte> to);

  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace weir
