// SPDX-License-Identifier: Apache-2.0
// The status of a running program, for `weir watch`: a small JSON file next to the report, PATH.live, with what rank 0
// knows. instance/instance.cpp updates it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/tally.hpp"

namespace weir {

// How it works:
//
//  1. Rank 0 has one, if the report goes to a file. When a call of the model has ended a record or a commit, tell()
//     stores a copy of the counts: no message, no file, a few microseconds.
//  2. A thread writes them into PATH.live.new and renames it: at most once a second, if there is something new or the
//     model is in a long call, and else every ten seconds, so that a missing update means something.
//  3. end(true) removes the file, since the report is there. A killed run leaves it; a run that ends with an error
//     leaves it with "state": "ended".
//
// A hanging storage does not delay the rank: the thread is then detached. No method calls MPI.
class RunStatus {
 public:
  static constexpr int version = 1;
  static constexpr std::string_view ending = ".live";

  // Facts of the whole run.
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
  // Counts at the end of a call.
  struct Counts {
    Tally tally;  // of rank 0
    double call_seconds = 0;
    std::int64_t high_water_bytes = 0;  // of the rank of this host that has used most
    int files = 0;                      // opened so far
    std::vector<OpenFile> open;         // files that are being written
    std::string warning;                // the last one; "": none
  };
  // What the thread reads at any time. Requires: the functions may be called by any thread, until end().
  struct Sight {
    std::function<double()> call_seconds;     // spent by the model in Weir's calls
    std::function<double()> storage_seconds;  // in the current storage call; 0: in none
    std::function<std::string()> behind;      // ranks of this host that are behind rank 0: "3, 5"
  };

  RunStatus(const std::string& report_path, const Run& run, Sight sight);
  RunStatus(const RunStatus&) = delete;
  RunStatus& operator=(const RunStatus&) = delete;
  // Ends without a report.
  ~RunStatus() { end(false); }

  // Stores the counts, for the next update. Local.
  void tell(Counts counts);
  // Ends the updates; calls no function of the Sight afterwards. `well`: the report is there, and the file is removed.
  void end(bool well) noexcept;

 private:
  // Outlives this if the storage hangs.
  struct Shared;

  std::shared_ptr<Shared> shared_;
};

}  // namespace weir
