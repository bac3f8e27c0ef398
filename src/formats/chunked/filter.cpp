// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/filter.hpp"

#include <algorithm>
#include <array>

namespace weir {

CompressedFormat squeezed_form(unsigned filter) noexcept {
  if (filter == gzip_codec) return CompressedFormat::gzip;
  return filter == deflate_filter ? CompressedFormat::zlib : CompressedFormat::zstd;
}

namespace {

Lack lack_of(unsigned filter) {
  switch (filter) {
    case shuffle_filter:
    case fletcher32_filter:
    case crc32c_codec:
      return Lack::nothing;
    case deflate_filter:
    case gzip_codec:
      return Compressor::has(squeezed_form(filter)) ? Lack::nothing : Lack::deflate;
    case zstd_filter:
    case zstd_codec:
      return Compressor::has(squeezed_form(filter)) ? Lack::nothing : Lack::zstd;
    default:
      return Lack::filter;
  }
}

}  // namespace

LackingFilter lacking_filter(std::span<const FilterStep> filters) {
  for (const FilterStep& filter : filters) {
    const unsigned id = filter.id == blosc_codec ? filter.values.at(0) : filter.id;
    if (const Lack lack = lack_of(id); lack != Lack::nothing) return {lack, id};
  }
  return {};
}

namespace {

constexpr std::uint32_t polynomial = 0x82F63B78;  // reversed
constexpr std::size_t lanes = 8;                  // bytes at a time

using Tables = std::array<std::array<std::uint32_t, 256>, lanes>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? sum >> 1 ^ polynomial : sum >> 1;
    tables[0][byte] = sum;
  }
  for (std::size_t lane = 1; lane < lanes; ++lane)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[lane][byte] = tables[lane - 1][byte] >> 8 ^ tables[0][tables[lane - 1][byte] & 0xFF];
  return tables;
}

constexpr Tables tables = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept {
  std::uint32_t sum = ~std::uint32_t{0};
  std::size_t i = 0;
  const auto at = [&](std::size_t place) { return std::to_integer<std::uint32_t>(bytes[place]); };
  for (; i + lanes <= bytes.size(); i += lanes) {
    sum ^= at(i) | at(i + 1) << 8 | at(i + 2) << 16 | at(i + 3) << 24;
    sum = tables[7][sum & 0xFF] ^ tables[6][sum >> 8 & 0xFF] ^ tables[5][sum >> 16 & 0xFF] ^ tables[4][sum >> 24] ^
          tables[3][at(i + 4)] ^ tables[2][at(i + 5)] ^ tables[1][at(i + 6)] ^ tables[0][at(i + 7)];
  }
  for (; i < bytes.size(); ++i) sum = tables[0][(sum ^ at(i)) & 0xFF] ^ sum >> 8;
  return ~sum;
}

std::array<std::byte, crc32c_bytes> crc32c_codec_bytes(std::span<const std::byte> bytes) noexcept {
  const std::uint32_t sum = crc32c(bytes);
  std::array<std::byte, crc32c_bytes> text{};
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::byte>(sum >> (8 * i));
  return text;
}

bool ends_with_crc32c(std::span<const std::byte> with_sum) noexcept {
  if (with_sum.size() < crc32c_bytes) return false;
  const auto sum = crc32c_codec_bytes(with_sum.first(with_sum.size() - crc32c_bytes));
  return std::equal(sum.begin(), sum.end(), with_sum.end() - crc32c_bytes);
}

namespace {

// All first bytes of this machine's elements, then all second ones, ...; then the bytes that make no element. `turned`:
// each element is in the other byte order.
template <int size>
void shuffle_elements(std::span<const std::byte> from, std::byte* to, bool turned) {
  constexpr std::size_t block = 2048;  // stays in the nearest cache while each of its bytes is taken
  const std::size_t count = from.size() / size;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t last = std::min(count, first + block);
    for (int byte = 0; byte < size; ++byte) {
      const auto source = static_cast<std::size_t>(turned ? size - 1 - byte : byte);
      std::byte* const plane = to + static_cast<std::size_t>(byte) * count;
      for (std::size_t i = first; i < last; ++i) plane[i] = from[i * size + source];
    }
  }
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

}  // namespace

void shuffle(std::span<const std::byte> from, int element_bytes, bool turned, std::byte* to) {
  if (element_bytes == 2) return shuffle_elements<2>(from, to, turned);
  if (element_bytes == 4) return shuffle_elements<4>(from, to, turned);
  if (element_bytes == 8) return shuffle_elements<8>(from, to, turned);
  std::copy(from.begin(), from.end(), to);
}

namespace {

template <std::size_t size>
void join_planes(std::span<const std::byte> from, std::byte* to, bool turned) {
  const std::size_t count = from.size() / size;
  const std::byte* planes[size];
  for (std::size_t byte = 0; byte < size; ++byte)
    planes[byte] = from.data() + (turned ? size - 1 - byte : byte) * count;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t byte = 0; byte < size; ++byte) to[i * size + byte] = planes[byte][i];
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

// Elements of any other length.
void join_planes(std::span<const std::byte> from, std::byte* to, std::size_t size) {
  const std::size_t count = from.size() / size;
  for (std::size_t byte = 0; byte < size; ++byte)
    for (std::size_t i = 0; i < count; ++i) to[i * size + byte] = from[byte * count + i];
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * size), from.end(), to + count * size);
}

}  // namespace

bool unshuffle(std::span<const std::byte> from, std::byte* to, std::size_t element_bytes, bool turned) {
  if (element_bytes == 2) return join_planes<2>(from, to, turned), turned;
  if (element_bytes == 4) return join_planes<4>(from, to, turned), turned;
  if (element_bytes == 8) return join_planes<8>(from, to, turned), turned;
  return join_planes(from, to, std::max<std::size_t>(1, element_bytes)), false;
}

}  // namespace weir
