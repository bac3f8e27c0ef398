// SPDX-License-Identifier: Apache-2.0
// A list of events in memory that the ranks of a host share. Any rank (any of its threads) appends; all ranks read the
// same events in the same order, each at its own pace. A ring: a rank must not fall behind by more than `capacity`
// events, which is the user's to see to.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/shared_segment.hpp"

namespace weir {

class EventList {
 public:
  struct Event {
    std::uint32_t kind;
    std::int32_t rank;
    std::int64_t unit;
    std::int64_t value;
  };
  // Collective over `host`; the ranks must meet before one of them appends.
  EventList(const Comm& host, std::int64_t capacity, const Deadline& deadline = Deadline());

  void append(const Event& event) noexcept;
  // The next event for this rank; false where there is none yet.
  bool read(Event& event) noexcept;
  // Empties the list; to be called by one rank while no other rank uses it.
  void clear() noexcept;
  // This rank begins at the beginning of a cleared list.
  void rewind() noexcept { read_ = 0; }

 private:
  struct Entry {
    std::atomic<std::uint64_t> stamp;  // the event's number, from 1, once it is there
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
