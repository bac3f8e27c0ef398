// SPDX-License-Identifier: Apache-2.0
// What a simulated rank holds under the dynamic flow: its duties, oldest first, as in flow/duty_list.hpp.
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "simulate/engine.hpp"
#include "simulate/network.hpp"

namespace weir::simulate {

struct Duty {
  int cycle;
  std::vector<int> seats;
  bool forced = false;
  bool begun = false;
  bool done = false;
};

struct Holder {
  std::deque<Duty> duties;
  std::vector<Message> asked;  // large messages that wait until this rank asks for them
  std::vector<Task> thread;    // its writer thread, once it has something to write
  int put = 0;                 // the last cycle whose pieces it has put
  int told = 0;                // up to here its tiles are written, as it has told its neighbours

  void pop_done() {
    while (!duties.empty() && duties.front().done) duties.pop_front();
  }
  // The oldest that the thread has not begun; nullptr: none.
  Duty* next() {
    const auto found = std::find_if(duties.begin(), duties.end(), [](const Duty& duty) { return !duty.begun; });
    return found == duties.end() ? nullptr : &*found;
  }
  int written_through() const {
    const auto found = std::find_if(duties.begin(), duties.end(), [](const Duty& duty) { return !duty.done; });
    return found == duties.end() ? put : found->cycle - 1;
  }
};

}  // namespace weir::simulate
