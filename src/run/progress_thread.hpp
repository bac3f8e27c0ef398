// SPDX-License-Identifier: Apache-2.0
// The progress thread of a rank (progress: thread): while the model computes, a thread progresses messages between
// hosts, which would otherwise wait for the rank's next call: most MPI libraries move large messages only inside MPI
// calls. It calls MPI, so it wants MPI_THREAD_MULTIPLE, and it never runs while the rank is in a call of Weir's: all
// else stays as if there were one thread.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace weir {

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
