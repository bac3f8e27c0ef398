// SPDX-License-Identifier: Apache-2.0
// Exchanges of all ranks: bytes gathered on rank 0, and messages to a few ranks that do not expect them. Collective.
#pragma once

#include <algorithm>

#include "base/messages.hpp"
#include "mpi/comm.hpp"

namespace weir {

// Gathers values of all ranks on rank 0. Collective.

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

// A sparse exchange: messages to few of many ranks, where no receiver knows its senders. It uses synchronous sends and
// a nonblocking barrier, so that no rank needs room or time for all ranks (the NBX algorithm of Hoefler, Siebert and
// Lumsdaine 2010).

// Delivers `sent`, returns what came for this rank, messages to itself included. Collective over `comm`. `tag` tells
// consecutive calls apart (a rank may be in the next call while another still waits in this one).
Messages deliver(const Comm& comm, Messages sent, int tag, const Deadline& deadline);

}  // namespace weir
