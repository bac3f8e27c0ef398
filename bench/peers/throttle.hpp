// SPDX-License-Identifier: Apache-2.0
// The storage under the peers with --bandwidth: the same clock that Weir's sinks wait for (storage/storage_clock.hpp),
// taken around each call that writes. Without it calls pass as they are.
//   alone     The bytes are taken when the call begins, and the call ends when they would be there.
//   together  Two-phase MPI-IO writes nothing before the last rank has come, and keeps all ranks until the last round:
//             the bytes of all ranks are taken when the last one has come, and the call ends, on all, when all would be
//             there. The exchange counts as part of that time, as if the storage were never kept waiting by it.
// Headers and fill values cost nothing.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <span>

#include "check.hpp"
#include "mode.hpp"
#include "peers/peer.hpp"
#include "storage/storage_clock.hpp"

namespace weir::bench {

class Throttle {
 public:
  explicit Throttle(const Scene& scene) : storage_(scene.storage), comm_(scene.comm) {}
  // With romio_cb_write=disable each rank writes for itself, within a collective call too; else cb_nodes ranks write,
  // or one a host.
  Throttle(const Scene& scene, const PeerSettings& settings) : Throttle(scene) {
    two_phase_ = settings.hint("romio_cb_write") != "disable";
    aggregators_ = std::atoi(settings.hint("cb_nodes").c_str());
  }

  template <class Call>
  void alone(std::int64_t bytes, Call&& call) const {
    if (!storage_ || bytes == 0) return call();
    const StorageClock::Time end = storage_->take(bytes);
    call();
    StorageClock::wait(end);
  }

  // Collective over the scene's ranks, with the bytes of each. Within `call` all ranks wait for one another.
  template <class Call>
  void together(std::int64_t bytes, Call&& call) const {
    if (!storage_ || !two_phase_) return alone(bytes, call);
    const int writers = aggregators_ > 0 ? aggregators_ : storage_->hosts();
    const StorageClock::Time taken = storage_->take(bytes, {sum(bytes), writers});
    call();
    StorageClock::wait(storage_->end_of(taken));
  }

 private:
  // Over all ranks, once the last one has come. Who is early sleeps: a rank that spins takes a processor from those
  // that compute.
  [[nodiscard]] std::int64_t sum(std::int64_t bytes) const {
    MPI_Request request = MPI_REQUEST_NULL;
    std::int64_t all = 0;
    check_mpi(MPI_Iallreduce(&bytes, &all, 1, MPI_INT64_T, MPI_SUM, comm_, &request), "MPI_Iallreduce");
    wait_all(std::span(&request, 1), Deadline(longest_wait_seconds), "collective write of a peer");
    return all;
  }

  static constexpr double longest_wait_seconds = 3600.0;

  const StorageClock* storage_;
  MPI_Comm comm_;
  bool two_phase_ = true;
  int aggregators_ = 0;  // 0: one a host
};

}  // namespace weir::bench
