// SPDX-License-Identifier: Apache-2.0
#include "schema/types.hpp"

#include <bit>
#include <limits>

namespace weir {
namespace {

struct TypeFacts {
  std::string_view name;
  int bytes;
  std::uint64_t fill_bits;  // the default fill value's bits, in the low `bytes` bytes
};

template <class Value, class Bits>
constexpr TypeFacts facts(std::string_view name, Value fill, Bits) {
  return {name, static_cast<int>(sizeof(Value)), std::bit_cast<Bits>(fill)};
}

constexpr std::array<TypeFacts, 12> type_facts = {
    facts("byte", static_cast<signed char>(-127), std::uint8_t{}),
    facts("char", '\0', std::uint8_t{}),
    facts("short", std::int16_t{-32767}, std::uint16_t{}),
    facts("int", std::int32_t{-2147483647}, std::uint32_t{}),
    facts("float", 9.9692099683868690e+36F, std::uint32_t{}),
    facts("double", 9.9692099683868690e+36, std::uint64_t{}),
    facts("ubyte", std::uint8_t{255}, std::uint8_t{}),
    facts("ushort", std::uint16_t{65535}, std::uint16_t{}),
    facts("uint", std::uint32_t{4294967295U}, std::uint32_t{}),
    facts("int64", std::int64_t{-9223372036854775806}, std::uint64_t{}),
    facts("uint64", std::uint64_t{18446744073709551614U}, std::uint64_t{}),
    facts("string", '\0', std::uint8_t{}),
};
static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

const TypeFacts& facts_of(Type type) noexcept {
  return type_facts[static_cast<std::size_t>(type - WEIR_BYTE)];
}

}  // namespace

int type_bytes(Type type) noexcept {
  return facts_of(type).bytes;
}

bool type_is_valid(int type) noexcept {
  return type >= WEIR_BYTE && type <= WEIR_UINT64;
}

std::string_view type_name(Type type) noexcept {
  return facts_of(type).name;
}

bool type_needs_cdf5(Type type) noexcept {
  return type >= WEIR_UBYTE;
}

ExternalValue default_fill(Type type) noexcept {
  const auto& [name, bytes, bits] = facts_of(type);
  ExternalValue value{};
  for (int i = 0; i < bytes; ++i)
    value[static_cast<std::size_t>(i)] = static_cast<std::byte>(bits >> (8 * (bytes - 1 - i)));
  return value;
}

}  // namespace weir
