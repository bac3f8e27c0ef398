// SPDX-License-Identifier: Apache-2.0
#include "story.hpp"

#include <cstdio>

#include "machine.hpp"

namespace sim {

void Story::violated(const std::string& sentence) {
  if (violation_.empty()) violation_ = sentence;
  tell("VIOLATED: " + sentence);
}

void Story::tell(const std::string& line) const {
  if (!tells) return;
  if (at_work_)
    std::printf("%14.6f  rank %d%s  %s\n", now_, at_work_->process, at_work_->main ? "  " : " T", line.c_str());
  else
    std::printf("%14.6f  %s\n", now_, line.c_str());
}

}  // namespace sim
