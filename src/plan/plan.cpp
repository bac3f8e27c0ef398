// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <nlohmann/json.hpp>

namespace weir {

namespace {

// With what an allocator adds to it.
template <class Element>
std::int64_t room_of(const std::vector<Element>& elements) noexcept {
  constexpr std::size_t overhead = 16;
  return static_cast<std::int64_t>(elements.capacity() * sizeof(Element) + (elements.capacity() > 0 ? overhead : 0));
}

std::int64_t memory_bytes(const TilePlan& tile) noexcept {
  std::int64_t bytes = room_of(tile.stretches) + room_of(tile.fills) + room_of(tile.regions);
  for (const Region& region : tile.regions) bytes += room_of(region.lo) + room_of(region.hi);
  return bytes;
}

std::int64_t memory_bytes(const Round& round) noexcept {
  std::int64_t bytes = room_of(round.outgoing) + room_of(round.incoming) + memory_bytes(round.tile);
  for (const Outgoing& out : round.outgoing)
    bytes += memory_bytes(out.to_tile) + memory_bytes(out.to_packed) + memory_bytes(out.unpack_program);
  for (const Incoming& in : round.incoming) bytes += memory_bytes(in.to_tile);
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
  for (const std::vector<SlotPlan>& slot : plan.slots) {
    bytes += room_of(slot);
    for (const SlotPlan& round : slot) bytes += memory_bytes(round.tile);
  }
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
      if (!machine.same_host(rank, out.owner_or_slot)) summary.between_hosts += out.count;
      if (out.by_message) ++summary.messages;
    }
    if (round.tile.elements > 0) summary.owners = 1;
    summary.stretches += static_cast<std::int64_t>(round.tile.stretches.size());
    for (const Stretch& fill : round.tile.fills) summary.filled += fill.count;
  }
  return summary;
}

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
  ReadRound back{{}, {}, round.tile.stretches, round.tile.elements};
  for (const Outgoing& out : round.outgoing) {
    const CopyProgram& there = out.by_message ? out.to_packed : out.to_tile;
    back.receives.push_back({out.owner_or_slot, out.by_message, out.count, backwards(there)});
  }
  for (const Incoming& in : round.incoming) back.sends.push_back({in.source, in.count, backwards(in.to_tile)});
  return back;
}

ReadRound by_planning_ranks(const Plan& plan, std::size_t round, int rank, std::span<const int> planning_ranks) {
  ReadRound back;
  for (const Outgoing& out : plan.rounds[round].outgoing)
    back.receives.push_back(
        {planning_ranks[static_cast<std::size_t>(out.owner_or_slot)], false, out.count, backwards(out.to_tile)});
  for (std::size_t slot = 0; slot < plan.slots.size(); ++slot) {
    if (planning_ranks[slot] != rank) continue;
    const TilePlan& tile = plan.slots[slot][round].tile;
    back.stretches = tile.stretches;
    back.tile_elements = tile.elements;
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
    read.rounds.push_back(plan.slots.empty() ? by_owners(plan.rounds[r])
                                             : by_planning_ranks(plan, r, rank, planning_ranks));
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

namespace {

nlohmann::ordered_json round_json(const Round& round, int element_bytes) {
  nlohmann::ordered_json json;
  json["tile_bytes"] = round.tile.elements * element_bytes;
  json["packed_bytes"] = round.packed_elements * element_bytes;
  json["received_bytes"] = round.received_elements * element_bytes;
  json["sends"] = nlohmann::ordered_json::array();
  for (const Outgoing& out : round.outgoing)
    json["sends"].push_back({{"to", out.owner_or_slot},
                             {"bytes", out.count * element_bytes},
                             {"by", out.by_message ? "message" : "shared memory"}});
  json["receives"] = nlohmann::ordered_json::array();
  for (const Incoming& in : round.incoming)
    json["receives"].push_back({{"from", in.source}, {"bytes", in.count * element_bytes}});
  json["writes"] = nlohmann::ordered_json::array();
  for (const Stretch& stretch : round.tile.stretches)
    json["writes"].push_back({{"element", stretch.element}, {"count", stretch.count}});
  json["filled_elements"] = 0;
  for (const Stretch& fill : round.tile.fills)
    json["filled_elements"] = json["filled_elements"].get<std::int64_t>() + fill.count;
  return json;
}

nlohmann::ordered_json summary_json(const Summary& summary, int element_bytes) {
  return {{"bytes", summary.elements * element_bytes},
          {"bytes_between_hosts", summary.between_hosts * element_bytes},
          {"messages", summary.messages},
          {"owners", summary.owners},
          {"writes", summary.stretches},
          {"filled_bytes", summary.filled * element_bytes}};
}

}  // namespace

std::string to_json(const Plan& plan, int rank) {
  nlohmann::ordered_json json;
  json["rank"] = rank;
  json["element_bytes"] = plan.element_bytes;
  json["summary"] = summary_json(plan.summary, plan.element_bytes);
  json["rounds"] = nlohmann::ordered_json::array();
  for (const Round& round : plan.rounds) json["rounds"].push_back(round_json(round, plan.element_bytes));
  return json.dump();
}

}  // namespace weir
