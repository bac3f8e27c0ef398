// SPDX-License-Identifier: Apache-2.0
// What the scheduler's examples are written in: machines by the sizes of their nodes, decisions as words.
#pragma once

#include <string>
#include <vector>

#include "schedule/scheduler.hpp"

namespace weir::words {

using Ranks = std::vector<int>;
using Words = std::vector<std::string>;

inline Machine nodes_of(const std::vector<int>& sizes) {
  std::vector<int> leaders;
  for (const int size : sizes) leaders.insert(leaders.end(), static_cast<std::size_t>(size), int(leaders.size()));
  return Machine::from_leaders(leaders);
}

// What the last event decided.
inline Words said(const Scheduler& scheduler) {
  Words words;
  for (const Decision& decision : scheduler.decisions()) {
    const std::string unit = std::to_string(decision.unit);
    if (decision.kind == Decision::Kind::assigned)
      words.push_back("assigned " + unit + (decision.rank < 0 ? "" : " for " + std::to_string(decision.rank)));
    else if (decision.kind == Decision::Kind::released)
      words.push_back("released " + unit);
    else
      words.push_back(std::to_string(decision.rank) + " to " + std::to_string(decision.to) + " in " + unit);
  }
  return words;
}

// Who has the slots of `unit`, in the order of its tiles; nobody where it is not assigned.
inline Ranks ranks_in(const Scheduler& scheduler, std::int64_t unit) {
  Ranks ranks;
  if (scheduler.slots(unit) != nullptr)
    for (const Slot& slot : *scheduler.slots(unit)) ranks.push_back(slot.rank);
  return ranks;
}

inline void write_all(Scheduler& scheduler, std::int64_t unit) {
  const std::vector<Slot> slots = *scheduler.slots(unit);
  for (const Slot& slot : slots) scheduler.written(slot.rank, unit, slot.tile_buffer);
}

}  // namespace weir::words
