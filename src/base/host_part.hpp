// SPDX-License-Identifier: Apache-2.0
// Defines a host: a fixed number of consecutive ranks among those that can share memory (debug.ranks_per_host), or all
// of these where the key is 0. Pure, Local.
#pragma once

namespace weir {

// Which of the hosts that these ranks make the `number`th of them is on.
inline int host_part(int number, int ranks_per_host) noexcept {
  return ranks_per_host > 0 ? number / ranks_per_host : 0;
}

}  // namespace weir
