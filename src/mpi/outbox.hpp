// SPDX-License-Identifier: Apache-2.0
// Messages of words that a rank sends without waiting for their receivers: a rank that is stopped or gone does not
// block a sender. Messages of a pair of ranks arrive in order. One thread at a time.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "mpi/comm.hpp"

namespace weir {

class Outbox {
 public:
  // `comm` outlives it.
  Outbox(const Comm& comm, int tag);
  Outbox(Outbox&&) = default;
  Outbox& operator=(Outbox&&) = default;
  // What no rank has taken by then stays in memory for as long as the process lives.
  ~Outbox();

  // Keeps the words until they are taken. Allocates nothing where no more are under way than were before. Local.
  void send(std::span<const std::int64_t> words, int to);

 private:
  struct Words {
    std::vector<std::int64_t> words;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void drop_taken();

  const Comm* comm_;
  int tag_;
  std::list<Words> under_way_, spare_;
};

}  // namespace weir
