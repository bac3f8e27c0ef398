// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/packed_batch.hpp"

#include <numeric>

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
  const auto first =
      std::find_if(pieces_.begin(), pieces_.end(), [](const Piece& piece) { return piece.elsewhere != nullptr; });
  if (first == pieces_.end()) return;
  const auto before = std::accumulate(pieces_.begin(), first, std::int64_t{0},
                                      [](std::int64_t sum, const Piece& piece) { return sum + piece.bytes; });
  std::vector<std::byte> after;  // in the batch's memory, behind the first chunk that is elsewhere
  if (in_memory_ > before) {
    const std::span<const std::byte> own = memory_.at_least(in_memory_, in_memory_);
    after.assign(own.begin() + before, own.begin() + in_memory_);
  }
  const std::byte* own = after.data();
  std::byte* to = memory_.at_least(bytes_, before).data() + before;
  for (auto piece = first; piece != pieces_.end(); ++piece) {
    to = std::copy_n(piece->elsewhere ? piece->elsewhere : own, piece->bytes, to);
    if (!piece->elsewhere) own += piece->bytes;
    piece->elsewhere = nullptr;
  }
  in_memory_ = bytes_;
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
