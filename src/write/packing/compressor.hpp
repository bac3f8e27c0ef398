// SPDX-License-Identifier: Apache-2.0
// The compressors of this build, with their reusable workspaces. For one thread at a time. Local.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace weir {

enum class CompressedFormat { zlib, gzip, zstd };

class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  static bool has(CompressedFormat form) noexcept;
  // The most bytes that so many can come to.
  static std::size_t bound(CompressedFormat form, std::size_t bytes) noexcept;
  // Writes `from` in this form to the beginning of `to`. Returns its bytes; 0 where they have no room, or where this
  // build or the machine's memory cannot.
  std::size_t compress(CompressedFormat form, int level, std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Workspaces;
  std::size_t deflate(CompressedFormat form, int level, std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t zstd(int level, std::span<const std::byte> from, std::span<std::byte> to);

  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace weir
