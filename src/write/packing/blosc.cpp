// SPDX-License-Identifier: Apache-2.0
// Source: c-blosc's README_CHUNK_FORMAT.rst: a header of 16 bytes, where each block begins, then the blocks, each with
// its length before it; one that did not become shorter is stored as it is.
#include "write/packing/blosc.hpp"

#include <algorithm>

#include "write/packing/packer.hpp"

namespace weir {

namespace {

constexpr std::size_t header_bytes = 16, word_bytes = 4;
constexpr std::size_t most_block_bytes = 4 << 20;  // of a multiple of every element's length
constexpr std::uint8_t format_version = 2, stream_version = 1;
constexpr std::uint8_t shuffled = 0x01, not_split = 0x10;

void put_word(std::vector<std::byte>& bytes, std::size_t at, std::size_t word) {
  for (std::size_t i = 0; i < word_bytes; ++i) bytes[at + i] = static_cast<std::byte>(word >> (8 * i));
}

bool append_block(Squeezer& squeezer, const BloscRule& rule, std::span<const std::byte> block,
                  std::vector<std::byte>& to) {
  const std::size_t before = to.size();
  to.resize(before + word_bytes);
  if (!squeezer.append(rule.form, rule.level, block, to)) return false;
  if (to.size() - before - word_bytes >= block.size()) {
    to.resize(before + word_bytes);
    to.insert(to.end(), block.begin(), block.end());
  }
  put_word(to, before, to.size() - before - word_bytes);
  return true;
}

}  // namespace

bool append_blosc(Squeezer& squeezer, const BloscRule& rule, std::span<const std::byte> from,
                  std::vector<std::byte>& to) {
  const std::size_t begin = to.size(), block = std::min(most_block_bytes, from.size());
  const std::size_t blocks = (from.size() + block - 1) / block;
  const std::uint8_t compressor = rule.form == SqueezedForm::zlib ? 3 : 4;
  const std::uint8_t flags = shuffled | not_split | static_cast<std::uint8_t>(compressor << 5);
  to.resize(begin + header_bytes + blocks * word_bytes);
  const std::uint8_t head[] = {format_version, stream_version, flags, static_cast<std::uint8_t>(rule.element_bytes)};
  for (std::size_t i = 0; i < std::size(head); ++i) to[begin + i] = std::byte{head[i]};
  put_word(to, begin + word_bytes, from.size());
  put_word(to, begin + 2 * word_bytes, block);
  std::vector<std::byte> sorted;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto part = from.subspan(b * block, std::min(block, from.size() - b * block));
    put_word(to, begin + header_bytes + b * word_bytes, to.size() - begin);
    sorted.resize(part.size());
    shuffle(part, rule.element_bytes, false, sorted.data());
    if (!append_block(squeezer, rule, sorted, to)) return false;
  }
  put_word(to, begin + 3 * word_bytes, to.size() - begin);
  return true;
}

}  // namespace weir
