// SPDX-License-Identifier: Apache-2.0
#include "storage.hpp"

namespace sim {

Storage* Storage::used_ = nullptr;

std::optional<Storage::Fault> Storage::call(const char* name, const char* group, double bytes) {
  Machine& machine = *Machine::running();
  machine.point(name);
  const bool meant = fault && machine.rank() == fault->process && fault->group == group;
  if (meant) ++calls_;
  const bool wrong = meant && calls_ >= fault->first && (fault->times == 0 || calls_ < fault->first + fault->times);
  machine.pass(machine.chance().scaled(seconds_a_call_, 10 * seconds_a_call_) + bytes / bytes_a_second_);
  if (wrong) {
    fired_ = true;
    machine.story().tell("here storage goes wrong");
    if (fault->action == Action::slow) machine.sleep(fault->seconds);
  }
  machine.process().stored_until = machine.now();
  return wrong ? fault : std::nullopt;
}

}  // namespace sim
