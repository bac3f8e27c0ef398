// SPDX-License-Identifier: Apache-2.0
// Splits a box of a variable into boxes of a limited size, in file order, for data that are put in several calls. Pure,
// Local.
#pragma once

#include <cstddef>
#include <vector>

namespace weir::bridge {

struct IndexBox {
  std::vector<std::size_t> start, count;  // of every dimension; both empty: a scalar
};

class Boxes {
 public:
  // At most `most_elements` each, which is 1 at least. `whole` is not empty.
  Boxes(IndexBox whole, std::size_t most_elements);

  std::size_t number() const noexcept { return outer_ * pieces_; }
  std::size_t most_elements() const noexcept { return rows_ * row_elements_; }
  // From number() on: a box without elements.
  IndexBox at(std::size_t n) const;

 private:
  IndexBox whole_;
  std::size_t cut_ = 0;           // the dimension that boxes divide; one index of each before it, all of those after it
  std::size_t outer_ = 1;         // indices before it
  std::size_t row_elements_ = 1;  // of one of its indices
  std::size_t rows_ = 1;          // indices of a box
  std::size_t pieces_ = 1;        // boxes that it makes
};

}  // namespace weir::bridge
