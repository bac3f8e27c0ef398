// SPDX-License-Identifier: Apache-2.0
// collective and file_per_rank: every rank writes what it holds, into the one file or into a file of its own.
#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class OwnPieces final : public Strategy {
 public:
  explicit OwnPieces(StrategyKind kind) : Strategy(true), kind_(kind) {}
  StrategyKind kind() const noexcept override { return kind_; }
  bool part_files() const noexcept override { return kind_ == StrategyKind::file_per_rank; }

 private:
  StrategyKind kind_;
};

}  // namespace

std::unique_ptr<Strategy> make_collective() {
  return std::make_unique<OwnPieces>(StrategyKind::collective);
}
std::unique_ptr<Strategy> make_file_per_rank() {
  return std::make_unique<OwnPieces>(StrategyKind::file_per_rank);
}

}  // namespace weir
