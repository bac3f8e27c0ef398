// SPDX-License-Identifier: Apache-2.0
// The check sum of Zarr's codec crc32c (RFC 3720, appendix B.4). Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

std::uint32_t crc32c(std::span<const std::byte> bytes) noexcept;

}  // namespace weir
