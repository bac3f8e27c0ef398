// SPDX-License-Identifier: Apache-2.0
// Memory that grows and is never cleared: a vector would first write zeros into bytes that compression overwrites.
// Local.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace weir {

class UninitializedBuffer {
 public:
  // So many bytes or more, of which the first `kept` are as they were. Spans given before hold no longer.
  std::span<std::byte> at_least(std::int64_t bytes, std::int64_t kept = 0) {
    if (bytes > size_) {
      const std::int64_t size = std::max(bytes, size_ + size_ / 2);
      auto larger = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(size));
      std::copy_n(bytes_.get(), kept, larger.get());
      bytes_ = std::move(larger);
      size_ = size;
    }
    return {bytes_.get(), static_cast<std::size_t>(size_)};
  }
  std::int64_t size() const noexcept { return size_; }
  bool has(const std::byte* at) const noexcept { return at >= bytes_.get() && at < bytes_.get() + size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::int64_t size_ = 0;
};

}  // namespace weir
