// SPDX-License-Identifier: Apache-2.0
// The writing of a rank: its duties, oldest first, and who does them: the rank itself while it waits, its writer thread
// (overlap: background), or the rank before it goes on, when it is early (overlap: slack). Ranks of a host take turns
// where their file system lets no more of them write at a time. What is written is told to the scheduler, and, where
// places come free by the window, to the ranks of the host.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "control/control.hpp"
#include "flow/duty_list.hpp"
#include "flow/parts.hpp"
#include "flow/writer_thread.hpp"

namespace weir {

class Writing {
 public:
  Writing(const FlowParts& parts, Control& control);

  DutyList& duties() noexcept { return duties_; }
  // Makes a duty of this rank's part of a cycle whose holders are known, if it has one: cycles come in their order.
  // False where a file must be laid out anew for it: prepare() then comes next, when older duties are done.
  [[nodiscard]] bool add(const Cycle& cycle, std::int64_t tile_bytes);
  void prepare();
  // Pieces of a duty are still to come by message, or it is to be written now.
  bool under_way() const { return duties_.under_way(released_.load()); }
  // Takes what the thread has done.
  void take_done();
  // Writes what may be written now. For ranks that are early.
  void write_what_may_be();
  // Writes the oldest duty, which is complete, whatever the scheduler says: somebody waits. The time is the rank's.
  void write_oldest();
  // The same, together with all ranks.
  void write_together();
  // Something has changed that the thread may wait for: pieces that have come, a release.
  void look_again();
  // What the scheduler has released, where the thread cannot ask it. False where it knew that.
  bool release(std::int64_t unit);
  bool by_thread() const noexcept { return thread_ != nullptr; }
  void pause(const std::function<void()>& change) { thread_ ? thread_->pause(change) : change(); }
  // Forgets all duties.
  void drop();
  void restart(std::uint32_t cycle);
  [[nodiscard]] bool abandon() noexcept { return !thread_ || thread_->abandon(); }

 private:
  WriterThread::Work thread_work();
  void begin(Duty* duty, std::uint32_t cycle);
  void write_beside(Duty& duty);
  bool take_turn(const Duty& duty);
  int most_at_once(const Duty& duty) const;
  void write_in_turn(Duty& duty);
  void end(const Duty& duty);
  void say_written(const Duty& duty);
  void tell_neighbours(std::uint32_t written);
  std::int64_t released();

  FlowParts parts_;
  Control& control_;
  DutyList duties_;
  std::atomic<std::uint32_t> made_ = 0;  // duties of cycles up to this one are made
  std::atomic<std::int64_t> released_ = 0;
  std::mutex telling_;      // the thread tells too
  std::uint32_t told_ = 0;  // up to here this rank's tiles are written, as its neighbours know
  std::unique_ptr<WriterThread> thread_;
};

}  // namespace weir
