// SPDX-License-Identifier: Apache-2.0
// The strategies: which rank owns which part of a file, or which ranks belong together.
#include "plan/strategies.hpp"

#include <algorithm>

namespace weir {
namespace {

// One tile for each writer, all of equal size: a slab of the slowest file dimension.
class Slabs : public Strategy {
 public:
  Slabs() : Strategy(false) {}
  std::vector<RangeTile> tiles(const PlanRequest& request) const override {
    return cut_evenly(request, static_cast<int>(request.writers.size()));
  }
};

// serial: rank 0 writes everything, streamed in rounds that fit its memory (the default I/O of CAM: Tseng & Ding 2008,
// section 2.3, without its global array).
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

// collective and file_per_rank: every rank writes what it holds, into the one file or into a file of its own.

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

// rows and columns: the ranks of one process row (or column) of a decomposed horizontal grid give their union to the
// lowest of them (Wong et al. 2015, section 4: pnetCDFcr and pnetCDFcc). A row lies along the fastest dimension.

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

// remap: M staging ranks, each a slab of the slowest file dimension (Tseng & Ding 2008, section 3.1). Slabs are of
// equal size rather than of equal plane count, so that M need not divide anything; they begin at rows, or at stripe
// boundaries.

namespace {

class Remap final : public Slabs {
 public:
  StrategyKind kind() const noexcept override { return StrategyKind::remap; }
  bool owner_may_move() const noexcept override { return true; }
  bool all_compress() const noexcept override { return true; }
};

}  // namespace

std::unique_ptr<Strategy> make_remap() {
  return std::make_unique<Remap>();
}

// By host, for reading only: the lowest rank of each host reads the union of what its ranks need. Data cross the
// network at most once a host, on the way from storage; data that several hosts need leave storage for each of them.

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

// servers: ranks that do nothing else hold slabs of the slowest file dimension (CFIO1; PIO's asynchronous mode). The
// model does not see them: they serve inside weir_init. They are the last `servers` ranks of the communicator.

namespace {

class Servers final : public Slabs {
 public:
  StrategyKind kind() const noexcept override { return StrategyKind::servers; }
  std::vector<int> writers(const Machine& machine, const Config& config) const override {
    std::vector<int> ranks;
    for (int rank = std::max(0, machine.ranks() - config.servers); rank < machine.ranks(); ++rank)
      ranks.push_back(rank);
    return ranks;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_servers() {
  return std::make_unique<Servers>();
}

// dynamic: a variable is cut into slots, slabs of the slowest file dimension; the scheduler decides for every unit
// which ranks hold them (Wang & Huang 2025, section 3). The writers named here are the slots' planning ranks, which
// take part in planning for them.

namespace {

class Dynamic final : public Slabs {
 public:
  StrategyKind kind() const noexcept override { return StrategyKind::dynamic; }
  std::vector<int> writers(const Machine& machine, const Config& config) const override {
    const int asked = config.writers_per_variable;
    if (asked > 0 || config.writers_per_host * machine.hosts() <= most_slots)
      return choose_writers(machine, asked, config.writers_per_host);
    return choose_writers(machine, most_slots, config.writers_per_host);
  }

 private:
  // Of a variable, unless the configuration asks for more: all ranks plan each slot and send to it
  // (docs/results/control_simulated.md).
  static constexpr int most_slots = 256;
};

}  // namespace

std::unique_ptr<Strategy> make_dynamic() {
  return std::make_unique<Dynamic>();
}

// file_per_domain: the ranks of a domain give their union to one of them, which writes a file of its own (Wang & Huang
// 2025, table 1). A domain is a host, or one of `domains` equal stretches of ranks.

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
