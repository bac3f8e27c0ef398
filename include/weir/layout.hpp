// SPDX-License-Identifier: Apache-2.0
// Layouts of weir.hpp: what one rank holds of an array. Included by weir.hpp.
#ifndef WEIR_LAYOUT_HPP
#define WEIR_LAYOUT_HPP

#include <cstdint>
#include <vector>

namespace weir::io {

// Shapes, starts and counts: a number a dimension, slowest first.
using Indices = std::vector<std::int64_t>;

struct Box {
  Indices start, count;
};

// Made by Weir::def_layout*, and a plain value: the layout itself is the Weir's and lives until Weir::free_layout or
// the Weir's end. (Freeing is Collective and writes what was put before, which no end of a scope should do by the way.)
class Layout {
 public:
  Layout() = default;

  // weir.h's number of it; -1: none.
  int number() const noexcept { return number_; }
  // Elements of a buffer for it on this rank.
  std::int64_t buffer_length() const noexcept { return length_; }

 private:
  friend class Weir;
  Layout(int number, std::int64_t length) : number_(number), length_(length) {}

  int number_ = -1;
  std::int64_t length_ = 0;
};

}  // namespace weir::io

#endif
