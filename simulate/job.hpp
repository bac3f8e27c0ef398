// SPDX-License-Identifier: Apache-2.0
// A simulated job: the machine, the script of all ranks, what each rank has spent, and the shared statuses of the hosts
// (mpi/host_status.hpp). Its ranks (simulate/rank_world.hpp) act on it. Pure, Local.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/tally.hpp"
#include "simulate/network.hpp"
#include "simulate/packed_output.hpp"
#include "simulate/rank_placement.hpp"
#include "simulate/result.hpp"
#include "simulate/script.hpp"
#include "simulate/storage.hpp"

namespace weir::simulate {

// What the ranks of a host tell each other.
class HostStatus {
 public:
  HostStatus(Engine& engine, int ranks, int cycles)
      : ranks_(ranks), put_(static_cast<std::size_t>(cycles) + 1), written_(put_), turn(engine) {}

  // True where the rank is the last of the host.
  bool say_put(int cycle) noexcept { return ++put_[static_cast<std::size_t>(cycle)] == ranks_; }
  bool say_written(int cycle) noexcept { return ++written_[static_cast<std::size_t>(cycle)] == ranks_; }
  bool is_put(int cycle) const noexcept { return put_[static_cast<std::size_t>(cycle)] == ranks_; }
  bool all_others_put(int cycle) const noexcept { return put_[static_cast<std::size_t>(cycle)] >= ranks_ - 1; }
  bool is_written(int cycle) const noexcept {
    return cycle <= 0 || written_[static_cast<std::size_t>(cycle)] == ranks_;
  }

 private:
  int ranks_;
  std::vector<int> put_, written_;  // how many ranks, by cycle

 public:
  int writing = 0;  // ranks that write at the moment
  Signal turn;      // one of them has ended
};

// What is known of one rank.
struct RankState {
  RankTimes times;
  LoadImbalance load_imbalance;
  double call_began = -1;  // of the call of Weir's that the model is in; below 0: none
  bool computes = false;   // its model, at the moment
  double taken = 0;        // seconds of its core that threads have had, and that its model has still to compute

  LoadImbalance::Times meets_at(double now) const noexcept {
    return {now, times.visible + (call_began < 0 ? 0 : now - call_began), times.of(Step::wait)};
  }
};

struct JobInputs {
  const Profile& profile;
  const Workload& work;
  const Config& config;
  const RankPlacement& placement;  // all ranks that hold or write
  const Script& script;
  Target target;
  Striping striping;
  int traced_ranks;  // the first so many leave spans
  bool puts_alone;
  const Packing* packing = nullptr;  // of the file's format; nullptr: classic

  const Machine& machine() const noexcept { return placement.machine; }
};

class Job {
 public:
  explicit Job(const JobInputs& inputs);

  int ranks() const noexcept { return in.machine().ranks(); }
  int host(int rank) const noexcept { return in.machine().host_of[static_cast<std::size_t>(rank)]; }
  int node(int rank) const noexcept { return in.placement.node_of[static_cast<std::size_t>(rank)]; }
  int nodes() const noexcept { return in.placement.nodes(); }
  HostStatus& host_status(int rank) noexcept { return host_statuses[static_cast<std::size_t>(host(rank))]; }
  RankState& rank(int number) noexcept { return states[static_cast<std::size_t>(number)]; }
  bool reaches(int rank, int other) const noexcept {
    return in.machine().reaches(rank, other, in.placement.shared_memory);
  }
  double now() const noexcept { return engine.now(); }
  // Whether the storage is better off with one rank of a host writing at a time.
  bool one_at_a_time() const noexcept;
  // Seconds that a agreement of all ranks takes once the last has come.
  double meeting_seconds() const noexcept { return meeting_seconds_; }

  // Adds the time since `begin` to a step of the rank, and to the timeline.
  void spent(int rank, Step step, double begin, std::int64_t number = -1, bool writer = false);

  // The rank copies so many bytes.
  void copy(int rank, std::int64_t bytes, Step step, std::int64_t number);
  // The rank writes the tile of an owner (or slot) in an entry of a cycle, if there is one.
  void write_tile(int rank, int cycle, const Entry& entry, int owner);
  // A thread of the rank has written so many bytes, which took a core. One that a model computes on is that much late:
  // the rank's own where each rank of the node has one, and where ranks share cores all of them. Where the node has
  // more cores than ranks, threads run there (base/host.hpp).
  void take_core(int rank, std::int64_t bytes);
  // All ranks agree here. They come to agreements in one order.
  void barrier(int rank);

  const JobInputs in;
  Engine engine;
  Memory memory;
  Network network;
  Storage storage;
  std::vector<RankState> states;
  std::deque<HostStatus> host_statuses;
  std::vector<TimelineSpan> timeline;
  std::optional<PackedOutput> packed;  // where the format packs

 private:
  double meeting_seconds_ = 0;
  struct Meeting {
    int came = 0;
    double computed = 0;  // of the rank that computed longest
    Signal all_came;
  };
  std::deque<Meeting> meetings_;
  std::vector<std::size_t> meetings_of_;  // how many each rank has been at
};

}  // namespace weir::simulate
