// SPDX-License-Identifier: Apache-2.0
// Numbers as people write them: whole numbers, sizes with units, durations. Pure. nullopt: not such a number, or one
// that int64 cannot hold. Local.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

std::string_view trimmed(std::string_view text) noexcept;

std::optional<std::int64_t> parse_whole(std::string_view text) noexcept;

// "67108864", "64MiB", "64 KiB" (powers of 1024), "64MB" (powers of 1000), in either case of letters.
std::optional<std::int64_t> parse_bytes(std::string_view text) noexcept;

// Plain seconds, or a number with ms, s, min or h. Finite.
std::optional<double> parse_seconds(std::string_view text);

// The shortest text with a binary unit that parse_bytes reads back as `bytes`: "64MiB", "1000".
std::string show_bytes(std::int64_t bytes);
std::string show_seconds(double seconds);

}  // namespace weir
