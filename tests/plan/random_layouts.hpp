// SPDX-License-Identifier: Apache-2.0
// Random decompositions of random arrays, in the shapes that models use: regular blocks, irregular boxes, several boxes
// a rank, ranks with nothing, halos in memory, any order of axes, offset maps with absent elements, holes.
#pragma once

#include <rapidcheck.h>
#include <weir/types.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "plan/layout.hpp"

namespace weir::reference {

using Random = std::mt19937_64;

inline std::int64_t draw(Random& random, std::int64_t from, std::int64_t to) {
  return std::uniform_int_distribution<std::int64_t>(from, to - 1)(random);
}

inline Random random_source() {
  return Random(*rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
}

// Lengths that divide nothing in particular, at most about `most` elements.
inline Shape random_shape(int ndims, std::int64_t most) {
  Shape shape;
  std::int64_t left = most;
  for (int d = 0; d < ndims; ++d) {
    shape.push_back(*rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(left, 30) + 1));
    left = std::max<std::int64_t>(1, left / shape.back());
  }
  return shape;
}

// Boxes that tile an array: `parts[d]` nearly equal blocks along dimension d, in row-major order.
inline BoxList regular_blocks(const Shape& shape, const std::vector<int>& parts) {
  BoxList boxes(static_cast<int>(shape.size()));
  std::vector<int> index(shape.size(), 0);
  for (;;) {
    Shape lo, hi;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      lo.push_back(shape[d] * index[d] / parts[d]);
      hi.push_back(shape[d] * (index[d] + 1) / parts[d]);
    }
    boxes.add(lo, hi);
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == parts[d - 1]) index[--d] = 0;
    if (d == 0) return boxes;
  }
}

// Boxes that tile an array, by cutting some box at some place until there are `count` (or none can be cut).
inline BoxList irregular_boxes(const Shape& shape, std::size_t count, Random& random) {
  const std::size_t n = shape.size();
  std::vector<std::vector<std::int64_t>> bounds{std::vector<std::int64_t>(2 * n, 0)};
  std::copy(shape.begin(), shape.end(), bounds[0].begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t tries = 0; bounds.size() < count && tries < 4 * count; ++tries) {
    auto& box = bounds[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(bounds.size())))];
    const auto d = static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(n)));
    if (box[n + d] - box[d] < 2) continue;
    const std::int64_t cut = draw(random, box[d] + 1, box[n + d]);
    auto upper = box;
    box[n + d] = cut;
    upper[d] = cut;
    bounds.push_back(std::move(upper));
  }
  BoxList boxes(static_cast<int>(n));
  for (const auto& box : bounds) boxes.add_bounds(box);
  return boxes;
}

inline std::vector<int> random_order(std::size_t ndims, Random& random) {
  std::vector<int> order(ndims);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

inline std::vector<std::int64_t> lengths_of(Box box) {
  std::vector<std::int64_t> lengths;
  for (std::size_t d = 0; d < box.lo.size(); ++d) lengths.push_back(box.hi[d] - box.lo[d]);
  return lengths;
}

// A layout of these boxes in any order of axes; of one box sometimes with a halo round it in memory.
inline Layout box_layout(const Shape& shape, const BoxList& boxes, Random& random) {
  const std::vector<int> order = random_order(shape.size(), random);
  if (boxes.size() == 1 && draw(random, 0, 2) == 0) {
    Shape memory_shape, memory_start;
    const Shape count = lengths_of(boxes[0]);
    for (int axis : order) {
      memory_start.push_back(draw(random, 0, 3));
      memory_shape.push_back(memory_start.back() + count[static_cast<std::size_t>(axis)] + draw(random, 0, 3));
    }
    return Layout::subarray(shape, boxes[0].lo, count, order, memory_shape, memory_start);
  }
  std::vector<std::int64_t> starts, counts;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const auto lengths = lengths_of(boxes[b]);
    starts.insert(starts.end(), boxes[b].lo.begin(), boxes[b].lo.end());
    counts.insert(counts.end(), lengths.begin(), lengths.end());
  }
  return Layout::boxes(shape, starts, counts, order);
}

// Calls visit(element number) for the elements of a box, in file order.
template <class Visit>
void for_each_element(Box box, const Shape& shape, const Visit& visit) {
  if (box.volume() == 0) return;
  const auto stride = strides(shape);
  Shape index(box.lo.begin(), box.lo.end());
  for (;;) {
    visit(offset(index, stride));
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == box.hi[d - 1]) {
      index[d - 1] = box.lo[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

// The same elements as an offset map: in pieces that lie anywhere in the buffer, with absent elements between.
inline Layout map_layout(const Shape& shape, const BoxList& boxes, Random& random) {
  std::vector<std::vector<std::int64_t>> runs;
  for (std::size_t b = 0; b < boxes.size(); ++b)
    for_each_element(boxes[b], shape, [&](std::int64_t element) {
      if (runs.empty() || runs.back().back() + 1 != element || draw(random, 0, 4) == 0) runs.emplace_back();
      runs.back().push_back(element);
    });
  std::shuffle(runs.begin(), runs.end(), random);
  std::vector<std::int64_t> offsets;
  for (const auto& run : runs) {
    if (draw(random, 0, 4) == 0) offsets.push_back(WEIR_ABSENT);
    offsets.insert(offsets.end(), run.begin(), run.end());
  }
  return Layout::map(shape, offsets);
}

enum class Pieces { regular, irregular, several, maps, mixed };

// What all ranks hold of one array.
struct Decomposition {
  Shape shape;
  std::vector<Layout> layouts;
  bool flat = false;
  std::vector<int> holder;  // of each element; -1: nobody
};

inline void note_holders(Decomposition& made, Box box, int rank) {
  for_each_element(box, made.shape,
                   [&](std::int64_t element) { made.holder[static_cast<std::size_t>(element)] = rank; });
}

// Parts along each dimension whose product is at most `ranks`.
inline std::vector<int> random_parts(std::size_t ndims, int ranks, Random& random) {
  std::vector<int> parts(ndims, 1);
  for (int left = ranks; left > 1;) {
    const int factor = static_cast<int>(draw(random, 2, left + 1));
    parts[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(ndims)))] *= factor;
    left /= factor;
  }
  return parts;
}

// Whose each box is. Irregular: a rank has one box at the most; several: any number of them, or none.
inline std::vector<int> random_owners(std::size_t boxes, int ranks, Pieces pieces, Random& random) {
  std::vector<int> owners(boxes);
  std::iota(owners.begin(), owners.end(), 0);
  if (pieces == Pieces::regular) return owners;
  for (int& owner : owners)
    if (owner >= ranks || pieces != Pieces::irregular) owner = static_cast<int>(draw(random, 0, ranks));
  if (pieces == Pieces::irregular) std::shuffle(owners.begin(), owners.end(), random);
  return owners;
}

// `holes`: about a quarter of the boxes is held by nobody.
inline Decomposition decompose(const Shape& shape, int ranks, Pieces pieces, bool holes, Random& random) {
  Decomposition made{shape, {}, false, std::vector<int>(static_cast<std::size_t>(elements(shape)), -1)};
  const auto wanted = static_cast<std::size_t>(pieces == Pieces::irregular ? ranks : 3 * ranks);
  const BoxList boxes = pieces == Pieces::regular ? regular_blocks(shape, random_parts(shape.size(), ranks, random))
                                                  : irregular_boxes(shape, wanted, random);
  const std::vector<int> owners = random_owners(boxes.size(), ranks, pieces, random);
  std::vector<BoxList> held(static_cast<std::size_t>(ranks), BoxList(static_cast<int>(shape.size())));
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    if (boxes[b].volume() == 0 || (holes && draw(random, 0, 4) == 0)) continue;
    held[static_cast<std::size_t>(owners[b])].add(boxes[b]);
    note_holders(made, boxes[b], owners[b]);
  }
  for (const BoxList& mine : held) {
    const bool map = pieces == Pieces::maps || (pieces == Pieces::mixed && draw(random, 0, 2) == 0);
    made.layouts.push_back(map ? map_layout(shape, mine, random) : box_layout(shape, mine, random));
    made.flat = made.flat || map;
  }
  if (made.flat)
    for (Layout& layout : made.layouts) layout = layout.flattened();
  return made;
}

// A rank's buffer: the number of the array's element where one lies, -1 elsewhere.
inline std::vector<std::int64_t> filled_buffer(const Layout& layout) {
  std::vector<std::int64_t> buffer(static_cast<std::size_t>(layout.buffer_length()), -1);
  const Shape space = layout.space();
  for (std::size_t p = 0; p < layout.pieces().size(); ++p) {
    const Box box = layout.pieces()[p];
    const auto lengths = lengths_of(box);
    std::int64_t number = 0;
    for_each_element(box, space, [&](std::int64_t element) {
      std::int64_t at = layout.base(p), rest = number++;
      for (std::size_t d = lengths.size(); d-- > 0; rest /= lengths[d])
        at += rest % lengths[d] * layout.memory_strides(p)[d];
      buffer.at(static_cast<std::size_t>(at)) = element;
    });
  }
  return buffer;
}

}  // namespace weir::reference
