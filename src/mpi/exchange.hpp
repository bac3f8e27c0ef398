// SPDX-License-Identifier: Apache-2.0
// Exchanges of all ranks: values gathered on rank 0, and messages to a few ranks that do not expect them (planning,
// two-phase writes). Errors as in mpi/comm.hpp.
#pragma once

#include <algorithm>

#include "base/archive.hpp"
#include "mpi/comm.hpp"

namespace weir {

// Returns the bytes of rank 0, then of rank 1, ..., on rank 0; nothing on other ranks. Collective.
std::vector<std::byte> gather_to_0(const Comm& comm, std::vector<std::byte> mine, const Deadline& deadline,
                                   std::string_view what);

// As above, for trivially copyable things.
template <class Thing>
std::vector<Thing> gather_to_0(const Comm& comm, std::span<const Thing> mine, const Deadline& deadline,
                               std::string_view what) {
  const auto view = std::as_bytes(mine);
  const std::vector<std::byte> all = gather_to_0(comm, {view.begin(), view.end()}, deadline, what);
  std::vector<Thing> things(all.size() / sizeof(Thing));
  std::copy(all.begin(), all.end(), std::as_writable_bytes(std::span(things)).begin());
  return things;
}

// Delivers messages to few of many ranks, where no receiver knows its senders, and returns the messages for this rank,
// also those to itself. It uses synchronous sends and a nonblocking barrier, so no rank needs memory or time for all
// ranks (NBX: Hoefler, Siebert and Lumsdaine 2010). `tag` distinguishes consecutive calls, since a rank may be in the
// next call already. `what` is for messages.
// Collective over `comm`.
Messages deliver(const Comm& comm, Messages sent, int tag, const Deadline& deadline, std::string_view what);

}  // namespace weir
