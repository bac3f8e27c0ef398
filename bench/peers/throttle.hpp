// SPDX-License-Identifier: Apache-2.0
// The storage under the peers with --bandwidth: the same clock that Weir's sinks wait for (write/storage_clock.hpp),
// taken around each call that writes. Without it calls pass as they are.
//   alone     The bytes are taken when the call begins, and the call ends when they would be there.
//   together  Two-phase MPI-IO writes nothing before the last rank has come, and keeps all ranks until the last round:
//             the bytes of all ranks are taken when the last one has come, and the call ends, on all, when all would be
//             there. The exchange counts as part of that time, as if the storage were never kept waiting by it.
// Headers and fill values cost nothing.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "check.hpp"
#include "mode.hpp"
#include "peers/peer.hpp"
#include "write/storage_clock.hpp"

namespace weir::bench {

class Throttle {
 public:
  explicit Throttle(const Scene& scene, bool two_phase = true)
      : storage_(scene.storage), comm_(scene.comm), two_phase_(two_phase) {}
  // With romio_cb_write=disable each rank writes for itself, within a collective call too.
  Throttle(const Scene& scene, const PeerSettings& settings)
      : Throttle(scene, settings.hint("romio_cb_write") != "disable") {}

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
    check_mpi(MPI_Barrier(comm_), "MPI_Barrier");
    storage_->take(bytes);
    call();
    StorageClock::wait(storage_->free_at());
  }

 private:
  const StorageClock* storage_;
  MPI_Comm comm_;
  bool two_phase_;
};

}  // namespace weir::bench
