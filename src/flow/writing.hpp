// SPDX-License-Identifier: Apache-2.0
// The pending writes of a rank, and when each tile is written. Pure.
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

// What a flow is made for; outlives it.
struct FlowSetup {
  const Config& config;
  const Machine& machine;
  int window;  // cycles in flight, at most
};

// The writing of a rank: its pending writes, oldest first, and which thread writes them: the rank itself while it
// waits, the background writer (overlap: background), or the rank before it continues, when it is early (overlap:
// slack). So many ranks of a host write at a time as their file system or the configuration allows. The scheduler
// learns what is written; where tile buffers become free by the window, the ranks of the host do, so that a rank need
// not wait until their holder reaches its cycle. Pure: the world does what takes time.

class Writing {
 public:
  Writing(World& world, const FlowSetup& setup, Control& control);

  // What was put in the cycle that ends here, to be added.
  std::unique_ptr<PendingWrite> take_puts(std::uint32_t cycle);
  // Makes a pending write of this rank's part of a cycle whose holders are known, if it has one: cycles come in their
  // order. False where a file must be laid out anew for it: prepare() then comes next, when older pending writes are
  // done.
  [[nodiscard]] bool add(const Cycle& cycle, std::unique_ptr<PendingWrite> puts);
  void prepare();

  const std::vector<std::unique_ptr<PendingWrite>>& pending_writes() const noexcept { return pending_; }
  bool complete(const PendingWrite& pending) const noexcept;
  // Pieces of a pending write are still to come by message, or it is to be written now.
  bool under_way() const;
  // Takes what was written in the background.
  void take_done();
  // Writes what may be written now. For ranks that are early.
  void write_ready();
  // Writes the oldest pending write, which is complete, whatever the scheduler says: a call waits. The time is the
  // rank's.
  void write_oldest();
  // Writes the latest one, together with all ranks.
  void write_together();
  // Something has changed that the background writer may wait for: pieces that have come, a release.
  void notify();
  // What the scheduler has released, where the background writer cannot ask it. False where it knew that.
  bool release(std::int64_t unit);
  bool in_background() const noexcept { return background_ != nullptr; }
  void pause(const std::function<void()>& change) { background_ ? background_->pause(change) : change(); }
  // Forgets all pending writes.
  void drop();
  void restart(std::uint32_t cycle);

 private:
  BackgroundWriter::Work work();
  void begin(PendingWrite* pending, std::uint32_t cycle);
  void write_in_background(PendingWrite& pending);
  void write_in_turn(PendingWrite& pending);
  void end(const PendingWrite& pending);
  void pop();
  void say_written(const PendingWrite& pending);
  void publish(std::uint32_t written);
  std::int64_t released();
  int most_at_once(const PendingWrite& pending) const;
  bool has_turn(const PendingWrite& pending) { return world_.begin_writing(most_at_once(pending)); }

  World& world_;
  FlowSetup setup_;
  Control& control_;
  std::vector<std::unique_ptr<PendingWrite>> pending_, spare_;
  std::vector<HeldTile> tiles_;          // of the pending write that is being made
  std::atomic<std::uint32_t> made_ = 0;  // pending writes of cycles up to this one are made
  std::atomic<std::int64_t> released_ = 0;
  std::mutex publishing_;
  std::uint32_t published_ = 0;  // the ranks of the host know that cycles up to this one are written
  std::unique_ptr<BackgroundWriter> background_;
};

}  // namespace weir
