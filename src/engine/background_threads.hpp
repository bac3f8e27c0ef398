// SPDX-License-Identifier: Apache-2.0
// The threads of a rank: one that writes while the model computes, and one that goes on with messages.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/clock.hpp"
#include "base/host.hpp"
#include "flow/background_writer.hpp"

namespace weir {

// The writer thread of a rank (overlap: background): writes pending writes while the model computes. It touches files
// and the host's shared status, never MPI, so any MPI thread level will do (contract 7).

class WriterThread final : public BackgroundWriter {
 public:
  // sleep: shortly, until a pending write may have become ready; false where notify() will tell, or time. deadline:
  // of a wait that begins now. cores: where it runs; empty: where the rank does.
  WriterThread(Work work, std::function<bool(const PendingWrite&)> sleep, std::function<Deadline()> deadline,
               const CoreSet& cores);
  WriterThread(const WriterThread&) = delete;
  WriterThread& operator=(const WriterThread&) = delete;
  // Ends the thread: what it writes at the moment is finished, what waits is not written.
  ~WriterThread() override;
  // The same, where a write may not come to an end: false where it has not within a second. Then the thread goes on
  // alone, and all that it knows must outlive the process.
  [[nodiscard]] bool abandon() noexcept;

  // From the rank's own thread.
  void add(PendingWrite& pending) override;
  void notify() override;
  void await(const PendingWrite& pending) override;
  void drop() override;
  void pause(const std::function<void()>& change) override;
  bool stopping() const noexcept override { return stopping_; }
  // Where ranks share a core, those that write come first: a rank that ran on would only fill more memory, which they
  // had to empty when it is done. Takes a microsecond where no rank waits for the core.
  static void let_it_run() noexcept;

 private:
  void run(const CoreSet& cores);
  PendingWrite* next() override;
  void sleep(const PendingWrite& pending) override;
  bool begin(PendingWrite& pending) override;
  void end(PendingWrite& pending) override;

  std::function<bool(const PendingWrite&)> sleep_;
  std::function<Deadline()> deadline_;
  std::mutex mutex_;    // of the list
  std::mutex writing_;  // held while a pending write is written
  std::condition_variable changed_, done_;
  std::uint64_t changes_ = 0;
  // Of the thread:
  std::uint64_t seen_ = 0;  // changes, when the oldest was looked at
  std::unique_lock<std::mutex> held_;
  std::atomic<bool> stopping_ = false;
  bool ended_ = false;
  std::thread thread_;
};

// The progress thread of a rank (progress: thread): while the model computes, a thread progresses messages between
// hosts, which would otherwise wait for the rank's next call: most MPI libraries move large messages only inside MPI
// calls. It calls MPI, so it wants MPI_THREAD_MULTIPLE, and it never runs while the rank is in a call of Weir's: all
// else stays as if there were one thread.

class ProgressThread {
 public:
  struct Work {
    std::function<void()> advance;  // does what can be done without waiting
    std::function<bool()> expects;  // whether there is more to come
  };
  explicit ProgressThread(Work work);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  ~ProgressThread() { stop(); }
  // Ends the thread; does not wait for other ranks. Not while this thread holds it.
  void stop() noexcept;

  // While one lives, the progress thread stands still; several of one thread may lie within each other. The first one
  // after a turn that failed throws what that has thrown: the progress thread has ended.
  class Hold {
   public:
    // nullptr: there is none.
    explicit Hold(ProgressThread* progress_thread);
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    ProgressThread* progress_thread_;
    std::unique_lock<std::recursive_mutex> lock_;
  };

 private:
  void run();
  bool advance_once();
  void wake(bool& why) noexcept;

  Work work_;
  std::recursive_mutex held_;  // by who works: the rank in its calls, or the thread
  int depth_ = 0;              // of the rank's holds
  std::exception_ptr failure_;
  bool told_ = false;  // of it
  std::mutex mutex_;   // of what follows
  std::condition_variable changed_;
  bool wanted_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace weir
