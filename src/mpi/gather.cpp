// SPDX-License-Identifier: Apache-2.0
#include "mpi/gather.hpp"

namespace weir {

std::vector<std::byte> gather_to_0(const Comm& comm, std::vector<std::byte> mine, const Deadline& deadline,
                                   std::string_view what) {
  const std::int64_t bytes = std::ssize(mine);
  const std::vector<std::int64_t> counts = allgather(comm, std::span(&bytes, 1), deadline, what);
  if (comm.rank() != 0) {
    if (!mine.empty()) send(comm, mine, 0, deadline, what);
    return {};
  }
  for (int rank = 1; rank < comm.size(); ++rank) {
    const auto count = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
    if (count == 0) continue;
    mine.resize(mine.size() + count);
    receive(comm, std::span(mine).last(count), rank, deadline, what);
  }
  return mine;
}

}  // namespace weir
