// SPDX-License-Identifier: Apache-2.0
// remap: M staging ranks, each a slab of the slowest file dimension (Tseng & Ding 2008, section 3.1). Slabs are of
// equal size rather than of equal plane count, so that M need not divide anything; they begin at rows, or at stripe
// boundaries.
#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class Remap final : public Strategy {
 public:
  Remap() : Strategy(false) {}
  StrategyKind kind() const noexcept override { return StrategyKind::remap; }
  bool owner_may_move() const noexcept override { return true; }
  bool all_compress() const noexcept override { return true; }
  std::vector<RangeTile> tiles(const PlanRequest& request) const override {
    return cut_evenly(request, static_cast<int>(request.writers.size()));
  }
};

}  // namespace

std::unique_ptr<Strategy> make_remap() {
  return std::make_unique<Remap>();
}

}  // namespace weir
