// SPDX-License-Identifier: Apache-2.0
// The simulated machine's storage: the files are the system's own, in a folder in memory; how long a call takes and
// what goes wrong in it comes from here.
#pragma once

#include <cerrno>
#include <map>
#include <optional>
#include <string>

#include "machine.hpp"
#include "platter.hpp"

namespace sim {

class Storage {
 public:
  enum class Action { error, less, nothing, slow };
  // Of the calls of a group that a process makes, those from `first` on, so many (0: all), go wrong.
  struct Fault {
    int process = -1;
    std::string group;
    long first = 1;
    long times = 1;
    Action action = Action::error;
    int error = 0;
    double seconds = 0;
  };

  Storage(std::string folder, double seconds_a_call, double bytes_a_second)
      : folder_(std::move(folder)), seconds_a_call_(seconds_a_call), bytes_a_second_(bytes_a_second) {}

  static Storage* used() noexcept { return used_; }
  static void use(Storage* storage) noexcept { used_ = storage; }

  bool here(const char* path) const { return std::string_view(path).starts_with(folder_); }
  // A call of the running process: takes its time, and says what goes wrong in it.
  std::optional<Fault> call(const char* name, const char* group, double bytes = 0);

  std::optional<Fault> fault;
  // Where the power may go.
  std::optional<Platter> platter;
  // Whether it has happened.
  bool fired() const noexcept { return fired_; }
  // Whether a call has failed of which the output depends.
  bool failed() const noexcept {
    const bool vital = fault && (fault->group == "write" || fault->group == "sync" || fault->group == "length" ||
                                 fault->group == "rename");
    return fired_ && vital &&
           (fault->action == Action::nothing || (fault->action == Action::error && fault->error != EINTR));
  }

 private:
  static Storage* used_;

  std::string folder_;
  double seconds_a_call_, bytes_a_second_;
  long calls_ = 0;  // of the fault's kind
  bool fired_ = false;
};

}  // namespace sim
