// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/packed_batch.hpp"

namespace weir {

std::span<std::byte> PackedBatch::room(std::int64_t bytes) {
  return memory_.at_least(in_memory_ + bytes, in_memory_).subspan(static_cast<std::size_t>(in_memory_));
}

void PackedBatch::add_from_room(std::int64_t bytes) {
  pieces_.push_back({nullptr, bytes});
  in_memory_ += bytes;
  bytes_ += bytes;
}

void PackedBatch::add_from_elsewhere(std::span<const std::byte> bytes) {
  pieces_.push_back({bytes.data(), std::ssize(bytes)});
  bytes_ += std::ssize(bytes);
}

void PackedBatch::keep() {
  if (in_memory_ == bytes_) return;
  UninitializedBuffer all;
  std::byte* to = all.at_least(bytes_).data();
  for (const Extent& extent : extents(0)) to = std::copy_n(extent.data, extent.bytes, to);
  memory_ = std::move(all);
  in_memory_ = bytes_;
  for (Piece& piece : pieces_) piece.elsewhere = nullptr;
}

std::span<const Extent> PackedBatch::extents(std::int64_t place, std::size_t first, std::size_t count) {
  extents_.clear();
  const std::byte* own = memory_.at_least(in_memory_, in_memory_).data();
  for (std::size_t number = 0; number < first + count; ++number) {
    const Piece& piece = pieces_[number];
    const std::byte* const data = piece.elsewhere ? piece.elsewhere : own;
    if (!piece.elsewhere) own += piece.bytes;
    if (number < first) continue;
    if (!extents_.empty() && extents_.back().data + extents_.back().bytes == data)
      extents_.back().bytes += piece.bytes;
    else
      extents_.push_back({place, piece.bytes, data});
    place += piece.bytes;
  }
  return extents_;
}

void PackedBatch::clear() noexcept {
  pieces_.clear();
  bytes_ = in_memory_ = 0;
}

}  // namespace weir
