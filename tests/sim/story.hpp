// SPDX-License-Identifier: Apache-2.0
// What is told of a run of the simulated machine: what happens, line by line, and what must not happen.
#pragma once

#include <string>

namespace sim {

struct Task;

class Story {
 public:
  // Of a machine's clock, and of who is at work there; null: nobody.
  Story(const double& now, Task* const& at_work) noexcept : now_(now), at_work_(at_work) {}

  // A line, if anybody wants to read it.
  bool tells = false;
  void tell(const std::string& line) const;

  // What must not be, in a sentence; the first one stays.
  void violated(const std::string& sentence);
  const std::string& violation() const noexcept { return violation_; }

  // A sleep that ran out although what it waited for had come: nobody has woken the sleeper.
  void overslept() noexcept { ++overslept_; }
  int times_overslept() const noexcept { return overslept_; }

 private:
  const double& now_;
  Task* const& at_work_;
  int overslept_ = 0;
  std::string violation_;
};

}  // namespace sim
