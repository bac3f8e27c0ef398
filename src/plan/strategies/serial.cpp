// SPDX-License-Identifier: Apache-2.0
// serial: rank 0 writes everything, streamed in rounds that fit its memory (the default I/O of CAM: Tseng & Ding 2008,
// section 2.3, without its global array).
#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class Serial final : public Strategy {
 public:
  Serial() : Strategy(false) {}
  StrategyKind kind() const noexcept override { return StrategyKind::serial; }
  std::vector<RangeTile> tiles(const PlanRequest& request) const override { return cut_evenly(request, 1); }
  std::vector<int> writers(const Machine&, const Config&) const override { return {0}; }
};

}  // namespace

std::unique_ptr<Strategy> make_serial() {
  return std::make_unique<Serial>();
}

}  // namespace weir
