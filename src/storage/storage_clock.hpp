// SPDX-License-Identifier: Apache-2.0
// A storage of limited bandwidth, to test the effect of a slower one: each writer reserves time by the number of its
// bytes and sleeps until they would be written. All ranks of a host share one clock (the time from which the storage is
// free again, CLOCK_MONOTONIC), so the bandwidth holds for all of them together, in whatever order they come; several
// hosts get equal parts of it. One writer may get only a part of it, as from a file system of many servers: its write
// then takes longer, and leaves bandwidth to others. An earlier writer never waits for a later one, and idle time is
// not saved up. Only the constructor calls MPI: any thread may take and wait.
#pragma once

#include <chrono>
#include <cstdint>

#include "mpi/comm.hpp"
#include "mpi/shared_segment.hpp"

namespace weir {

struct StorageSpeed {
  std::int64_t bytes_per_second;             // of all ranks
  std::int64_t writer_bytes_per_second = 0;  // of one write; 0: the same
};

// A write of several ranks that is one: the two phases of MPI-IO.
struct SharedWrite {
  std::int64_t bytes;  // of all ranks
  int writers;         // ranks that write for all
};

class StorageClock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Collective over `comm`. Throws Error(WEIR_EMEMORY) where ranks cannot share memory.
  StorageClock(const Comm& comm, const StorageSpeed& speed, const Deadline& deadline = Deadline());

  // Takes the storage for `bytes`, after what was taken before; returns when they will be there. Local.
  Time take(std::int64_t bytes) const noexcept;
  // The same for a rank's `bytes` of a shared write. Once all its ranks have taken theirs, end_of() says when all of it
  // will be there. Local.
  Time take(std::int64_t bytes, const SharedWrite& write) const noexcept;
  Time end_of(Time taken) const noexcept;
  int hosts() const noexcept { return hosts_; }
  // Sleeps until then. Local.
  static void wait(Time time);

 private:
  SharedSegments memory_;
  int hosts_ = 1;
  std::int64_t* free_at_ = nullptr;           // in the segment of the host's first rank: nanoseconds
  double nanoseconds_per_byte_ = 0.0;         // of the host's part
  double writer_nanoseconds_per_byte_ = 0.0;  // of one writer
};

}  // namespace weir
