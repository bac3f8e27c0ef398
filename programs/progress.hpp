// SPDX-License-Identifier: Apache-2.0
// One line on the terminal that says how far a run is. Local.
#pragma once

#include <chrono>
#include <string>

namespace weir::bench {

// Under mpirun standard error is a pipe, and tools/launch says whether a terminal is behind it.
bool somebody_watches();

class Progress {
 public:
  // Shows nothing where no terminal is behind standard error or `wanted` is false.
  Progress(int steps, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const std::string& next);  // says what begins now

 private:
  int steps_;
  int done_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace weir::bench
