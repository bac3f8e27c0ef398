// SPDX-License-Identifier: Apache-2.0
// Gathers values of all ranks on rank 0. Collective.
#pragma once

#include <algorithm>

#include "mpi/comm.hpp"

namespace weir {

// The bytes of rank 0, then those of rank 1, ...; none on the other ranks.
std::vector<std::byte> gather_to_0(const Comm& comm, std::vector<std::byte> mine, const Deadline& deadline,
                                   std::string_view what);

// The same of things that travel as they are.
template <class Thing>
std::vector<Thing> gather_to_0(const Comm& comm, std::span<const Thing> mine, const Deadline& deadline,
                               std::string_view what) {
  const auto view = std::as_bytes(mine);
  const std::vector<std::byte> all = gather_to_0(comm, {view.begin(), view.end()}, deadline, what);
  std::vector<Thing> things(all.size() / sizeof(Thing));
  std::copy(all.begin(), all.end(), std::as_writable_bytes(std::span(things)).begin());
  return things;
}

}  // namespace weir
