// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>

namespace weir::profile {

namespace {

void send_nothing(const Comm& comm, int to, int tag) {
  check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, to, tag, comm.raw()), "MPI_Send");
}

void receive_nothing(const Comm& comm, int from, int tag) {
  check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, from, tag, comm.raw(), MPI_STATUS_IGNORE), "MPI_Recv");
}

}  // namespace

// Messages under way at once are received into one buffer: no rank looks at what they hold.
void Exchange::begin(const Stream& stream) {
  const auto bytes = static_cast<std::size_t>(stream.message_bytes);
  if (out_.size() < bytes) out_.assign(bytes, std::byte{1});
  if (in_.size() < bytes * static_cast<std::size_t>(stream.window))
    in_.assign(bytes * static_cast<std::size_t>(stream.window), std::byte{0});
}

void Exchange::finish() {
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  requests_.clear();
}

Span Exchange::both(const Stream& stream, int to, int from) {
  begin(stream);
  const double start = now_seconds();
  for (std::int64_t done = 0; done < stream.messages; done += stream.window) {
    const std::int64_t now = std::min<std::int64_t>(stream.window, stream.messages - done);
    for (std::int64_t i = 0; i < now && from != MPI_PROC_NULL; ++i)
      check_mpi(MPI_Irecv(in_.data() + i * stream.message_bytes, stream.message_bytes, MPI_BYTE, from, data_tag,
                          comm_.raw(), &requests_.emplace_back()),
                "MPI_Irecv");
    for (std::int64_t i = 0; i < now && to != MPI_PROC_NULL; ++i)
      check_mpi(
          MPI_Isend(out_.data(), stream.message_bytes, MPI_BYTE, to, data_tag, comm_.raw(), &requests_.emplace_back()),
          "MPI_Isend");
    finish();
  }
  if (from != MPI_PROC_NULL) send_nothing(comm_, from, answer_tag);
  if (to != MPI_PROC_NULL) receive_nothing(comm_, to, answer_tag);
  return Span::since(start);
}

Span Exchange::send(const Stream& stream, int to) {
  return both(stream, to, MPI_PROC_NULL);
}

Span Exchange::receive(const Stream& stream, int from) {
  return both(stream, MPI_PROC_NULL, from);
}

Span Exchange::ping(std::int64_t rounds, int with) {
  const double start = now_seconds();
  for (std::int64_t i = 0; i < rounds; ++i) {
    send_nothing(comm_, with, data_tag);
    receive_nothing(comm_, with, answer_tag);
  }
  return Span::since(start);
}

Span Exchange::pong(std::int64_t rounds, int with) {
  const double start = now_seconds();
  for (std::int64_t i = 0; i < rounds; ++i) {
    receive_nothing(comm_, with, data_tag);
    send_nothing(comm_, with, answer_tag);
  }
  return Span::since(start);
}

}  // namespace weir::profile
