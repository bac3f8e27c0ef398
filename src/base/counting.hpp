// SPDX-License-Identifier: Apache-2.0
// How the calling program counts, for the numbers in messages: C from 0 and with the slowest dimension first, Fortran
// from 1 and with the fastest first. Messages without numbers are the same for both. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace weir {

struct Counting {
  int from = 0;  // of records, layouts, variables, elements
  bool fastest_first = false;

  std::string number(std::int64_t index) const { return std::to_string(index + from); }
  // Returns the number of dimension `d` of `ndims`.
  std::string dimension(std::size_t d, std::size_t ndims) const {
    return number(static_cast<std::int64_t>(fastest_first ? ndims - 1 - d : d));
  }
};

// The numbers by which messages call ranks, if a program has started Weir on other ranks, or in another order, than
// those that it knows: its own numbers, from `first` on, and from the beginning again after the last.
struct RankNumbers {
  int first = 0;
  int of = std::numeric_limits<int>::max();

  int operator()(int rank) const noexcept { return first == 0 ? rank : (rank + first) % of; }
};

// The caller of weir_init.
struct Caller {
  Counting counting;
  RankNumbers ranks;
};

// Returns "(3, 10)" for lengths that are slowest first.
inline std::string in_words(std::span<const std::int64_t> lengths, const Counting& counting) {
  std::string text;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t d = counting.fastest_first ? lengths.size() - 1 - i : i;
    text += (i ? ", " : "") + std::to_string(lengths[d]);
  }
  return "(" + text + ")";
}

}  // namespace weir
