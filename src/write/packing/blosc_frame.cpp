// SPDX-License-Identifier: Apache-2.0
// Source: c-blosc's README_CHUNK_FORMAT.rst, and its blosc.c for which blocks are split.
#include "write/packing/blosc_frame.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "write/packing/blosc_header.hpp"
#include "write/packing/unshuffle.hpp"

namespace weir {

namespace {

constexpr std::size_t most_parts = 16, least_part_bytes = 128;  // of a block that is split

using Bytes = std::span<const std::byte>;

std::size_t word_at(Bytes bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < blosc_word_bytes; ++i) word |= std::to_integer<std::uint32_t>(bytes[at + i]) << (8 * i);
  return word;
}

struct Frame {
  explicit Frame(Bytes whole)
      : bytes(whole),
        flags(std::to_integer<std::uint32_t>(whole[2])),
        element_bytes(std::to_integer<std::size_t>(whole[3])),
        unpacked_bytes(word_at(whole, blosc_word_bytes)),
        block_bytes(word_at(whole, 2 * blosc_word_bytes)) {}

  // nullopt: one that Weir does not have.
  std::optional<CompressedFormat> form() const {
    if (flags >> 5 == 3) return CompressedFormat::zlib;
    if (flags >> 5 == 4) return CompressedFormat::zstd;
    return std::nullopt;
  }
  bool whole() const {
    const bool blocks = (flags & blosc_copied) != 0 || unpacked_bytes == 0 || block_bytes > 0;
    return word_at(bytes, 3 * blosc_word_bytes) == bytes.size() && (flags & blosc_bits_shuffled) == 0 && blocks;
  }
  // Each plane of bytes may be compressed by itself; not in a last block that is shorter.
  std::size_t parts_of(std::size_t block) const {
    const bool splits = (flags & blosc_not_split) == 0 && block == block_bytes && element_bytes > 0 &&
                        element_bytes <= most_parts && block_bytes / element_bytes >= least_part_bytes;
    return splits ? element_bytes : 1;
  }

  Bytes bytes;
  std::uint32_t flags;
  std::size_t element_bytes, unpacked_bytes, block_bytes;
};

// A block's parts, each with its length before it; one that did not become shorter is stored as it is.
bool inflate_block(Inflater& inflater, const Frame& frame, std::size_t at, std::span<std::byte> to) {
  const std::size_t parts = frame.parts_of(to.size());
  for (std::size_t part = 0; part < parts; ++part) {
    const std::span<std::byte> room = to.subspan(part * (to.size() / parts), to.size() / parts);
    if (at > frame.bytes.size() || frame.bytes.size() - at < blosc_word_bytes) return false;
    const std::size_t length = word_at(frame.bytes, at);
    at += blosc_word_bytes;
    if (length > frame.bytes.size() - at) return false;
    const Bytes packed = frame.bytes.subspan(at, length);
    at += length;
    if (length == room.size())
      std::copy(packed.begin(), packed.end(), room.begin());
    else if (!frame.form() || inflater.inflate(*frame.form(), packed, room) != room.size())
      return false;
  }
  return true;
}

}  // namespace

std::size_t unpack_blosc(Inflater& inflater, std::span<const std::byte> frame, std::vector<std::byte>& sorted,
                         std::span<std::byte> to) {
  if (frame.size() < blosc_header_bytes) return 0;
  const Frame head(frame);
  if (!head.whole() || head.unpacked_bytes > to.size()) return 0;
  if ((head.flags & blosc_copied) != 0) {
    if (frame.size() - blosc_header_bytes != head.unpacked_bytes) return 0;
    std::copy(frame.begin() + blosc_header_bytes, frame.end(), to.begin());
    return head.unpacked_bytes;
  }
  const bool shuffles = (head.flags & blosc_shuffled) != 0 && head.element_bytes > 1;
  sorted.resize(std::max(sorted.size(), std::min(head.block_bytes, head.unpacked_bytes)));
  for (std::size_t begin = 0, block = 0; begin < head.unpacked_bytes; begin += head.block_bytes, ++block) {
    const std::size_t start = blosc_header_bytes + block * blosc_word_bytes;
    if (frame.size() - blosc_header_bytes < (block + 1) * blosc_word_bytes) return 0;
    const auto room = to.subspan(begin, std::min(head.block_bytes, head.unpacked_bytes - begin));
    const auto planes = shuffles ? std::span(sorted).first(room.size()) : room;
    if (!inflate_block(inflater, head, word_at(frame, start), planes)) return 0;
    if (shuffles) unshuffle(planes, room.data(), head.element_bytes, false);
  }
  return head.unpacked_bytes;
}

}  // namespace weir
