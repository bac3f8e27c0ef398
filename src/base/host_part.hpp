// SPDX-License-Identifier: Apache-2.0
// What counts as a host: of the ranks that can share memory so many after each other (debug.ranks_per_host), or, where
// nobody has said how many (0), all of them. Pure, Local.
#pragma once

namespace weir {

// Which of the hosts that these ranks make the `number`th of them is on.
inline int host_part(int number, int ranks_per_host) noexcept {
  return ranks_per_host > 0 ? number / ranks_per_host : 0;
}

}  // namespace weir
