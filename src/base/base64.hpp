// SPDX-License-Identifier: Apache-2.0
// Bytes as text (RFC 4648, section 4). Pure. Local.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

std::string to_base64(std::span<const std::byte> bytes);
// nullopt: the text is none.
std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace weir
