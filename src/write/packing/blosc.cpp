// SPDX-License-Identifier: Apache-2.0
// Source: c-blosc's README_CHUNK_FORMAT.rst: a header of 16 bytes, where each block begins, then the blocks, each with
// its length before it; one that did not become shorter is stored as it is.
#include "write/packing/blosc.hpp"

#include <algorithm>

#include "write/packing/blosc_header.hpp"
#include "write/packing/shuffle.hpp"

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

std::size_t pack_blosc(Compressor& codec, const BloscRule& rule, std::span<const std::byte> from, UninitializedBuffer& sorted,
                       std::span<std::byte> to) {
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

}  // namespace weir
