// SPDX-License-Identifier: Apache-2.0
#include "mpi/hosts.hpp"

#include "base/host_part.hpp"

namespace weir {

Comm host_of(const Comm& comm, int ranks_per_host, const Deadline& deadline) {
  Comm host = Comm::of_host(comm, deadline);
  if (ranks_per_host > 0) host = host.split(host_part(host.rank(), ranks_per_host), deadline);
  return host;
}

std::vector<int> leaders_of(const Comm& comm, const Comm& host, const Deadline& deadline) {
  std::int64_t leader = -comm.rank();
  allreduce_max(host, std::span(&leader, 1), deadline, "survey of hosts");
  return allgather(comm, static_cast<int>(-leader), deadline, "survey of hosts");
}

}  // namespace weir
