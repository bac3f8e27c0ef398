// SPDX-License-Identifier: Apache-2.0
// Who reads what of a restart, and what goes to whom: the library's plans (plan/planner.hpp) by the library's rules
// (plan/roles.hpp), in the cycles in which memory holds them (schedule/rounds.hpp). Made once, before any
// time is simulated. Pure, Local.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "simulate/script.hpp"

namespace weir::simulate {

// The messages of a cycle by their senders, the owners. Their receivers have them in the cycle's traffic.
struct Given {
  struct Piece {
    int rank;
    std::int64_t bytes;
  };
  std::vector<std::uint32_t> first_piece;  // of each rank, and one past the last rank's
  std::vector<Piece> pieces;

  std::span<const Piece> of(int rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    return std::span(pieces).subspan(first_piece[at], first_piece[at + 1] - first_piece[at]);
  }
};

struct ReadCycle {
  std::vector<Entry> entries;
  const Traffic* traffic = nullptr;  // "owner" is who is taken from
  const Given* given = nullptr;
};

// A call in which all ranks get a variable.
struct Get {
  std::string variable;
  bool by_host = false;
  std::vector<ReadCycle> cycles;
};

struct ReadingScript {
  std::vector<Get> gets;
  std::int64_t high_water = 0;  // bytes reserved on the neediest rank
  std::int64_t plans = 0;

  std::vector<std::unique_ptr<PlanCost>> plan_costs;
  std::vector<std::unique_ptr<Traffic>> traffics;
  std::vector<std::unique_ptr<Given>> givens;
};

struct ReadingInputs {
  const Workload& work;
  const Machine& machine;
  const Config& config;
  std::int64_t stripe_bytes;  // that tiles are cut at
  bool shared_memory;
};

// Throws Error(WEIR_EMEMORY) where the workload cannot be planned within buffer_limit.
ReadingScript make_reading_script(const ReadingInputs& inputs);

}  // namespace weir::simulate
