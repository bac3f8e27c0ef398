// SPDX-License-Identifier: Apache-2.0
// Source: c-blosc's README_CHUNK_FORMAT.rst: a header of 16 bytes, where each block begins, then the blocks, each with
// its length before it; one that did not become shorter is stored as it is.
#include "formats/chunked/blosc.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "formats/chunked/filter.hpp"

namespace weir {

namespace {

constexpr std::size_t most_block_bytes = 4 << 20;  // of a multiple of every element's length
constexpr std::uint8_t format_version = 2, stream_version = 1;

std::size_t block_bytes(std::size_t bytes) {
  return std::min(most_block_bytes, bytes);
}

std::size_t count_blocks(std::size_t bytes) {
  return bytes == 0 ? 0 : (bytes + block_bytes(bytes) - 1) / block_bytes(bytes);
}

void put_word(std::span<std::byte> bytes, std::size_t at, std::size_t word) {
  for (std::size_t i = 0; i < blosc_word_bytes; ++i) bytes[at + i] = static_cast<std::byte>(word >> (8 * i));
}

// Returns its bytes with its length before it; 0 where the compressor fails.
std::size_t pack_block(Compressor& codec, const BloscRule& rule, std::span<const std::byte> block,
                       std::span<std::byte> to) {
  std::size_t got = codec.compress(rule.form, rule.level, block, to.subspan(blosc_word_bytes));
  if (got == 0) return 0;
  if (got >= block.size()) {
    std::copy(block.begin(), block.end(), to.begin() + blosc_word_bytes);
    got = block.size();
  }
  put_word(to, 0, got);
  return blosc_word_bytes + got;
}

}  // namespace

std::size_t blosc_bound(const BloscRule& rule, std::size_t bytes) noexcept {
  return blosc_header_bytes +
         count_blocks(bytes) * (2 * blosc_word_bytes + Compressor::bound(rule.form, block_bytes(bytes)));
}

std::size_t pack_blosc(Compressor& codec, const BloscRule& rule, std::span<const std::byte> from,
                       UninitializedBuffer& sorted, std::span<std::byte> to) {
  const std::size_t block = block_bytes(from.size()), blocks = count_blocks(from.size());
  const std::uint8_t compressor = rule.form == CompressedFormat::zlib ? 3 : 4;
  const std::uint8_t flags = blosc_shuffled | blosc_not_split | static_cast<std::uint8_t>(compressor << 5);
  const std::uint8_t head[] = {format_version, stream_version, flags, static_cast<std::uint8_t>(rule.element_bytes)};
  for (std::size_t i = 0; i < std::size(head); ++i) to[i] = std::byte{head[i]};
  put_word(to, blosc_word_bytes, from.size());
  put_word(to, 2 * blosc_word_bytes, block);
  const std::span<std::byte> bytes = sorted.at_least(static_cast<std::int64_t>(block));
  std::size_t end = blosc_header_bytes + blocks * blosc_word_bytes;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto part = from.subspan(b * block, std::min(block, from.size() - b * block));
    put_word(to, blosc_header_bytes + b * blosc_word_bytes, end);
    shuffle(part, rule.element_bytes, false, bytes.data());
    const std::size_t got = pack_block(codec, rule, bytes.first(part.size()), to.subspan(end));
    if (got == 0) return 0;
    end += got;
  }
  put_word(to, 3 * blosc_word_bytes, end);
  return end;
}

// Source: c-blosc's README_CHUNK_FORMAT.rst, and its blosc.c for which blocks are split.

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
