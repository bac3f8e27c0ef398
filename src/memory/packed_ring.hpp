// SPDX-License-Identifier: Apache-2.0
// The buffer of outgoing messages: a ring of bytes, which cycles take in their order and return in that order. Ranks
// that take equal amounts run full at the same point. Pure, Local.
#pragma once

#include <cstdint>
#include <vector>

namespace weir {

class PackedRing {
 public:
  explicit PackedRing(std::int64_t bytes) : size_(bytes) {}

  // The latest cycle that must give its bytes back before `bytes` more can be taken; 0 where none must.
  std::uint32_t in_the_way(std::int64_t bytes) const noexcept;
  // Takes bytes for a cycle; call only where nothing is in the way. Returns where they begin.
  std::int64_t take(std::int64_t bytes, std::uint32_t cycle);
  // Cycles up to this one give their bytes back.
  void give_back(std::uint32_t cycle) noexcept;
  std::int64_t in_use_bytes() const noexcept { return in_use_; }

 private:
  struct Span {
    std::uint32_t cycle;
    std::int64_t begin, end;
  };
  std::int64_t begin_of(std::int64_t bytes) const noexcept { return head_ + bytes <= size_ ? head_ : 0; }

  std::int64_t size_;
  std::int64_t head_ = 0;
  std::int64_t in_use_ = 0;
  std::vector<Span> spans_;  // oldest first
};

}  // namespace weir
