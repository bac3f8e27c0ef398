// SPDX-License-Identifier: Apache-2.0
// By host, for reading only: the lowest rank of each host reads the union of what its ranks need. Data cross the
// network at most once a host, on the way from storage; data that several hosts need leave storage for each of them.
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
