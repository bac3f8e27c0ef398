// SPDX-License-Identifier: Apache-2.0
// A list of events in memory that the ranks of a host share. Any rank appends; all ranks read the same events in the
// same order, each at its own pace. engine/controls.hpp uses it for the scheduler.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/shared_segment.hpp"

namespace weir {

// A ring. Requires: no rank falls behind by more than `capacity` events.
// Local, except the constructor, without MPI. Thread: append(): any; the others: one at a time.
class EventList {
 public:
  struct Event {
    std::uint32_t kind;
    std::int32_t rank;
    std::int64_t unit;
    std::int64_t value;
    std::int64_t series;
  };
  // Collective over `host`. Requires: the ranks agree before one of them appends.
  EventList(const Comm& host, std::int64_t capacity, const Deadline& deadline = Deadline());

  void append(const Event& event) noexcept;
  // Reads the next event for this rank; returns false if there is none yet.
  bool read(Event& event) noexcept;
  // Empties the list. Requires: one rank calls it while no other rank uses the list.
  void clear() noexcept;
  // Starts again at the beginning of a cleared list.
  void rewind() noexcept { read_ = 0; }

 private:
  struct Entry {
    std::atomic<std::uint64_t> stamp;  // the event's number, from 1, once the event is there
    Event event;
  };
  struct Head {
    alignas(64) std::atomic<std::uint64_t> appended;
  };
  Head& head() const noexcept { return *reinterpret_cast<Head*>(segments_.of(0)); }
  Entry& entry(std::uint64_t number) const noexcept;

  std::uint64_t capacity_;
  SharedSegments segments_;
  std::uint64_t read_ = 0;
};

}  // namespace weir
