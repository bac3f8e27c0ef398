// SPDX-License-Identifier: Apache-2.0
// Checks which ranks are alive. A rank whose deadline has passed asks rank 0, which asks all ranks; a rank that waits
// in a call of Weir answers the next time it polls, and says whether it is in a storage call. If a rank does not
// answer, the wait ends and that rank is named. If all answer and one of them is in a storage call, the storage is slow
// and no rank is missing: the wait continues. It also continues if a rank has returned from a storage call, and may be
// about to make the next one, until `timeout` has passed since then. Point-to-point messages only, so that it works
// where collectives are stuck.
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

class LivenessCheck final : public Watch {
 public:
  struct Options {
    double timeout_seconds = Deadline::usual_seconds;  // of waits: a liveness check takes no longer than these
    double storage_seconds = 0;                        // longest call to storage that is waited for; 0: any
    bool speaks = false;                               // rank 0 prints a line when it begins to wait for the storage
  };
  // Collective over `comm`.
  LivenessCheck(const Comm& comm, const Options& options, const Deadline& deadline);

  // This rank is in a call to storage while one lives. Any thread.
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
  // Watch: by the thread of the rank's calls.
  void look(double now) override;
  double extension(double seconds) override;
  // Of the last liveness check that ended a wait: "rank(s) 3, 5 did not answer", or what else is known; "" before there
  // was one.
  const std::string& diagnosis() const noexcept { return diagnosis_; }
  // On rank 0: that and for which ranks the storage was waited for, in one place.
  const std::vector<std::string>& notes() const noexcept { return notes_; }
  // For which the call to storage goes on that this rank is in; 0: it is in none. Any thread.
  double in_storage_seconds() const noexcept { return std::max(storage_seconds(), 0.0); }
  void abandon() noexcept { comm_.abandon(); }

 private:
  // What rank 0 found. As words: seconds to go on (in milliseconds), ranks that did not answer.
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
    double left_seconds = 0;  // until it is `timeout` that the last of those not in storage came out of it
  };

  void serve();
  void serve_as_first();
  void begin_poll();
  void hear(int rank, double storage_seconds);
  std::optional<Found> conclude();
  void tell(const Found& found);
  void answer();
  // Of a message whose sender may have ended in the middle of it.
  Deadline limit() const noexcept { return Deadline(options_.timeout_seconds); }
  double here(const Found& found, double seconds);
  // In the call to storage that this rank is in; below 0: since it came out of one, within `timeout`; 0: neither.
  double storage_seconds() const noexcept;
  void note(const Poll& poll);

  Comm comm_;
  Options options_;
  Outbox asks_, queries_, answers_, conclusions_;
  double poll_seconds_;  // for which rank 0 waits for answers
  double next_look_ = 0;
  std::atomic<int> in_storage_ = 0;
  std::atomic<double> storage_since_ = 0;
  std::atomic<double> storage_until_ = -1e300;  // when the last call to it ended
  std::set<int> askers_;
  std::optional<Poll> poll_;
  std::optional<Found> found_;  // told by rank 0, or found here
  std::string diagnosis_;
  std::vector<std::string> notes_;
  std::vector<std::int64_t> words_;
};

}  // namespace weir
