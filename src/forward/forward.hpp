// SPDX-License-Identifier: Apache-2.0
// Forwarding: what could not be copied straight into its owner's tile memory goes to him in one message a pair of ranks
// and cycle, however many variables it is made of (small variables travel together).
#pragma once

#include <vector>

#include "mpi/comm.hpp"
#include "put/batch.hpp"
#include "put/staging.hpp"

namespace weir {

// A piece that arrived: belongs to an entry of the batch, lies in the staging's receive memory until the next exchange.
struct Arrival {
  std::size_t entry;
  const Incoming* incoming;
  const std::byte* bytes;
};

class Forward {
 public:
  explicit Forward(const Comm& comm) : comm_(comm) {}

  // Sends this rank's messages of the batch and receives those for it. Throws Error(WEIR_ETIMEOUT). Waits only for the
  // ranks it exchanges something with; not a collective over all.
  void exchange(const Batch& batch, Staging& staging, const Deadline& deadline);
  const std::vector<Arrival>& arrivals() const noexcept { return arrivals_; }

  std::int64_t messages() const noexcept { return messages_; }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Piece {
    int peer;
    std::byte* at;
    std::int64_t bytes;
    std::size_t entry;
    const Incoming* incoming;
  };
  void collect_sends(const Batch& batch, Staging& staging);
  void collect_receives(const Batch& batch, Staging& staging);
  void start_receives();
  void start_sends();

  const Comm& comm_;
  std::vector<Piece> sends_, receives_;
  std::vector<MPI_Request> requests_;
  std::vector<int> lengths_;
  std::vector<MPI_Aint> places_;
  std::vector<Arrival> arrivals_;
  std::int64_t messages_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace weir
