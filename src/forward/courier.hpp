// SPDX-License-Identifier: Apache-2.0
// Forwarding to holders that nobody knew before: a parcel carries its pieces and, the first time a holder gets a piece
// of its kind, the recipe for placing it, so that no rank need plan for all ranks that may ever send to it. Sends do
// not wait; what comes is placed straight into the tile it belongs to. A parcel goes from a rank to a holder once a
// cycle, however many variables the cycle has. MPI from the rank's own thread only.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "mpi/comm.hpp"
#include "put/cycle.hpp"
#include "put/duty.hpp"
#include "put/reach.hpp"
#include "put/staging.hpp"

namespace weir {

class Courier {
 public:
  // Collective over `comm`.
  Courier(const Comm& comm, const Reach& reach, Staging& staging)
      : comm_(Comm::duplicate(comm.raw())), reach_(reach), staging_(staging) {}

  // Sends this rank's pieces of the cycle to the holders that it does not reach.
  void send(const Cycle& cycle);
  // Takes what has come for a duty, and counts it. A failure names a rank that has put something else in the cycle.
  Status receive(Duty& duty);
  // Whether the parcels of cycles up to this one are sent; their memory is then given back.
  bool sent(std::uint32_t cycle);
  // Ranks that have not taken a parcel of these cycles: "3, 5".
  std::string slow(std::uint32_t cycle) const;
  // Tells all other ranks that this one has lost step; whether one of them has told so. Until all are drained.
  void ring();
  bool rung() const;
  // Forgets all recipes; all ranks do at once, with nothing under way.
  void forget();
  // Takes and throws away whatever is under way, until all ranks have done so. Collective.
  void drain(const Deadline& deadline);
  void abandon() noexcept;

  std::int64_t messages() const noexcept { return messages_; }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  // A part of a parcel: what one put has for one owner.
  struct Section {
    int holder;
    int owner;
    std::size_t entry;
    const Outgoing* out;
    std::byte* at;
    std::int64_t bytes;
  };
  struct Parcel {
    std::uint32_t cycle;
    int holder;
    std::vector<std::int64_t> words;
    MPI_Request requests[2];
  };
  // A parcel whose words have come.
  struct Coming {
    Duty* duty;
    int source;
    std::vector<std::int64_t> words;
    std::byte* at;
    MPI_Request request;
  };
  using Kind = std::tuple<const Plan*, std::size_t, int, int>;  // plan, round, owner, holder or source

  void collect(const Cycle& cycle);
  void send_parcel(const Cycle& cycle, std::size_t begin, std::size_t end);
  void write_words(const Cycle& cycle, std::size_t begin, std::size_t end, std::vector<std::int64_t>& words);
  bool take_words(Duty& duty);
  Status unpack(const Coming& coming);
  Status other_put(const Coming& coming, std::size_t number) const;
  bool throw_away();

  Comm comm_;  // its own, so that what is probed for is its own
  const Reach& reach_;
  Staging& staging_;
  std::vector<Section> sections_;
  std::list<Parcel> parcels_, spare_parcels_;
  std::list<Coming> coming_, spare_coming_;
  std::vector<int> lengths_;
  std::vector<MPI_Aint> places_;
  std::map<Kind, bool> told_;
  std::map<Kind, CopyProgram> recipes_;
  std::vector<MPI_Request> bells_;
  std::int64_t received_bytes_ = 0;  // of the receive memory, in use from its beginning
  std::int64_t messages_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace weir
