// SPDX-License-Identifier: Apache-2.0
// A file that gets further variables is written anew: Weir ends definitions once. What it had is read back and put,
// each rank an even share, and the new file takes the old one's name when it is committed; until then the old one
// stays.
#pragma once

#include "shared.hpp"

namespace weir::cfio2 {

// Puts all that `from` has, whose definitions are `had`, into `to`, which begins with the same variables. A rank that
// cannot read, or write, goes on to meet the others: returns what this one ran into. Collective.
Status copy_all(Shared& shared, const Schema& had, weir_file* from, weir_file* to);

}  // namespace weir::cfio2
