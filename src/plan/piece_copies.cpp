// SPDX-License-Identifier: Apache-2.0
#include "plan/piece_copies.hpp"

#include <algorithm>

namespace weir {

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
  Outgoing& out = entry_of(round.outgoing, owner, &Outgoing::owner);
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
  Outgoing& out = entry_of(round.outgoing, planning_rank, &Outgoing::owner);
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
