// SPDX-License-Identifier: Apache-2.0
// By host, for reading only: the ranks of a host want their union, which the lowest of them reads. What crosses a
// network does so once, on its way from storage; what ranks of several hosts want leaves storage for each.
#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class Hosts final : public Strategy {
 public:
  Hosts() : Strategy(true) {}
  StrategyKind kind() const noexcept override { return StrategyKind::remap; }
  std::int64_t group(const Layout&, int rank, const Machine& machine) const override {
    return machine.host_of[static_cast<std::size_t>(rank)];
  }
};

}  // namespace

std::unique_ptr<Strategy> make_hosts() {
  return std::make_unique<Hosts>();
}

}  // namespace weir
