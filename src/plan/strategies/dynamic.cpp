// SPDX-License-Identifier: Apache-2.0
// dynamic: a variable is cut into slots, slabs of the slowest file dimension; the scheduler decides for every unit
// which ranks hold them (Wang & Huang 2025, section 3). The writers named here are the slots' planning ranks, which
// take part in planning for them.
#include <algorithm>

#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class Dynamic final : public Strategy {
 public:
  Dynamic() : Strategy(false) {}
  StrategyKind kind() const noexcept override { return StrategyKind::dynamic; }
  std::vector<int> writers(const Machine& machine, const Config& config) const override {
    return choose_writers(machine, config.writers_per_variable, config.writers_per_host);
  }
  std::vector<RangeTile> tiles(const PlanRequest& request) const override {
    return cut_evenly(request, static_cast<int>(request.writers.size()));
  }
};

}  // namespace

std::unique_ptr<Strategy> make_dynamic() {
  return std::make_unique<Dynamic>();
}

}  // namespace weir
