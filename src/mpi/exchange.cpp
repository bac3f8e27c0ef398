// SPDX-License-Identifier: Apache-2.0
#include "mpi/exchange.hpp"

#include <climits>

#include "base/text.hpp"
#include "mpi/comm.hpp"

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

namespace {

bool receive_one(const Comm& comm, int tag, Messages& received, const Deadline& deadline) {
  Message message{MPI_ANY_SOURCE, {}};
  if (!receive_if_there(comm, message.peer, tag, message.words, deadline)) return false;
  received.push_back(std::move(message));
  return true;
}

}  // namespace

Messages deliver(const Comm& comm, Messages sent, int tag, const Deadline& deadline, std::string_view what) {
  Messages received;
  std::vector<MPI_Request> sends;
  PinnedForMpi messages(std::move(sent));
  for (Message& message : *messages) {
    if (message.peer == comm.rank()) {
      received.push_back(std::move(message));
      continue;
    }
    require(message.words.size() <= INT_MAX, WEIR_EARGUMENT, "{}: one message cannot hold so many pieces", what);
    sends.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Issend(message.words.data(), static_cast<int>(message.words.size()), MPI_INT64_T, message.peer, tag,
                         comm.raw(), &sends.back()),
              "MPI_Issend");
  }
  if (alone(comm)) {
    messages.returned();
    return received;
  }
  MPI_Request barrier = MPI_REQUEST_NULL;
  bool in_barrier = false;
  for (Backoff backoff;; backoff.pause()) {
    while (receive_one(comm, tag, received, deadline)) backoff = Backoff();
    int done = 0;
    if (in_barrier) {
      check_mpi(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done) {
        messages.returned();
        return received;
      }
    } else {
      check_mpi(MPI_Testall(static_cast<int>(sends.size()), sends.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done) check_mpi(MPI_Ibarrier(comm.raw(), &barrier), "MPI_Ibarrier");
      in_barrier = done != 0;
    }
    if (deadline.passed()) give_up(what, deadline);
  }
}

}  // namespace weir
