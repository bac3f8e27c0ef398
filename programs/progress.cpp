// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace weir::bench {

bool somebody_watches() {
  return ::isatty(STDERR_FILENO) != 0 || std::getenv("WEIR_BENCH_TERMINAL") != nullptr;
}

Progress::Progress(int steps, bool wanted)
    : steps_(steps), shown_(wanted && somebody_watches()), begin_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
}

void Progress::step(const std::string& next) {
  if (!shown_) return;
  constexpr int width = 24;
  const int filled = done_ * width / steps_;
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  std::cerr << "\r\033[K[" << std::string(filled, '#') << std::string(width - filled, ' ') << "] " << done_ << "/"
            << steps_ << "  " << next;
  if (done_ > 0) std::cerr << "  " << static_cast<int>(spent / done_ * (steps_ - done_) + 0.5) << " s left";
  std::cerr << std::flush;
  ++done_;
}

}  // namespace weir::bench
