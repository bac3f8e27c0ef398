// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/crc32c.hpp"

#include <algorithm>
#include <array>

namespace weir {

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

}  // namespace weir
