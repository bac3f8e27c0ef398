// SPDX-License-Identifier: Apache-2.0
// Values of every type, computed without Weir: what a model puts and what a reader must then find. A long double holds
// every value of the eleven types exactly.
#pragma once

#include <mpi.h>
#include <pnetcdf.h>
#include <weir/weir.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace conformance {

using Shape = std::vector<std::int64_t>;
using Random = std::mt19937_64;

constexpr int type_count = 11;

// A number between `lowest` and `highest`, both included.
inline std::int64_t draw(Random& random, std::int64_t lowest, std::int64_t highest) {
  return std::uniform_int_distribution<std::int64_t>(lowest, highest)(random);
}

inline bool happens(Random& random, int percent) {
  return draw(random, 1, 100) <= percent;
}

// Calls visit with a value of the C type that holds `type` in memory.
template <class Visit>
auto with_type(weir_type type, Visit visit) {
  switch (type) {
    case WEIR_BYTE:
      return visit(static_cast<signed char>(0));
    case WEIR_CHAR:
    case WEIR_STRING:  // of attributes only
      return visit(static_cast<char>(0));
    case WEIR_SHORT:
      return visit(static_cast<short>(0));
    case WEIR_INT:
      return visit(0);
    case WEIR_FLOAT:
      return visit(0.0F);
    case WEIR_UBYTE:
      return visit(static_cast<unsigned char>(0));
    case WEIR_USHORT:
      return visit(static_cast<unsigned short>(0));
    case WEIR_UINT:
      return visit(0U);
    case WEIR_INT64:
      return visit(std::int64_t{0});
    case WEIR_UINT64:
      return visit(std::uint64_t{0});
    case WEIR_DOUBLE:
      break;
  }
  return visit(0.0);
}

inline std::size_t size_of(weir_type type) {
  return with_type(type, [](auto sample) { return sizeof sample; });
}

inline bool is_real(weir_type type) {
  return type == WEIR_FLOAT || type == WEIR_DOUBLE;
}

inline void store(weir_type type, long double value, std::byte* target) {
  with_type(type, [&](auto sample) {
    sample = static_cast<decltype(sample)>(value);
    std::memcpy(target, &sample, sizeof sample);
  });
}

inline long double load(weir_type type, const std::byte* source) {
  return with_type(type, [&](auto sample) {
    std::memcpy(&sample, source, sizeof sample);
    return static_cast<long double>(sample);
  });
}

// The one PnetCDF knows: MPI_INT64_T is not among them.
inline MPI_Datatype mpi_type(weir_type type) {
  const MPI_Datatype types[] = {
      MPI_DATATYPE_NULL, MPI_SIGNED_CHAR,   MPI_CHAR,           MPI_SHORT,    MPI_INT,       MPI_FLOAT,
      MPI_DOUBLE,        MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG};
  return types[type];
}

inline long double default_fill(weir_type type) {
  switch (type) {
    case WEIR_BYTE:
      return NC_FILL_BYTE;
    case WEIR_CHAR:
    case WEIR_STRING:  // of attributes only
      return NC_FILL_CHAR;
    case WEIR_SHORT:
      return NC_FILL_SHORT;
    case WEIR_INT:
      return NC_FILL_INT;
    case WEIR_FLOAT:
      return NC_FILL_FLOAT;
    case WEIR_UBYTE:
      return NC_FILL_UBYTE;
    case WEIR_USHORT:
      return NC_FILL_USHORT;
    case WEIR_UINT:
      return NC_FILL_UINT;
    case WEIR_INT64:
      return NC_FILL_INT64;
    case WEIR_UINT64:
      return NC_FILL_UINT64;
    case WEIR_DOUBLE:
      break;
  }
  return NC_FILL_DOUBLE;
}

// The smallest and the largest whole number that `type` and a real of either width hold exactly.
inline long double lowest_of(weir_type type) {
  if (type == WEIR_FLOAT) return -16777216.0L;
  if (type == WEIR_DOUBLE) return -9007199254740992.0L;
  return with_type(
      type, [](auto sample) { return static_cast<long double>(std::numeric_limits<decltype(sample)>::lowest()); });
}

inline long double highest_of(weir_type type) {
  if (is_real(type)) return -lowest_of(type);
  return with_type(type,
                   [](auto sample) { return static_cast<long double>(std::numeric_limits<decltype(sample)>::max()); });
}

inline std::uint64_t scramble(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15ULL;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

// A value that both types hold, decided by `key`: whole, or with a fraction where both are real; a letter for text.
inline long double common_value(std::uint64_t key, weir_type memory, weir_type external) {
  const std::uint64_t bits = scramble(key);
  if (external == WEIR_CHAR) return static_cast<long double>('a' + bits % 26);
  if (is_real(memory) && is_real(external)) return static_cast<long double>(static_cast<std::int32_t>(bits) >> 9) / 64;
  const long double low = std::max(lowest_of(memory), lowest_of(external));
  const long double high = std::min(highest_of(memory), highest_of(external));
  const auto span = static_cast<std::uint64_t>(high - low);
  return low + static_cast<long double>(span == ~std::uint64_t{0} ? bits : bits % (span + 1));
}

}  // namespace conformance
