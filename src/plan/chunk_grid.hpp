// SPDX-License-Identifier: Apache-2.0
// The chunks of a variable: boxes of one shape, which a format stores one by one (netCDF-4). A chunk can be packed by
// one rank only, so tiles are cut where file order crosses no chunk: at granules. Pure, Local.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "plan/box.hpp"

namespace weir {

// Where tiles may be cut: at multiples of `elements` from each multiple of `period` on, in file order. None: anywhere.
struct Granule {
  std::int64_t elements = 0;
  std::int64_t period = 0;
  bool packed = false;  // its chunks are compressed, which takes longer than writing

  bool any() const noexcept { return elements > 0; }
  std::int64_t per_period() const noexcept { return (period + elements - 1) / elements; }
  // How many begin before `place`, and where the one of that number does.
  std::int64_t before(std::int64_t place) const noexcept {
    return place / period * per_period() + (place % period + elements - 1) / elements;
  }
  std::int64_t begin(std::int64_t number) const noexcept {
    return number / per_period() * period + number % per_period() * elements;
  }
  auto operator<=>(const Granule&) const = default;
};

// Granules in so many elements; with no granule, the elements.
std::int64_t granules_in(const Granule& granule, std::int64_t elements) noexcept;

// The first dimension in which a chunk is longer than one, or the last: beyond it file order crosses chunks. `shape`
// has a dimension.
std::size_t slab_dimension(const Shape& shape, const Shape& chunk) noexcept;

// One chunk: its number in the order of the grid, and what of the variable lies in it (less than a chunk at the edges).
struct Chunk {
  std::int64_t number;
  Shape lo, hi;
};

class ChunkGrid {
 public:
  // `chunk`: lengths of a chunk along each dimension of `shape`; none longer than the dimension counts for more.
  ChunkGrid(Shape shape, Shape chunk);

  const Shape& shape() const noexcept { return shape_; }
  const Shape& chunk() const noexcept { return chunk_; }
  // A whole chunk, what lies beyond the edges included.
  std::int64_t chunk_elements() const noexcept { return elements(chunk_); }
  std::int64_t chunks() const noexcept { return elements(grid_); }
  // The slab of chunks along the first dimension in which a chunk is longer than one.
  const Granule& granule() const noexcept { return granule_; }
  // Index of a chunk's first element.
  Shape first_index(std::int64_t number) const;
  // The chunks of the elements [first, last), two places where the granule lets tiles be cut; each once, ascending.
  void visit(std::int64_t first, std::int64_t last, const std::function<void(const Chunk&)>& visitor) const;

 private:
  Shape shape_, chunk_, grid_;
  std::vector<std::int64_t> strides_;
  Granule granule_;
  std::int64_t chunks_per_granule_ = 1;
};

}  // namespace weir
