// SPDX-License-Identifier: Apache-2.0
// The check sum of Zarr's codec crc32c (RFC 3720, appendix B.4). Local.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept;

constexpr std::int64_t crc32c_bytes = 4;
// Returns the sum as the codec writes it after the bytes.
std::array<std::byte, crc32c_bytes> crc32c_codec_bytes(std::span<const std::byte> bytes) noexcept;
// Whether the last bytes of `with_sum` are the sum of those before them.
bool ends_with_crc32c(std::span<const std::byte> with_sum) noexcept;

}  // namespace weir
