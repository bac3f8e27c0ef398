// SPDX-License-Identifier: Apache-2.0
#include "plan/tile_memory.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace weir {

TileMemory::TileMemory(Shape space, weir_fill_mode cover, TilePlan& tile)
    : space_(std::move(space)), strides_(strides(space_)), cover_(cover), tile_(tile) {}

// A box's elements, `at` and on in the memory in the box's own order, as stretches of the file.
void TileMemory::write_rows(Box box, std::int64_t at, std::vector<Stretch>& out) const {
  const std::size_t inner = contiguous_from(box, space_);
  const std::int64_t count = (box.hi[inner] - box.lo[inner]) * strides_[inner];
  Shape index(box.lo.begin(), box.lo.end());
  for (;;) {
    out.push_back({offset(index, strides_), at, count});
    at += count;
    std::size_t d = inner;
    for (; d > 0; --d) {
      if (++index[d - 1] < box.hi[d - 1]) break;
      index[d - 1] = box.lo[d - 1];
    }
    if (d == 0) return;
  }
}

std::vector<Placement> TileMemory::places_in_range(std::int64_t base, const Claims& claims) const {
  std::vector<Placement> places;
  for (std::size_t i = 0; i < claims.boxes.size(); ++i)
    places.push_back({base + first_element(claims.boxes[i], strides_), strides_});
  return places;
}

std::vector<Stretch> TileMemory::sorted_rows(const BoxList& boxes) const {
  std::vector<Stretch> rows;
  for (std::size_t i = 0; i < boxes.size(); ++i) write_rows(boxes[i], 0, rows);
  for (Stretch& row : rows) row.at = row.element;  // rows that continue each other in the file are joined
  sort_and_join(rows);
  return rows;
}

// What the holes leave of [first, last), which the memory ends with.
void TileMemory::add_between(std::int64_t first, std::int64_t last, const std::vector<Stretch>& holes) {
  const std::int64_t base = tile_.elements - last;
  std::int64_t from = first;
  for (const Stretch& hole : holes) {
    if (from < hole.element) tile_.stretches.push_back({from, base + from, hole.element - from});
    from = hole.element + hole.count;
  }
  if (from < last) tile_.stretches.push_back({from, base + from, last - from});
}

std::vector<Placement> TileMemory::add_range(std::int64_t first, std::int64_t last, const OwnedTile& tile) {
  const std::int64_t base = tile_.elements - first;
  tile_.elements += last - first;
  std::vector<Stretch> holes = sorted_rows(tile.holes);
  if (cover_ == WEIR_NOFILL) {
    add_between(first, last, holes);
  } else {
    for (Stretch& hole : holes) hole.at = base + hole.element;
    tile_.stretches.push_back({first, base + first, last - first});
    tile_.fills.insert(tile_.fills.end(), holes.begin(), holes.end());
  }
  return places_in_range(base, tile.claims);
}

std::vector<Placement> TileMemory::add_wanted(std::int64_t first, std::int64_t last, const OwnedTile& tile,
                                              std::int64_t gap) {
  const std::int64_t base = tile_.elements - first;
  tile_.elements += last - first;
  std::vector<Stretch> holes = sorted_rows(tile.holes);
  std::erase_if(holes, [&](const Stretch& hole) {
    return hole.count < gap || hole.element + hole.count <= first || hole.element >= last;
  });
  add_between(first, last, holes);
  return places_in_range(base, tile.claims);
}

Placement TileMemory::add_region(Box box) {
  Placement place{tile_.elements, {}};
  Shape lengths(space_.size());
  for (std::size_t d = 0; d < lengths.size(); ++d) lengths[d] = box.hi[d] - box.lo[d];
  place.strides = strides(lengths);
  write_rows(box, tile_.elements, tile_.stretches);
  tile_.regions.push_back({Shape(box.lo.begin(), box.lo.end()), Shape(box.hi.begin(), box.hi.end())});
  tile_.elements += box.volume();
  return place;
}

std::vector<Placement> TileMemory::add_runs(const Claims& claims) {
  const std::size_t count = claims.boxes.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return claims.boxes[a].lo[0] < claims.boxes[b].lo[0]; });
  std::vector<Placement> places(count);
  for (std::size_t k = 0; k < count;) {
    const std::int64_t lo = claims.boxes[order[k]].lo[0], base = tile_.elements;
    std::int64_t hi = lo;
    for (; k < count && claims.boxes[order[k]].lo[0] == hi; ++k) {
      places[order[k]] = {base + hi - lo, {1}};
      hi = claims.boxes[order[k]].hi[0];
    }
    // Claims that overlap have been reported; they still get places of their own.
    if (hi == lo) hi = claims.boxes[order[k]].hi[0], places[order[k++]] = {base, {1}};
    add_region(Box{IndexView(&lo, 1), IndexView(&hi, 1)});
  }
  return places;
}

// The box around boxes, of which there is one at least.
std::pair<Shape, Shape> TileMemory::bounds_of(const BoxList& boxes) const {
  Shape lo(space_.size(), std::numeric_limits<std::int64_t>::max()), hi(space_.size(), 0);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t d = 0; d < lo.size(); ++d) {
      lo[d] = std::min(lo[d], boxes[i].lo[d]);
      hi[d] = std::max(hi[d], boxes[i].hi[d]);
    }
  return {std::move(lo), std::move(hi)};
}

std::vector<Placement> TileMemory::add_group(const OwnedTile& tile) {
  const BoxList& boxes = tile.claims.boxes;
  if (space_.size() == 1) return add_runs(tile.claims);
  const auto [lo, hi] = bounds_of(boxes);
  if (Box{lo, hi}.volume() == boxes.volume()) return add_around(boxes, Box{lo, hi});
  std::vector<Placement> places;
  for (std::size_t i = 0; i < boxes.size(); ++i) places.push_back(add_region(boxes[i]));
  return places;
}

std::vector<Placement> TileMemory::add_wanted_group(const OwnedTile& tile, std::int64_t gap) {
  const BoxList& boxes = tile.claims.boxes;
  const auto [lo, hi] = bounds_of(boxes);
  const Box bounds{lo, hi};
  if (space_.size() > 1 && bounds.volume() <= boxes.volume()) return add_around(boxes, bounds);
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  std::vector<Stretch> wanted = sorted_rows(boxes);
  for (const Stretch& rows : wanted) {
    first = std::min(first, rows.element);
    last = std::max(last, rows.element + rows.count);
  }
  add_near(first, last, wanted, gap);
  return places_in_range(tile_.elements - last, tile.claims);
}

// Of [first, last), which gets its place, what is wanted and the gaps within it that are small.
void TileMemory::add_near(std::int64_t first, std::int64_t last, const std::vector<Stretch>& wanted, std::int64_t gap) {
  const std::int64_t base = tile_.elements - first;
  tile_.elements += last - first;
  std::int64_t from = first, to = first;
  for (const Stretch& rows : wanted) {
    if (rows.element - to >= gap) {
      tile_.stretches.push_back({from, base + from, to - from});
      from = rows.element;
    }
    to = std::max(to, rows.element + rows.count);
  }
  tile_.stretches.push_back({from, base + from, to - from});
}

// Boxes in the memory of one around them.
std::vector<Placement> TileMemory::add_around(const BoxList& boxes, Box bounds) {
  const Shape lo(bounds.lo.begin(), bounds.lo.end());
  std::vector<Placement> places;
  const Placement whole = add_region(bounds);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Shape relative(boxes[i].lo.begin(), boxes[i].lo.end());
    for (std::size_t d = 0; d < lo.size(); ++d) relative[d] -= lo[d];
    places.push_back({whole.at + offset(relative, whole.strides), whole.strides});
  }
  return places;
}

void TileMemory::add_holes(const BoxList& holes) {
  if (cover_ != WEIR_FILL) return;
  for (std::size_t i = 0; i < holes.size(); ++i) {
    const std::size_t before = tile_.stretches.size();
    write_rows(holes[i], tile_.elements, tile_.stretches);
    tile_.fills.insert(tile_.fills.end(), tile_.stretches.begin() + static_cast<std::ptrdiff_t>(before),
                       tile_.stretches.end());
    tile_.elements += holes[i].volume();
  }
}

void sort_and_join(std::vector<Stretch>& stretches) {
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.element < b.element; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch next = stretches[i];
    if (kept > 0) {
      Stretch& last = stretches[kept - 1];
      if (last.element + last.count == next.element && last.at + last.count == next.at) {
        last.count += next.count;
        continue;
      }
    }
    stretches[kept++] = next;
  }
  stretches.resize(kept);
}

std::vector<int> slot_of_planning_rank(const std::vector<int>& planning_ranks, int ranks) {
  std::vector<int> slot_of(static_cast<std::size_t>(ranks), -1);
  for (std::size_t slot = 0; slot < planning_ranks.size(); ++slot)
    slot_of[static_cast<std::size_t>(planning_ranks[slot])] = static_cast<int>(slot);
  return slot_of;
}

namespace {

Block box_block(Box box, std::int64_t source, IndexView source_strides, std::int64_t target, IndexView target_strides) {
  Block block{source, target, {}};
  block.loops.reserve(box.lo.size());
  for (std::size_t d = 0; d < box.lo.size(); ++d)
    block.loops.push_back({box.hi[d] - box.lo[d], source_strides[d], target_strides[d]});
  return block;
}

std::vector<std::int64_t> packed_strides(Box box) {
  Shape lengths(box.lo.size());
  for (std::size_t d = 0; d < lengths.size(); ++d) lengths[d] = box.hi[d] - box.lo[d];
  return strides(lengths);
}

std::int64_t first_in_buffer(const BufferBox& held) {
  const Box piece = held.layout.pieces()[held.piece];
  const IndexView memory = held.layout.memory_strides(held.piece);
  std::int64_t at = held.layout.base(held.piece);
  for (std::size_t d = 0; d < piece.lo.size(); ++d) at += (held.box.lo[d] - piece.lo[d]) * memory[d];
  return at;
}

// The entry of `list` for a peer, kept ascending by peer.
template <class Entry>
Entry& entry_of(std::vector<Entry>& list, int peer, int Entry::*member) {
  auto at = std::lower_bound(list.begin(), list.end(), peer, [&](const Entry& e, int p) { return e.*member < p; });
  if (at == list.end() || (*at).*member != peer) {
    at = list.insert(at, Entry{});
    (*at).*member = peer;
  }
  return *at;
}

}  // namespace

void add_outgoing(Round& round, int owner, const BufferBox& held, const Placement& place, bool reachable) {
  Outgoing& out = entry_of(round.outgoing, owner, &Outgoing::owner_or_slot);
  const IndexView memory = held.layout.memory_strides(held.piece);
  const std::int64_t source = first_in_buffer(held);
  out.by_message = !reachable;
  if (reachable) {
    append(out.to_tile, box_block(held.box, source, memory, place.at, place.strides));
  } else {
    append(out.to_packed, box_block(held.box, source, memory, out.count, packed_strides(held.box)));
    round.packed_elements += held.box.volume();
  }
  out.count += held.box.volume();
}

void add_open(Round& round, int planning_rank, const BufferBox& held, const Placement& place, bool messages) {
  Outgoing& out = entry_of(round.outgoing, planning_rank, &Outgoing::owner_or_slot);
  const IndexView memory = held.layout.memory_strides(held.piece);
  const std::int64_t source = first_in_buffer(held);
  append(out.to_tile, box_block(held.box, source, memory, place.at, place.strides));
  if (messages) {
    const std::vector<std::int64_t> packed = packed_strides(held.box);
    append(out.to_packed, box_block(held.box, source, memory, out.count, packed));
    append(out.unpack_program, box_block(held.box, out.count, packed, place.at, place.strides));
    round.packed_elements += held.box.volume();
  }
  out.count += held.box.volume();
}

void add_incoming(Round& round, int source, Box box, const Placement& place) {
  Incoming& in = entry_of(round.incoming, source, &Incoming::source);
  append(in.to_tile, box_block(box, in.count, packed_strides(box), place.at, place.strides));
  in.count += box.volume();
  round.received_elements += box.volume();
}

}  // namespace weir
