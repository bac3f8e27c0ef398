// SPDX-License-Identifier: Apache-2.0
#include "plan/read_plan.hpp"

namespace weir {

namespace {

CopyProgram backwards(const CopyProgram& program) {
  CopyProgram turned;
  for (const Block& block : program.blocks) {
    Block back{block.target, block.source, {}};
    for (const Loop& loop : block.loops) back.loops.push_back({loop.count, loop.target_stride, loop.source_stride});
    append(turned, std::move(back));
  }
  for (const Run& run : program.runs) append(turned, {run.target, run.source, {{run.count, 1, 1}}});
  return turned;
}

// Owners are the ranks that the plan names, who reach or send.
ReadRound by_owners(const Round& round) {
  ReadRound back{{}, {}, round.stretches, round.tile_elements};
  for (const Outgoing& out : round.outgoing) {
    const CopyProgram& there = out.by_message ? out.to_packed : out.to_tile;
    back.receives.push_back({out.owner, out.by_message, out.count, backwards(there)});
  }
  for (const Incoming& in : round.incoming) back.sends.push_back({in.source, in.count, backwards(in.to_tile)});
  return back;
}

ReadRound by_planning_ranks(const Plan& plan, std::size_t round, int rank, std::span<const int> planning_ranks) {
  ReadRound back;
  for (const Outgoing& out : plan.rounds[round].outgoing)
    back.receives.push_back({planning_ranks[static_cast<std::size_t>(out.owner)], false, out.count, backwards(out.to_tile)});
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
    if (planning_ranks[slot] != rank) continue;
    const Round& tile = plan.slots[slot].rounds[round];
    back.stretches = tile.stretches;
    back.tile_elements = tile.tile_elements;
  }
  return back;
}

}  // namespace

bool can_be_read(const Plan& plan, bool everybody) noexcept {
  return plan.summary.filled == 0 && (plan.slots.empty() || everybody);
}

ReadPlan backwards(const Plan& plan, int rank, std::span<const int> planning_ranks) {
  ReadPlan read{{}, plan.reserves, plan.element_bytes};
  for (std::size_t r = 0; r < plan.rounds.size(); ++r)
    read.rounds.push_back(plan.slots.empty() ? by_owners(plan.rounds[r]) : by_planning_ranks(plan, r, rank, planning_ranks));
  return read;
}

std::int64_t memory_bytes(const ReadPlan& plan) noexcept {
  const auto room = [](const auto& list) { return static_cast<std::int64_t>(list.capacity() * sizeof list[0]); };
  std::int64_t bytes = room(plan.rounds) + room(plan.reserves);
  for (const ReadRound& round : plan.rounds) {
    bytes += room(round.receives) + room(round.sends) + room(round.stretches);
    for (const ReceiveFromOwner& taken : round.receives) bytes += memory_bytes(taken.program);
    for (const SendToRank& given : round.sends) bytes += memory_bytes(given.program);
  }
  return bytes;
}

}  // namespace weir
