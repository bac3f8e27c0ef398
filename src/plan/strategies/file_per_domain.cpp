// SPDX-License-Identifier: Apache-2.0
// file_per_domain: the ranks of a domain give their union to one of them, which writes a file of its own (Wang & Huang
// 2025, table 1). A domain is a host, or one of `domains` equal stretches of ranks.
#include "plan/strategies/strategies.hpp"

namespace weir {
namespace {

class FilePerDomain final : public Strategy {
 public:
  explicit FilePerDomain(int domains) : Strategy(true), domains_(domains) {}
  StrategyKind kind() const noexcept override { return StrategyKind::file_per_domain; }
  bool part_files() const noexcept override { return true; }
  std::int64_t group(const Layout&, int rank, const Machine& machine) const override {
    if (domains_ <= 0) return machine.host_of[static_cast<std::size_t>(rank)];
    return static_cast<std::int64_t>(rank) * domains_ / machine.ranks();
  }

 private:
  int domains_;
};

}  // namespace

std::unique_ptr<Strategy> make_file_per_domain(int domains) {
  return std::make_unique<FilePerDomain>(domains);
}

}  // namespace weir
