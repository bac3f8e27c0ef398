// SPDX-License-Identifier: Apache-2.0
// A storage of a given bandwidth, for trying out what a slower one would do: whoever writes takes his turn by the
// number of his bytes and sleeps until they would be there. All ranks of a host share one clock (the time from which
// the storage is free again, CLOCK_MONOTONIC), so the bandwidth holds for all of them together, in whatever order they
// come; several hosts get equal parts of it. Who was served earlier waits for nobody, and a storage that was idle has
// saved nothing up. Nothing but construction and destruction calls MPI: any thread may take and wait.
#pragma once

#include <chrono>
#include <cstdint>

#include "mpi/comm.hpp"
#include "mpi/shared_segment.hpp"

namespace weir {

class StorageClock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Collective over `comm`, as is destruction. Throws Error(WEIR_EMEMORY) where ranks cannot share memory.
  StorageClock(const Comm& comm, std::int64_t bytes_per_second, double timeout_seconds);

  // Takes the storage for `bytes`, after what was taken before; returns when they will be there. Local.
  Time take(std::int64_t bytes) const noexcept;
  // When all that was taken so far will be there. Local.
  Time free_at() const noexcept;
  // Sleeps until then. Local.
  static void wait(Time time);
  // After a timeout: nothing collective any more, not even freeing.
  void abandon() noexcept { memory_.abandon(); }

 private:
  SharedSegments memory_;
  std::int64_t* free_at_ = nullptr;  // in the segment of the host's first rank: nanoseconds
  double nanoseconds_per_byte_ = 0.0;
};

}  // namespace weir
