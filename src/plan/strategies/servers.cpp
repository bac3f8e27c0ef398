// SPDX-License-Identifier: Apache-2.0
// servers: ranks that do nothing else hold slabs of the slowest file dimension (CFIO1; PIO's asynchronous mode). The
// model does not see them: they serve inside weir_init. They are the last `servers` ranks of the communicator.
#include <algorithm>

#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class Servers final : public Strategy {
 public:
  Servers() : Strategy(false) {}
  StrategyKind kind() const noexcept override { return StrategyKind::servers; }
  std::vector<int> writers(const Machine& machine, const Config& config) const override {
    std::vector<int> ranks;
    for (int rank = std::max(0, machine.ranks() - config.servers); rank < machine.ranks(); ++rank)
      ranks.push_back(rank);
    return ranks;
  }
  std::vector<RangeTile> tiles(const PlanRequest& request) const override {
    return cut_evenly(request, static_cast<int>(request.writers.size()));
  }
};

}  // namespace

std::unique_ptr<Strategy> make_servers() {
  return std::make_unique<Servers>();
}

}  // namespace weir
