// SPDX-License-Identifier: Apache-2.0
// The pending writes of a rank, and when each is written, by the rank or by its background writer. flow/flow.hpp calls
// it. Pure: the world does what takes time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "flow/world.hpp"
#include "schedule/control.hpp"

namespace weir {

// What a flow is made for. The referenced objects outlive the flow.
struct FlowSetup {
  const Config& config;
  const Machine& machine;
  int window;  // cycles in flight, at most
};

// The pending writes of a rank, oldest first. Who writes one, and when:
//
//   overlap: none         the rank, in the put that ends the cycle
//   overlap: slack        the rank, in a later put to which it comes before the others
//   overlap: background   the background writer, as soon as the pieces of all ranks are in place
//
// In each case the rank also writes, or waits for its background writer, where a call needs the memory or flushes. At
// most as many ranks of a host write at a time as their file system or the configuration allows. The scheduler learns
// which tiles are written; where tile buffers become free by the window, the ranks of the host learn it, so that a rank
// need not wait until their holder reaches its cycle.
// Thread: the thread of the rank's calls, or between these the progress thread (Flow::listen()); inside, the background
// writer runs complete(), the writing of one pending write and its publication (engine/background_threads.hpp). No
// method waits for another rank, except write_oldest(), prepare() and write_together().
class Writing {
 public:
  Writing(World& world, const FlowSetup& setup, Control& control);

  // Returns the puts of the cycle that ends, for add().
  std::unique_ptr<PendingWrite> take_puts(std::uint32_t cycle);
  // Makes the pending write of this rank's part of a cycle, if it has one.
  // Requires: the cycle's holders are known; cycles come in their order.
  // Ensures: false: a file must be laid out anew; the caller finishes older pending writes and calls prepare().
  [[nodiscard]] bool add(const Cycle& cycle, std::unique_ptr<PendingWrite> puts);
  // Prepares the latest pending write, for which add() returned false.
  // Collective.
  void prepare();

  const std::vector<std::unique_ptr<PendingWrite>>& pending_writes() const noexcept { return pending_; }
  // Whether the pieces of all ranks are in place.
  bool complete(const PendingWrite& pending) const noexcept;
  // Whether pieces are to come by message, or a pending write has been released.
  bool under_way() const;
  // Closes the pending writes that the background writer has written.
  void take_done();
  // Writes the complete pending writes that the scheduler has released, as long as there is a turn.
  void write_ready();
  // Writes the oldest pending write, even if the scheduler has not released it, or waits until the background writer
  // has.
  // Requires: it is complete.
  // Errors: WEIR_ETIMEOUT.
  void write_oldest();
  // Writes the latest pending write together with all ranks.
  // Requires: it is complete.
  // Collective.
  void write_together();
  // Tells the background writer that pieces have arrived, or a unit was released.
  void notify();
  // Sets the last released unit, for a background writer that cannot ask the control. Returns whether that is new.
  bool release(std::int64_t unit);
  bool has_writer_thread() const noexcept { return background_ != nullptr; }
  void pause(const std::function<void()>& change) { background_ ? background_->pause(change) : change(); }
  // Drops all pending writes; waits for one that is being written.
  void drop();
  void restart(std::uint32_t cycle);

 private:
  BackgroundWriter::Work work();
  void begin(PendingWrite* pending, std::uint32_t cycle);
  void write_in_background(PendingWrite& pending);
  void write_in_turn(PendingWrite& pending);
  void end(const PendingWrite& pending);
  void pop();
  void tell_control_written(const PendingWrite& pending);
  void publish(std::uint32_t written);
  std::int64_t released();
  int most_at_once(const PendingWrite& pending) const;
  bool has_turn(const PendingWrite& pending) { return world_.begin_writing(most_at_once(pending)); }

  World& world_;
  FlowSetup setup_;
  Control& control_;
  std::vector<std::unique_ptr<PendingWrite>> pending_, spare_;
  std::vector<HeldTile> tiles_;          // of the pending write that add() makes
  std::atomic<std::uint32_t> made_ = 0;  // pending writes of cycles up to this one are made
  std::atomic<std::int64_t> released_ = 0;
  std::mutex publishing_;
  std::uint32_t published_ = 0;  // the ranks of the host know that cycles up to this one are written
  std::unique_ptr<BackgroundWriter> background_;
};

}  // namespace weir
