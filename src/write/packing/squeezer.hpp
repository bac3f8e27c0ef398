// SPDX-License-Identifier: Apache-2.0
// The compressors that this build has, with what they keep from one time to the next. For one thread at a time. Local.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace weir {

enum class SqueezedForm { zlib, gzip, zstd };

class Squeezer {
 public:
  Squeezer();
  ~Squeezer();
  Squeezer(const Squeezer&) = delete;
  Squeezer& operator=(const Squeezer&) = delete;

  static bool has(SqueezedForm form) noexcept;
  // Appends `from` in this form, which may be longer. False where this build or the machine's memory cannot.
  bool append(SqueezedForm form, int level, std::span<const std::byte> from, std::vector<std::byte>& to);

 private:
  struct Workspaces;
  std::size_t deflate(SqueezedForm form, int level, std::span<const std::byte> from, std::vector<std::byte>& to);
  std::size_t zstd(int level, std::span<const std::byte> from, std::vector<std::byte>& to);

  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace weir
