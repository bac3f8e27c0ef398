// SPDX-License-Identifier: Apache-2.0
// Two threads of a rank: the writer thread, which writes tiles while the model computes, and the progress thread, which
// progresses messages. What the writer does next is in flow/background_writer.hpp.
#pragma once

#include <exception>
#include <functional>
#include <mutex>

#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/worker.hpp"
#include "flow/background_writer.hpp"

namespace weir {

// The threads of a rank: what each touches, and what keeps it apart from the others.
//
//   rank       In Weir's calls: all that no other row names. Lock: a Hold of the progress thread, if there is one.
//
//   writer     (WriterThread)
//              - The pending write that it has taken, its tiles' memory and its entries. Lock: writing_, which
//                Flow::pause() and drop() take too.
//              - The list of pending writes. Lock: the worker's.
//              - OutputFile::write() and what is below it. No lock: the rank asks meanwhile only what that does not
//                change (formats/output_file.hpp).
//              - OpenFile::failure, to read it. It changes within Flow::pause() only.
//              - The host's shared status, to see what ranks have put, take a turn, and publish. Atomics.
//              - The scheduler and its list of events (hosted control). Locks: HostedSchedule's, the list's.
//              - Members of PendingWrite and of Writing. Atomics; lock: publishing_.
//              - A trace lane of its own. Never MPI (contract 7).
//
//   storage    (storage/storage_calls.hpp) One storage call at a time, and what it uses, while the rank waits for it.
//              Lock for the call and its status: the worker's. MPI only where any thread may call it. After a timeout
//              the rank no longer waits, and the call owns what it uses.
//
//   progress   (ProgressThread) Between Weir's calls: Flow::listen() and expects(), and so what the rank's own thread
//              touches in them. Lock: held_.
//
// One more thread (instance/run_status.hpp) writes the status file. It reads atomics, and counts under its own lock.

// The writer thread of a rank (`overlap: background`). It writes pending writes while the model computes: it calls the
// file system, takes turns and publishes in the host's shared status, and appends events of the hosted control. It
// never calls MPI (contract 7).
// Thread: the public methods are for the thread of the rank's calls, except stopping().
class WriterThread final : public BackgroundWriter {
 public:
  // Starts the thread. `sleep` sleeps briefly, until a pending write may have become ready; it returns false if the
  // thread has to wait for notify() instead. `deadline` begins a wait. `cores`: where the thread runs; empty: where the
  // rank does.
  WriterThread(Work work, std::function<bool(const PendingWrite&)> sleep, std::function<Deadline()> deadline,
               const CoreSet& cores);
  // Ends the thread after a timeout. As Worker::abandon(): false: a write has not returned within a second, and all
  // that it uses must live as long as the process.
  [[nodiscard]] bool abandon() noexcept { return worker_.abandon(); }

  // These keep the contracts of BackgroundWriter. notify() may be called by any thread.
  void add(PendingWrite& pending) override;
  void notify() override;
  void await(const PendingWrite& pending) override;
  void drop() override;
  void pause(const std::function<void()>& change) override;
  bool stopping() const noexcept override { return worker_.stopping(); }
  // Yields the processor a few times, so that a writer thread on the same core runs first. Takes a microsecond if no
  // thread waits for the core.
  static void let_it_run() noexcept;

 private:
  void run(const CoreSet& cores);
  PendingWrite* next() override;
  void sleep(const PendingWrite& pending) override;
  bool begin(PendingWrite& pending) override;
  void end(PendingWrite& pending) override;

  std::function<bool(const PendingWrite&)> sleep_;
  std::function<Deadline()> deadline_;
  std::mutex writing_;  // held while a pending write is written
  std::uint64_t changes_ = 0;
  // Used by the writer thread alone:
  std::uint64_t seen_ = 0;  // changes_, when it looked at the oldest pending write
  std::unique_lock<std::mutex> held_;
  Worker worker_;  // its lock is that of the list
};

// The progress thread of a rank (`progress: thread`). Most MPI libraries move large messages only inside MPI calls;
// while the model computes, this thread makes these calls. It runs only while the rank is outside Weir's calls, so the
// rest of Weir needs no locks.
// Requires: MPI_THREAD_MULTIPLE (contract 7).
class ProgressThread {
 public:
  struct Work {
    std::function<void()> advance;  // does what can be done without waiting
    std::function<bool()> expects;  // whether more messages are to come
  };
  explicit ProgressThread(Work work);
  // Ends the thread. Does not wait for other ranks.
  // Requires: the calling thread has no Hold.
  void stop() noexcept { worker_.stop(); }

  // Keeps the progress thread still as long as it lives. One thread may have several.
  class Hold {
   public:
    // Waits until the progress thread stands still. nullptr: there is no progress thread.
    // Errors: throws once what the progress thread has thrown; that thread has ended then.
    explicit Hold(ProgressThread* progress_thread);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    ProgressThread* progress_thread_;
    std::unique_lock<std::recursive_mutex> lock_;
  };

 private:
  void run(Worker::Lock& lock);
  bool advance_once();

  Work work_;
  std::recursive_mutex held_;  // held by the thread that works: the rank's in its calls, or the progress thread
  int depth_ = 0;              // number of the rank's holds
  std::exception_ptr failure_;
  bool thrown_ = false;  // the failure was thrown
  bool wanted_ = false;  // under the worker's lock
  Worker worker_;
};

}  // namespace weir
