// SPDX-License-Identifier: Apache-2.0
// Whose tile memory a rank reaches, over hosts whose ranks are dealt in any way.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "plan/machine.hpp"

namespace weir {
namespace {

RC_GTEST_PROP(Reach, IsTheHostWhereMemoryIsSharedAndOneselfElse, ()) {
  const auto leaders =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(1, 12), rc::gen::inRange(0, 4));
  const Machine machine = Machine::from_leaders(leaders);
  const bool shared = *rc::gen::arbitrary<bool>();
  bool everybody = true;
  for (int rank = 0; rank < machine.ranks(); ++rank) {
    const Reach reach(machine, rank, shared);
    int before = 0;  // of the same host, lower
    for (int other = 0; other < machine.ranks(); ++other) {
      const bool same = leaders[static_cast<std::size_t>(rank)] == leaders[static_cast<std::size_t>(other)];
      RC_ASSERT(reach.of(other) == (other == rank || (shared && same)));
      everybody = everybody && reach.of(other);
      if (same && other < rank) ++before;
    }
    RC_ASSERT(reach.number(rank) == before);
    RC_ASSERT(reach.rank() == rank && reach.shared() == shared);
  }
  RC_ASSERT(Reach(machine, 0, shared).everybody() == everybody);
}

}  // namespace
}  // namespace weir
