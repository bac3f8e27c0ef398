// SPDX-License-Identifier: Apache-2.0
// The decompressors of this build, with their reusable workspaces. For one thread at a time. Local.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "write/packing/compressor.hpp"

namespace weir {

class Inflater {
 public:
  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Bytes written to `to`; 0 where it cannot be.
  std::size_t inflate(CompressedFormat form, std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Workspaces;
  std::size_t deflated(CompressedFormat form, std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t zstd(std::span<const std::byte> from, std::span<std::byte> to);

  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace weir
