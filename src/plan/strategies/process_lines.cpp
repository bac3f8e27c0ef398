// SPDX-License-Identifier: Apache-2.0
// rows and columns: the ranks of one process row (or column) of a decomposed horizontal grid give their union to the
// lowest of them (Wong et al. 2015, section 4: pnetCDFcr and pnetCDFcc). A row lies along the fastest dimension.
#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class ProcessLines final : public Strategy {
 public:
  ProcessLines(StrategyKind kind, int aggregated) : Strategy(true), kind_(kind), aggregated_(aggregated) {}
  StrategyKind kind() const noexcept override { return kind_; }
  std::int64_t group(const Layout& layout, int rank, const Machine& machine) const override {
    return process_line(layout, aggregated_, rank, machine);
  }

 private:
  StrategyKind kind_;
  int aggregated_;  // dimension along which a group lies, counted from the last
};

}  // namespace

std::unique_ptr<Strategy> make_rows() {
  return std::make_unique<ProcessLines>(StrategyKind::rows, 1);
}
std::unique_ptr<Strategy> make_columns() {
  return std::make_unique<ProcessLines>(StrategyKind::columns, 2);
}

}  // namespace weir
