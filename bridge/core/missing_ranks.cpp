// SPDX-License-Identifier: Apache-2.0
#include "core/missing_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/text.hpp"

namespace weir::bridge {

namespace {

constexpr int here_tag = 30247;
constexpr int listeners = 16;  // one of them will have the bridge, and who tells all is enough
constexpr std::size_t most_named = 16;

// All over the ranks, and, where these are dealt out to nodes in turn, all over the nodes: the first ones may all be of
// one that LD_PRELOAD did not reach.
std::vector<int> listening(int size) {
  if (size <= listeners) {
    std::vector<int> all(static_cast<std::size_t>(size));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int> some;
  const int distance = size / listeners;
  for (int i = 0; i < listeners; ++i)
    some.push_back(static_cast<int>(std::int64_t{i} * size / listeners) + i % distance);
  return some;
}

std::vector<bool> hear(MPI_Comm comm, int rank, int size, double seconds) {
  std::vector<bool> came(static_cast<std::size_t>(size), false);
  came[static_cast<std::size_t>(rank)] = true;
  const Deadline deadline(seconds);
  for (Backoff backoff; !deadline.passed(); backoff.pause()) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, here_tag, comm, &there, &status);
    if (there == 0) continue;
    MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, here_tag, comm, MPI_STATUS_IGNORE);
    came[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
  }
  return came;
}

}  // namespace

std::string named_ranks(std::vector<int> ranks) {
  const bool more = ranks.size() > most_named;
  if (more) ranks.resize(most_named);
  return join_numbers(ranks) + (more ? ", ..." : "");
}

std::vector<int> ranks_where(bool here, const Comm& comm, const Deadline& deadline, std::string_view what) {
  std::vector<int> ranks = allgather(comm, here ? comm.number() : -1, deadline, what);
  std::erase(ranks, -1);
  return ranks;
}

std::string missing_ranks(MPI_Comm comm, double seconds) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const std::vector<int> ears = listening(size);
  for (const int to : ears) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (to == rank || MPI_Isend(nullptr, 0, MPI_BYTE, to, here_tag, comm, &request) != MPI_SUCCESS) continue;
    MPI_Request_free(&request);  // no rank may take it
  }
  if (std::find(ears.begin(), ears.end(), rank) == ears.end()) return "";
  const std::vector<bool> came = hear(comm, rank, size, seconds);
  std::vector<int> absent;
  for (int each = 0; each < size; ++each)
    if (!came[static_cast<std::size_t>(each)]) absent.push_back(each);
  return named_ranks(std::move(absent));
}

}  // namespace weir::bridge
