// SPDX-License-Identifier: Apache-2.0
// A sparse exchange: messages to few of many ranks, where no receiver knows its senders. It uses synchronous sends and
// a nonblocking barrier, so that no rank needs room or time for all ranks (the NBX algorithm of Hoefler, Siebert and
// Lumsdaine 2010).
#pragma once

#include "base/messages.hpp"
#include "mpi/comm.hpp"

namespace weir {

// Delivers `sent`, returns what came for this rank, messages to itself included. Collective over `comm`. `tag` tells
// consecutive calls apart (a rank may be in the next call while another still waits in this one).
Messages deliver(const Comm& comm, Messages sent, int tag, const Deadline& deadline);

}  // namespace weir
