// SPDX-License-Identifier: Apache-2.0
// Communicators, and MPI calls with a deadline (contract 4). Only this folder calls MPI, apart from the bindings,
// bridges, MPI-IO in sinks, and messages of the engine. Unless a function says otherwise, it calls MPI, `what` names
// the wait in messages, and it throws WEIR_ETIMEOUT past the deadline (`comm` must then not be used any more), or
// WEIR_EMPI if MPI fails. Communicators return errors and do not end the program.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/clock.hpp"
#include "base/counting.hpp"
#include "base/error.hpp"
#include "mpi/host_status.hpp"
#include "schema/types.hpp"

namespace weir {

// Throws Error(WEIR_EMPI) with the call's name if `result` is not MPI_SUCCESS. Local.
void check_mpi(int result, const char* call, std::source_location where = std::source_location::current());

// Whether MPI was initialised with MPI_THREAD_MULTIPLE (contract 7). Local.
bool any_thread_may_call();

// Owns a communicator. Move-only. The destructor frees it, which is collective, except after an error.
class Comm {
 public:
  Comm() = default;
  // Duplicates `parent`, with errors returned.
  // Collective over `parent`.
  // Errors: WEIR_EARGUMENT if MPI is not initialised and `parent` has other ranks.
  static Comm duplicate(MPI_Comm parent, const Deadline& deadline = Deadline());
  // of_host() returns the ranks of `parent` on this rank's host, in their order: they share memory, and no container
  // separates their processes. split() returns the ranks with the same color, ordered by key, or else by rank.
  // Collective. A barrier comes first, since MPI only has blocking calls for this.
  // Errors: if a rank ends inside the blocking call, WEIR_ETIMEOUT where any thread may call MPI; else the program ends
  // with a message (contract 6).
  static Comm of_host(const Comm& parent, const Deadline& deadline = Deadline());
  Comm split(int color, const Deadline& deadline = Deadline(), std::optional<int> key = std::nullopt) const;

  Comm(Comm&& other) noexcept;
  Comm& operator=(Comm&& other) noexcept;
  ~Comm();

  MPI_Comm raw() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  // Returns the communicator; the caller frees it.
  MPI_Comm release() noexcept { return std::exchange(comm_, MPI_COMM_NULL); }
  // The numbers by which messages call ranks; split() keeps them.
  int number_of(int rank) const noexcept { return numbers_(rank); }
  int number() const noexcept { return numbers_(rank_); }
  // Returns ranks in words: "3, 5".
  std::string listed(std::span<const int> ranks) const;
  const RankNumbers& numbers() const noexcept { return numbers_; }
  void call_ranks(const RankNumbers& numbers) noexcept { numbers_ = numbers; }
  // From now on small reductions over this communicator go through shared memory.
  // Requires: its ranks share memory, and all call this at one point. The slots outlive the communicator.
  void reduce_in_memory(std::vector<HostReduction::Slot*> slots);
  HostReduction& reduction() const noexcept { return reduction_; }
  // Gives the communicator up without freeing it: after a timeout a collective free would hang.
  void abandon() noexcept { comm_ = MPI_COMM_NULL; }

 private:
  explicit Comm(MPI_Comm comm);
  void free() noexcept;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  RankNumbers numbers_;
  mutable HostReduction reduction_;
};

// Memory that MPI reads or writes during a request. It is freed only after returned(): a request that has timed out may
// still complete when a late rank arrives, and then finds its memory.
template <class Value>
class PinnedForMpi {
 public:
  explicit PinnedForMpi(Value value) : value_(new Value(std::move(value))) {}
  PinnedForMpi(const PinnedForMpi&) = delete;
  PinnedForMpi& operator=(const PinnedForMpi&) = delete;
  ~PinnedForMpi() {
    if (returned_) delete value_;
  }
  Value& operator*() const noexcept { return *value_; }
  Value* operator->() const noexcept { return value_; }
  // Notes that the requests have completed.
  void returned() noexcept { returned_ = true; }

 private:
  Value* value_;
  bool returned_ = false;
};

// Waits for the requests, and yields the processor meanwhile. `longest_sleep`: in microseconds, between two looks.
// Errors: WEIR_ETIMEOUT; the requests are lost, and their memory must stay (PinnedForMpi).
void wait_all(std::span<MPI_Request> requests, const Deadline& deadline, std::string_view what,
              int longest_sleep = Backoff::longest_sleep);

// Sends, or receives, one message between two ranks; messages of a pair of ranks keep their order. send() returns when
// the message is received, so that no messages pile up. receive() wants exactly as many bytes as were sent.
void send(const Comm& comm, std::span<const std::byte> bytes, int to, const Deadline& deadline, std::string_view what);
void receive(const Comm& comm, std::span<std::byte> bytes, int from, const Deadline& deadline, std::string_view what);

// Receives a message of words from `source` if one has arrived, and returns whether. `source` may be MPI_ANY_SOURCE,
// and becomes the sender. The deadline is for the rest of a message whose sender has ended.
bool receive_if_there(const Comm& comm, int& source, int tag, std::vector<std::int64_t>& words,
                      const Deadline& deadline);

// Waits until all ranks of `comm` have come. Collective.
void barrier(const Comm& comm, const Deadline& deadline, std::string_view what);
// Collective over `comm`; in place. A vector or string gets the root's length.
void allreduce_max(const Comm& comm, std::span<std::int64_t> values, const Deadline& deadline, std::string_view what);
void allreduce_sum(const Comm& comm, std::span<std::int64_t> values, const Deadline& deadline, std::string_view what);
void broadcast(const Comm& comm, std::span<std::int64_t> values, int root, const Deadline& deadline,
               std::string_view what);
void broadcast(const Comm& comm, std::vector<std::byte>& bytes, int root, const Deadline& deadline,
               std::string_view what);
// Broadcasts a value of any type that base/archive.hpp takes: returns `root`'s. Collective.
template <class Value>
[[nodiscard]] Value broadcast_value(const Comm& comm, const Value& mine, int root, const Deadline& deadline,
                                    std::string_view what) {
  std::vector<std::byte> bytes;
  if (comm.rank() == root) bytes = serialize(mine);
  broadcast(comm, bytes, root, deadline, what);
  return deserialize<Value>(bytes);
}
// Broadcasts rank 0's status, and its bytes if the status is ok. Collective.
void broadcast_from_0(const Comm& comm, Status& status, std::vector<std::byte>& bytes, const Deadline& deadline,
                      std::string_view what);
// Broadcasts what `make` returns on rank 0, whose deadline begins after that. Collective.
// Errors: all ranks throw what `make` has thrown.
template <class Make>
auto made_by_0(const Comm& comm, Make make, const WaitLimit& wait, std::string_view what) {
  std::vector<std::byte> bytes;
  Status status;
  if (comm.rank() == 0) status = outcome_of([&] { return bytes = serialize(make()), Status(); });
  broadcast_from_0(comm, status, bytes, wait.begin(), what);
  status.raise();
  return deserialize<std::invoke_result_t<Make>>(bytes);
}
std::vector<int> allgather(const Comm& comm, int value, const Deadline& deadline, std::string_view what);
// Returns the values of rank 0, then of rank 1, ...; each rank may give another number of values.
std::vector<std::int64_t> allgather(const Comm& comm, std::span<const std::int64_t> values, const Deadline& deadline,
                                    std::string_view what);

// A process may run without MPI: a program on a login node, where MPI_Init may end it. While MPI is not initialised,
// Comm::duplicate() makes a communicator of one rank from MPI_COMM_SELF, and calls on it do not use MPI. Local.
bool mpi_is_initialised();

// Returns this rank's number in MPI_COMM_WORLD; 0 while MPI is not initialised. Local.
int rank_in_job();

// Whether `comm` has one rank and uses no MPI.
inline bool alone(const Comm& comm) noexcept {
  return comm.raw() == MPI_COMM_NULL && comm.size() == 1;
}

// Returns the ranks of this rank's host, or a part of them if `ranks_per_host` is not 0 (base/host.hpp). Collective.
Comm host_of(const Comm& comm, int ranks_per_host, const Deadline& deadline);
// Returns the lowest rank of each rank's host, for Machine::from_leaders() (plan/machine.hpp). `host`: from host_of().
// Collective.
std::vector<int> leaders_of(const Comm& comm, const Comm& host, const Deadline& deadline);

// Returns the MPI datatype of an element in memory. Local.
MPI_Datatype mpi_type(Type type) noexcept;

}  // namespace weir
