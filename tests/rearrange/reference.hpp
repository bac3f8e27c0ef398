// SPDX-License-Identifier: Apache-2.0
// Rearranging done the slow and obvious way, to hold the kernels against: one element at a time, integers compared in
// 128 bits, bytes turned one by one. Nothing of src/rearrange is used here but its data structures.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include "rearrange/copy.hpp"

namespace weir::reference {

constexpr Type all_types[] = {WEIR_BYTE,  WEIR_CHAR,   WEIR_SHORT, WEIR_INT,   WEIR_FLOAT, WEIR_DOUBLE,
                              WEIR_UBYTE, WEIR_USHORT, WEIR_UINT,  WEIR_INT64, WEIR_UINT64};

inline bool convertible(Type from, Type to) {
  return (from == WEIR_CHAR) == (to == WEIR_CHAR);
}

// Calls visit(source element, target element) for all elements of a block by counting through its loops.
inline void for_each(const Block& block, const std::function<void(std::int64_t, std::int64_t)>& visit) {
  std::vector<std::int64_t> index(block.loops.size(), 0);
  for (const Loop& loop : block.loops) {
    if (loop.count <= 0) return;
  }
  while (true) {
    std::int64_t source = block.source, target = block.target;
    for (std::size_t k = 0; k < index.size(); ++k) {
      source += index[k] * block.loops[k].source_stride;
      target += index[k] * block.loops[k].target_stride;
    }
    visit(source, target);
    std::size_t k = index.size();
    while (k > 0 && ++index[k - 1] == block.loops[k - 1].count) index[--k] = 0;
    if (k == 0) return;
  }
}

inline void for_each(const CopyProgram& program, const std::function<void(std::int64_t, std::int64_t)>& visit) {
  for (const Block& block : program.blocks) for_each(block, visit);
  for (const Run& run : program.runs) {
    for (std::int64_t i = 0; i < run.count; ++i) visit(run.source + i, run.target + i);
  }
}

template <class Value>
std::vector<std::byte> big_endian(Value value) {
  std::vector<std::byte> bytes(sizeof(Value));
  std::memcpy(bytes.data(), &value, sizeof(Value));
  const std::uint32_t probe = 0x01020304;
  std::byte first;
  std::memcpy(&first, &probe, 1);
  if (first == std::byte{4}) bytes = {bytes.rbegin(), bytes.rend()};
  return bytes;
}

template <class Value>
Value from_big_endian(const std::byte* bytes) {
  Value value;
  std::vector<std::byte> copy(bytes, bytes + sizeof(Value));
  std::memcpy(&value, copy.data(), sizeof(Value));
  copy = big_endian(value);
  std::memcpy(&value, copy.data(), sizeof(Value));
  return value;
}

__extension__ using WideInteger = __int128;

template <class Integer>
bool whole_in_range(WideInteger whole) {
  return whole >= WideInteger{std::numeric_limits<Integer>::min()} &&
         whole <= WideInteger{std::numeric_limits<Integer>::max()};
}

// The range rule of copy.hpp. A real lies between two integers if the integers around it do.
template <class Target, class Source>
bool in_range(Source value, Infinities infinities) {
  if constexpr (std::is_same_v<Target, Source>) {
    return true;
  } else if constexpr (std::is_floating_point_v<Target>) {
    const auto real = static_cast<double>(value);
    if (std::isinf(real)) return infinities == Infinities::fit || std::is_integral_v<Source>;
    return std::isnan(real) || std::fabs(real) <= static_cast<double>(std::numeric_limits<Target>::max());
  } else if constexpr (std::is_floating_point_v<Source>) {
    if (!std::isfinite(value) || std::fabs(value) > Source{1e30F}) return false;
    return whole_in_range<Target>(static_cast<WideInteger>(std::floor(value))) &&
           whole_in_range<Target>(static_cast<WideInteger>(std::ceil(value)));
  } else {
    return whole_in_range<Target>(WideInteger{value});
  }
}

// One element of memory in external form; the fill value if it is out of range.
inline std::vector<std::byte> encode_element(const std::byte* source, Type memory_type, Type external_type,
                                             const ExternalValue& fill, bool& good,
                                             Infinities infinities = Infinities::fit) {
  return with_type(memory_type, [&]<class Memory>(Memory value) {
    return with_type(external_type, [&]<class External>(External) {
      std::memcpy(&value, source, sizeof(Memory));
      good = in_range<External>(value, infinities);
      if (good) return big_endian(static_cast<External>(value));
      return std::vector<std::byte>(fill.data(), fill.data() + sizeof(External));
    });
  });
}

// One external element in memory's form; the memory type's default fill value if it is out of range.
inline std::vector<std::byte> decode_element(const std::byte* source, Type external_type, Type memory_type, bool& good,
                                             Infinities infinities = Infinities::fit) {
  return with_type(external_type, [&]<class External>(External) {
    return with_type(memory_type, [&]<class Memory>(Memory) {
      const auto value = from_big_endian<External>(source);
      constexpr bool widened = std::is_same_v<External, float> && std::is_same_v<Memory, double>;
      good = widened || in_range<Memory>(value, infinities);
      const Memory result =
          good ? static_cast<Memory>(value) : from_big_endian<Memory>(default_fill(memory_type).data());
      std::vector<std::byte> bytes(sizeof(Memory));
      std::memcpy(bytes.data(), &result, sizeof(Memory));
      return bytes;
    });
  });
}

}  // namespace weir::reference
