// SPDX-License-Identifier: Apache-2.0
// Finds out which ranks still answer when a wait has passed its deadline, and which are in a storage call: a slow
// storage does not end a run, a missing rank does (contract 4; docs/decisions/017-waits-with-a-deadline.md).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/outbox.hpp"

namespace weir {

// A rank whose deadline has passed asks rank 0, which asks all ranks. A rank that waits in a call of Weir answers the
// next time it polls, and says whether it is in a storage call. If a rank does not answer, the wait ends and names it.
// If all answer and one is in a storage call, the wait continues. A rank that has returned from a storage call may soon
// make the next one, so the wait also continues until `timeout` has passed since it returned. Only point-to-point
// messages are used, so it works where collectives are stuck.
// Thread: the thread of the rank's calls, except InStorage and in_storage_seconds(): any.
class LivenessCheck final : public Watch {
 public:
  struct Options {
    double timeout_seconds = Deadline::usual_seconds;  // of waits; a liveness check takes no longer
    double storage_seconds = 0;                        // longest storage call that is waited for; 0: any
    bool speaks = false;                               // rank 0 prints a line when it begins to wait for storage
  };
  // Collective over `comm`, which it duplicates.
  LivenessCheck(const Comm& comm, const Options& options, const Deadline& deadline);

  // This rank is in a storage call as long as one lives. Any thread.
  class InStorage {
   public:
    explicit InStorage(LivenessCheck& liveness_check) noexcept;
    ~InStorage();
    InStorage(const InStorage&) = delete;
    InStorage& operator=(const InStorage&) = delete;

   private:
    LivenessCheck& liveness_check_;
  };

  const Options& options() const noexcept { return options_; }
  // Answers the questions that have arrived; called by waits. Does not wait.
  void look(double now) override;
  // Makes a check: returns by how many of `seconds` a wait continues; 0: it ends. Takes at most `timeout`.
  double extension(double seconds) override;
  // Returns the result of the last check that ended a wait: "rank(s) 3, 5 did not answer", or what else is known; "" if
  // there was none.
  const std::string& diagnosis() const noexcept { return diagnosis_; }
  // On rank 0: that storage was waited for, and the ranks in it; said once.
  const std::vector<std::string>& notes() const noexcept { return notes_; }
  // Seconds since the storage call began that this rank is in; 0: it is in none.
  double in_storage_seconds() const noexcept { return std::max(storage_seconds(), 0.0); }
  void abandon() noexcept { comm_.abandon(); }

 private:
  // What rank 0 has found.
  struct Found {
    double more_seconds = 0;
    std::vector<int> absent;
    double storage_seconds = 0;  // of the longest call
  };
  struct Poll {
    double end;
    std::set<int> heard;
    std::vector<int> in_storage;
    double longest_seconds = 0;
    double left_seconds = 0;  // until `timeout` has passed since the last of the others returned from storage
  };

  void serve();
  void serve_as_first();
  void begin_poll();
  void hear(int rank, double storage_seconds);
  std::optional<Found> conclude();
  void send_conclusion(const Found& found);
  void answer();
  // For a message whose sender may have ended before all of it was sent.
  Deadline limit() const noexcept { return Deadline(options_.timeout_seconds); }
  double here(const Found& found, double seconds);
  // Seconds in the current storage call; below 0: seconds since the last one returned, within `timeout`; 0: neither.
  double storage_seconds() const noexcept;
  void note(const Poll& poll);

  Comm comm_;
  Options options_;
  Outbox asks_, queries_, answers_, conclusions_;
  double poll_seconds_;  // how long rank 0 waits for answers
  double next_look_ = 0;
  std::atomic<int> in_storage_ = 0;
  std::atomic<double> storage_since_ = 0;
  std::atomic<double> storage_until_ = -1e300;  // when the last call to it ended
  std::set<int> askers_;
  std::optional<Poll> poll_;
  std::optional<Found> found_;  // received from rank 0, or found here
  std::string diagnosis_;
  std::vector<std::string> notes_;
  std::vector<std::int64_t> words_;
};

}  // namespace weir
