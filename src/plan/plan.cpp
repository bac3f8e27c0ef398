// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

namespace weir {

namespace {

// With what an allocator adds to it.
template <class Element>
std::int64_t room_of(const std::vector<Element>& elements) noexcept {
  constexpr std::size_t overhead = 16;
  return static_cast<std::int64_t>(elements.capacity() * sizeof(Element) + (elements.capacity() > 0 ? overhead : 0));
}

std::int64_t memory_bytes(const Round& round) noexcept {
  std::int64_t bytes = room_of(round.outgoing) + room_of(round.incoming) + room_of(round.stretches) +
                       room_of(round.fills) + room_of(round.regions);
  for (const Outgoing& out : round.outgoing)
    bytes += memory_bytes(out.to_tile) + memory_bytes(out.to_packed) + memory_bytes(out.unpack_program);
  for (const Incoming& in : round.incoming) bytes += memory_bytes(in.to_tile);
  for (const Region& region : round.regions) bytes += room_of(region.lo) + room_of(region.hi);
  return bytes;
}

}  // namespace

std::int64_t memory_bytes(const CopyProgram& program) noexcept {
  std::int64_t bytes = room_of(program.blocks) + room_of(program.runs);
  for (const Block& block : program.blocks) bytes += room_of(block.loops);
  return bytes;
}

std::int64_t memory_bytes(const Plan& plan) noexcept {
  std::int64_t bytes = room_of(plan.rounds) + room_of(plan.reserves) + room_of(plan.slots);
  for (const Round& round : plan.rounds) bytes += memory_bytes(round);
  for (const Plan& slot : plan.slots) bytes += memory_bytes(slot);
  return bytes;
}

void Summary::add(const Summary& other) noexcept {
  elements += other.elements;
  between_hosts += other.between_hosts;
  messages += other.messages;
  owners += other.owners;
  stretches += other.stretches;
  filled += other.filled;
}

Summary summarize(const Plan& plan, int rank, const Machine& machine) {
  Summary summary;
  for (const Round& round : plan.rounds) {
    for (const Outgoing& out : round.outgoing) {
      summary.elements += out.count;
      if (!machine.same_host(rank, out.owner)) summary.between_hosts += out.count;
      if (out.by_message) ++summary.messages;
    }
    if (round.tile_elements > 0) summary.owners = 1;
    summary.stretches += static_cast<std::int64_t>(round.stretches.size());
    for (const Stretch& fill : round.fills) summary.filled += fill.count;
  }
  return summary;
}

}  // namespace weir
