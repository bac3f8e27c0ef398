// SPDX-License-Identifier: Apache-2.0
#include "schedule/control.hpp"

#include <algorithm>
#include <limits>

#include "schedule/memory_budget.hpp"

namespace weir {

ScheduleParameters schedule_parameters(const Config& config, int tile_buffers) {
  ScheduleParameters how;
  how.writers_per_node = config.writers_per_host;
  how.flush_after = config.flush_after;
  how.tiles_per_rank = tile_buffers;
  how.hops = config.hops;
  how.waits_for_holders =
      config.overlap == OverlapKind::background && config.hops == HopKind::one && !has_control_rank(config);
  how.choose = config.choose;
  if (how.choose == ChooseKind::automatic) how.choose = ChooseKind::recent;
  return how;
}

int cycles_in_flight(const Config& config, const Machine& machine, int tile_buffers, int slots) {
  constexpr int most = 64;
  if (config.strategy != StrategyKind::dynamic) return fewest_tile_buffers;
  return std::clamp(tile_buffers * machine.ranks() / std::max(slots, 1), 1, most);
}

namespace {

class FixedControl final : public Control {
 public:
  void offer(std::int64_t, int, std::int64_t) override {}
  std::span<const Slot> slots(std::int64_t) override { return {}; }
  void written(std::int64_t, int) override {}
  bool thread_safe() const noexcept override { return true; }
  void release(std::int64_t) override {}
  std::int64_t released() override { return std::numeric_limits<std::int64_t>::max(); }
  void restart(std::int64_t) override {}
  bool frees_by_window() const noexcept override { return true; }
  bool fixed() const noexcept override { return true; }
};

}  // namespace

std::unique_ptr<Control> make_fixed_control() {
  return std::make_unique<FixedControl>();
}

}  // namespace weir
