// SPDX-License-Identifier: Apache-2.0
// Limits how many ranks of a host write at a time, as their file system or the configuration demands; and publishes how
// far each rank has written, so that a rank learns that tile buffers out of the window are free before their holder
// reaches its cycle. Pure: the world does what takes time.
#pragma once

#include <cstdint>
#include <mutex>

#include "control/control.hpp"
#include "flow/world.hpp"

namespace weir {

// What a flow is made for; outlives it.
struct FlowSetup {
  const Config& config;
  const Machine& machine;
  int window;  // cycles in flight, at most
};

class HostWriteLimiter {
 public:
  HostWriteLimiter(World& world, const FlowSetup& setup, const Control& control)
      : world_(world), setup_(setup), control_(control) {}

  // Whether it is this rank's now; world.end_writing() ends it. Any thread.
  bool try_acquire(const PendingWrite& pending) { return world_.begin_writing(most(pending)); }
  // Until one may be free. wait: of the rank's own; nullptr: of the background writer.
  void await(const PendingWrite& pending, Wait* wait) { return world_.await_turn(most(pending), wait); }

 private:
  int most(const PendingWrite& pending) const;

  World& world_;
  FlowSetup setup_;
  const Control& control_;
};

class WriteProgress {
 public:
  WriteProgress(World& world, const Control& control) : world_(world), control_(control) {}

  // All of this rank's tiles of cycles up to this one are written. Any thread.
  void publish(std::uint32_t written);
  void restart(std::uint32_t cycle);

 private:
  World& world_;
  const Control& control_;
  std::mutex publishing_;
  std::uint32_t published_ = 0;
};

}  // namespace weir
