// SPDX-License-Identifier: Apache-2.0
// What the ranks have sent of each cycle and what of it has arrived, in one table a cycle: messages arrive in any order
// of ranks, and of a cycle that is under way all of it fits a processor's cache. A table goes when every rank has
// waited for what it sent. Pure, Local.
#pragma once

#include <vector>

#include "simulate/network.hpp"

namespace weir::simulate {

class Sends {
 public:
  Sends(std::size_t cycles, std::size_t ranks) : tables_(cycles + 1), waited_(ranks) {}

  Arrivals& of(int rank, int cycle) {
    std::vector<Arrivals>& arrivals = tables_[static_cast<std::size_t>(cycle)].arrivals;
    if (arrivals.empty()) arrivals.resize(waited_.size());
    return arrivals[static_cast<std::size_t>(rank)];
  }
  // What has come of it will be said soon.
  void fetch(int rank, int cycle) const noexcept {
    __builtin_prefetch(tables_[static_cast<std::size_t>(cycle)].arrivals.data() + rank);
  }
  // Whether any rank has sent something of the cycle that has not been waited for.
  bool any(int cycle) const noexcept { return !tables_[static_cast<std::size_t>(cycle)].arrivals.empty(); }

  // What the rank sent of cycles up to this one has arrived, and it has waited for that.
  int waited(int rank) const noexcept { return waited_[static_cast<std::size_t>(rank)]; }
  void say_waited(int rank) {
    Table& table = tables_[static_cast<std::size_t>(++waited_[static_cast<std::size_t>(rank)])];
    if (++table.ranks == waited_.size()) table.arrivals = {};
  }

 private:
  struct Table {
    std::vector<Arrivals> arrivals;  // by rank; empty where no rank sends
    std::size_t ranks = 0;           // that have waited
  };
  std::vector<Table> tables_;  // by cycle
  std::vector<int> waited_;    // by rank: the last cycle
};

}  // namespace weir::simulate
