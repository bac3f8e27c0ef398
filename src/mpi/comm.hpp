// SPDX-License-Identifier: Apache-2.0
// Communicators, and waiting on MPI with a deadline. Apart from the bindings and the sinks' MPI-IO, only this folder
// calls MPI. Every call is checked; communicators return errors instead of ending the program.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/counting.hpp"
#include "base/error.hpp"
#include "mpi/host_status.hpp"
#include "schema/types.hpp"

namespace weir {

// Throws Error(WEIR_EMPI) naming the call where `result` is not MPI_SUCCESS.
void check_mpi(int result, const char* call, std::source_location where = std::source_location::current());

// Whether MPI was initialised so that any thread may call it at any time.
bool any_thread_may_call();

// Owns a communicator. Move-only.
class Comm {
 public:
  Comm() = default;
  // A duplicate of `parent`, with errors returned. Collective over `parent`.
  static Comm duplicate(MPI_Comm parent, const Deadline& deadline = Deadline());
  // The ranks of `parent` that can share memory, in their order: of one machine, and not in containers that keep their
  // processes apart. Collective. Here and in split() all ranks agree before the call, which MPI has only in a form that
  // blocks: the deadline holds for a rank that does not come. For one that ends within the call it holds, too, where
  // any thread may call MPI; where not, the program ends with a sentence.
  static Comm of_host(const Comm& parent, const Deadline& deadline = Deadline());
  // The ranks that give the same color, in the order of their keys, or else of their ranks. Collective.
  Comm split(int color, const Deadline& deadline = Deadline(), std::optional<int> key = std::nullopt) const;

  Comm(Comm&& other) noexcept;
  Comm& operator=(Comm&& other) noexcept;
  ~Comm();

  MPI_Comm raw() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  // The communicator is the caller's to free.
  MPI_Comm release() noexcept { return std::exchange(comm_, MPI_COMM_NULL); }
  // How sentences call a rank, and this one; a part of the ranks that split() makes has the same numbers.
  int number_of(int rank) const noexcept { return numbers_(rank); }
  int number() const noexcept { return numbers_(rank_); }
  // "3, 5": some of its ranks in a sentence.
  std::string listed(std::span<const int> ranks) const;
  const RankNumbers& numbers() const noexcept { return numbers_; }
  void call_ranks(const RankNumbers& numbers) noexcept { numbers_ = numbers; }
  // Its ranks, which share memory, meet there from now on for what is small enough. Who lets them ends the communicator
  // before the memory. All ranks do this at one point.
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

// What MPI reads or writes while a request is under way. Freed only once it has been returned: a request that a
// deadline has left behind may still come to its end when a late rank arrives, and finds its memory.
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
  // The requests have ended.
  void returned() noexcept { returned_ = true; }

 private:
  Value* value_;
  bool returned_ = false;
};

// Waits for the requests, giving the processor away meanwhile. Throws Error(WEIR_ETIMEOUT) naming `what` past the
// deadline; the requests are then lost, their memory must stay (Lent), and the communicator must not be used any more.
void wait_all(std::span<MPI_Request> requests, const Deadline& deadline, std::string_view what);

// One message between two ranks. send() returns when the other side takes it, so no rank's memory fills with messages
// that wait; receive() wants exactly as many bytes as were sent. Messages of a pair of ranks come in their order.
void send(const Comm& comm, std::span<const std::byte> bytes, int to, const Deadline& deadline, std::string_view what);
void receive(const Comm& comm, std::span<std::byte> bytes, int from, const Deadline& deadline, std::string_view what);

// A message of words from `source` (or MPI_ANY_SOURCE, which becomes who sent it), if one has come. A sender that ends
// before all of it is here is not waited for beyond the deadline.
bool receive_if_there(const Comm& comm, int& source, int tag, std::vector<std::int64_t>& words,
                      const Deadline& deadline);

// Until all ranks of `comm` have come. Collective.
void barrier(const Comm& comm, const Deadline& deadline, std::string_view what);
// Collective over `comm`; in place.
void allreduce_max(const Comm& comm, std::span<std::int64_t> values, const Deadline& deadline, std::string_view what);
void allreduce_sum(const Comm& comm, std::span<std::int64_t> values, const Deadline& deadline, std::string_view what);
void broadcast(const Comm& comm, std::span<std::int64_t> values, int root, const Deadline& deadline,
               std::string_view what);
void broadcast(const Comm& comm, std::vector<std::byte>& bytes, int root, const Deadline& deadline,
               std::string_view what);
std::string broadcast(const Comm& comm, const std::string& text, int root, const Deadline& deadline,
                      std::string_view what);
// What rank 0 has: its status, and, where that is ok, its bytes.
void broadcast_from_0(const Comm& comm, Status& status, std::vector<std::byte>& bytes, const Deadline& deadline,
                      std::string_view what);
// What `make` gives: rank 0 calls it, and begins to wait only then. Where it throws, all ranks throw the same Error.
template <class Make>
std::vector<std::byte> made_by_0(const Comm& comm, Make make, const WaitLimit& wait, std::string_view what) {
  std::vector<std::byte> bytes;
  Status status;
  if (comm.rank() == 0) status = outcome_of([&] { return bytes = make(), Status(); });
  broadcast_from_0(comm, status, bytes, wait.begin(), what);
  status.raise();
  return bytes;
}
void broadcast(const Comm& comm, Status& status, int root, const Deadline& deadline, std::string_view what);
std::vector<int> allgather(const Comm& comm, int value, const Deadline& deadline, std::string_view what);
// The values of rank 0, then those of rank 1, ...: as many of each rank as it gives.
std::vector<std::int64_t> allgather(const Comm& comm, std::span<const std::int64_t> values, const Deadline& deadline,
                                    std::string_view what);

// Support for a process without MPI: a program on a login node, where MPI_Init may end it. Comm::duplicate makes a
// communicator of one rank from MPI_COMM_SELF while MPI is not initialised, and calls on it do not use MPI. Local.

bool mpi_is_initialised();

// No other rank is there to ask or to tell.
inline bool alone(const Comm& comm) noexcept {
  return comm.raw() == MPI_COMM_NULL && comm.size() == 1;
}

// Determines which ranks are on one host: those that can share memory, or, if the configuration says so, a part of them
// (base/host.hpp). Collective.

// The host of this rank.
Comm host_of(const Comm& comm, int ranks_per_host, const Deadline& deadline);
// The lowest rank of each rank's host (plan/machine.hpp makes a machine of them). host: as above.
std::vector<int> leaders_of(const Comm& comm, const Comm& host, const Deadline& deadline);

// MPI datatypes of netCDF's types.

// Of an element in memory. Local.
MPI_Datatype mpi_type(Type type) noexcept;

}  // namespace weir
