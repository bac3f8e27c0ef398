// SPDX-License-Identifier: Apache-2.0
// A machine's profile as a SimGrid platform, so that both simulate one machine. Local.
#pragma once

#include <iosfwd>

#include "simulate/profile.hpp"

namespace weir::simgrid {

// Nodes named node0, node1, ... A node is a host whose "flops" are bytes copied: as many cores as ranks that copy at
// full speed together. Its card is a link out and a link in, each with half the latency; messages within it pass a
// link of their own, which its memory bounds (two copies); all messages between nodes pass one more link where the
// profile knows a limit for the network.
void write_platform(std::ostream& out, const simulate::Profile& profile, int nodes);

// The hosts of the ranks, a line each: neighbouring ranks share a node.
void write_hosts(std::ostream& out, int ranks, int ranks_per_node);

}  // namespace weir::simgrid
