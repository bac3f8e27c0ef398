// SPDX-License-Identifier: Apache-2.0
#include "base/counting.hpp"

namespace weir {

std::string in_words(std::span<const std::int64_t> lengths, const Counting& counting) {
  std::string text;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t d = counting.fastest_first ? lengths.size() - 1 - i : i;
    text += (i ? ", " : "") + std::to_string(lengths[d]);
  }
  return "(" + text + ")";
}

}  // namespace weir
