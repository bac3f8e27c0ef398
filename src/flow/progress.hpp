// SPDX-License-Identifier: Apache-2.0
// The work of a rank while it is in a call, or waits in one: it receives messages from other hosts, learns what the
// scheduler has released, writes if it is early (overlap: slack), and detects that ranks are out of sync. Pure: the
// world does what takes time.
#pragma once

#include "flow/open_cycles.hpp"

namespace weir {

class Progress {
 public:
  Progress(World& world, const FlowSetup& setup, Control& control, OpenCycles& open, Writing& writing)
      : world_(world), setup_(setup), control_(control), open_(open), writing_(writing) {}

  // Takes what has come, and what the background writer has written; writes nothing.
  void listen();
  // Takes what has come.
  void receive();
  // The same, and writes what may be written, where this rank is early at the cycle it has come to.
  void go_on(std::uint32_t cycle);

  // This rank does not do what others do: ranks that wait for it learn that. Until restart().
  void say_out_of_sync();
  bool out_of_sync() const noexcept { return out_of_sync_; }
  // Whether the cycle will never be complete.
  bool has_diverged(std::uint32_t cycle) { return out_of_sync_ || world_.has_diverged(cycle); }
  void restart() noexcept { out_of_sync_ = false; }

 private:
  void use_slack(std::uint32_t cycle);
  void follow_release();
  void fall_out_of_sync(Status status);

  World& world_;
  FlowSetup setup_;
  Control& control_;
  OpenCycles& open_;
  Writing& writing_;
  bool out_of_sync_ = false;
};

}  // namespace weir
