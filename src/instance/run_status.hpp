// SPDX-License-Identifier: Apache-2.0
// The status of a run in progress, for `weir watch`: a small JSON file next to the report, PATH.live. Told once:
//
//  1. Rank 0 keeps it, where the report goes to a file. When a call of the model's has ended a record or a commit, the
//     rank leaves a copy of its counts here: no message, no file, a few microseconds.
//  2. A thread writes them into PATH.live.new and renames it, at most once a second: where there is something new,
//     while the model is in a call of Weir's that goes on, and else every ten seconds, so that silence means
//     something.
//  3. A run that ends well takes the file away: its report is there. One that was killed leaves it; one that ends by
//     an error leaves it with "state": "ended".
//
// All is what rank 0 knows by itself. A storage that hangs holds up nobody: the thread is then left alone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/tally.hpp"

namespace weir {

class RunStatus {
 public:
  static constexpr int version = 1;
  static constexpr std::string_view ending = ".live";

  // Of the whole run.
  struct Run {
    std::string strategy;
    int ranks = 0, hosts = 0;
    std::int64_t buffer_limit_bytes = 0;
    double began = 0;  // now_seconds()
  };
  struct OpenFile {
    std::string path;
    std::int64_t records = 0, committed = 0;
  };
  // At the end of a call.
  struct Counts {
    Tally tally;  // of rank 0
    double call_seconds = 0;
    std::int64_t high_water_bytes = 0;  // of the fullest rank of this host
    int files = 0;                      // opened until now
    std::vector<OpenFile> open;         // that are being written
    std::string warning;                // the last one; "" where there is none
  };
  // What can be seen at any time, by any thread.
  struct Sight {
    std::function<double()> call_seconds;     // that the model has been in Weir's calls
    std::function<double()> storage_seconds;  // in the call to storage that goes on; 0: in none
    std::function<std::string()> behind;      // ranks of this host that are not where rank 0 is: "3, 5"
  };

  RunStatus(const std::string& report_path, const Run& run, Sight sight);
  RunStatus(const RunStatus&) = delete;
  RunStatus& operator=(const RunStatus&) = delete;
  // The run ends without a report.
  ~RunStatus() { end(false); }

  void tell(Counts counts);
  // Nothing is asked of the sight any more. well: the report is there, and the file goes.
  void end(bool well) noexcept;

 private:
  // Outlives the status where the storage hangs.
  struct Shared;
  static void write_on(const std::shared_ptr<Shared>& shared);

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace weir
