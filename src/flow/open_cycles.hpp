// SPDX-License-Identifier: Apache-2.0
// Cycles whose pieces are put but whose pending writes are not made yet, because the holders of their tiles are not
// known; and how a cycle learns these, or the relay of its pieces. Pure: the world does what takes time.
#pragma once

#include <memory>
#include <vector>

#include "flow/writing.hpp"

namespace weir {

class OpenCycles {
 public:
  OpenCycles(World& world, Control& control, Writing& writing) : world_(world), control_(control), writing_(writing) {}

  // The cycle begins: it is told what is known of its slots, and the scheduler what it wants, where they are not known.
  void begin(Cycle& cycle);
  // Whether it is known where its pieces go. The relay that this rank was told counts on its message, though the slots
  // be known by now.
  bool learn_way(Cycle& cycle);
  // Its pieces are put.
  void add(const Cycle& cycle, std::unique_ptr<PendingWrite> puts) { open_.push_back({cycle, std::move(puts)}); }
  // Of the cycles whose slots are known by now, in their order. What this rank kept of one goes to the holders.
  void make_pending_writes();

  bool empty() const noexcept { return open_.empty(); }
  // Whether the pending writes of cycles up to this one are made.
  bool made(std::uint32_t cycle) const noexcept { return open_.empty() || later(open_.front().cycle.number, cycle); }
  // Which is waited for until they are.
  std::uint32_t oldest(std::uint32_t cycle) const noexcept { return empty() ? cycle : open_.front().cycle.number; }
  void drop() { open_.clear(); }

 private:
  bool learn_slots(Cycle& cycle);
  bool learn_relay(Cycle& cycle);

  struct Open {
    Cycle cycle;
    std::unique_ptr<PendingWrite> puts;
  };

  World& world_;
  Control& control_;
  Writing& writing_;
  std::vector<Open> open_;  // oldest first
};

}  // namespace weir
