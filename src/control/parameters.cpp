// SPDX-License-Identifier: Apache-2.0
#include "control/parameters.hpp"

#include <algorithm>

#include "memory/memory_budget.hpp"

namespace weir {

ScheduleParameters schedule_parameters(const Config& config, int tile_buffers) {
  ScheduleParameters how;
  how.writers_per_node = config.writers_per_host;
  how.flush_after = config.flush_after;
  how.wait_rounds = config.wait_rounds;
  how.tiles_per_rank = tile_buffers;
  how.hops = config.hops;
  how.choose = config.choose;
  if (how.choose == ChooseKind::automatic) how.choose = ChooseKind::recent;
  return how;
}

int cycles_in_flight(const Config& config, const Machine& machine, int tile_buffers, int slots) {
  constexpr int most = 64;
  if (config.strategy != StrategyKind::dynamic) return fewest_tile_buffers;
  return std::clamp(tile_buffers * machine.ranks() / std::max(slots, 1), 1, most);
}

}  // namespace weir
