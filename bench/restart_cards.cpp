// SPDX-License-Identifier: Apache-2.0
#include "restart_cards.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "check.hpp"

namespace weir::bench {

namespace {

using Columns = std::array<std::int64_t, 4>;  // first of y, count, first of x, count

// The columns of (y, x) that any rank of this host wants.
std::int64_t columns_of_host(const RestartState& state, MPI_Comm host) {
  int ranks = 1;
  check_mpi(MPI_Comm_size(host, &ranks), "MPI_Comm_size");
  const Columns own{state.start[1], state.count[1], state.start[2], state.count[2]};
  std::vector<Columns> all(static_cast<std::size_t>(ranks));
  check_mpi(MPI_Allgather(own.data(), 4, MPI_INT64_T, all.data(), 4, MPI_INT64_T, host), "MPI_Allgather");
  std::vector<char> wanted(static_cast<std::size_t>(state.ny * state.nx), 0);
  for (const auto& [y, rows, x, width] : all)
    for (std::int64_t row = y; row < y + rows; ++row)
      std::fill_n(wanted.begin() + row * state.nx + x, width, static_cast<char>(1));
  return std::count(wanted.begin(), wanted.end(), 1);
}

}  // namespace

CardsNeed cards_need(const RestartState& state, const CardSpeeds& cards, MPI_Comm comm) {
  MPI_Comm host = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type");
  int place = 0;
  check_mpi(MPI_Comm_rank(host, &place), "MPI_Comm_rank");
  const std::int64_t bytes =
      columns_of_host(state, host) * (state.nz * state.fields * 8 + 4) + (state.ny + state.nx) * 8;
  check_mpi(MPI_Comm_free(&host), "MPI_Comm_free");
  CardsNeed need;
  std::int64_t sums[] = {place == 0 ? bytes : 0, place == 0 ? 1 : 0};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
  check_mpi(MPI_Allreduce(&bytes, &need.host_bytes, 1, MPI_INT64_T, MPI_MAX, comm), "MPI_Allreduce");
  need.hosts_bytes = sums[0];
  need.hosts = sums[1];
  if (cards.host > 0) need.seconds = static_cast<double>(need.host_bytes) / static_cast<double>(cards.host);
  if (cards.storage > 0)
    need.seconds = std::max(need.seconds, static_cast<double>(need.hosts_bytes) / static_cast<double>(cards.storage));
  return need;
}

}  // namespace weir::bench
