// SPDX-License-Identifier: Apache-2.0
#include "run/run_flow.hpp"

#include <utility>

#include "run/writer_thread.hpp"

namespace weir {

RunFlow::RunFlow(const RunParts& parts, std::unique_ptr<Control> control, int window)
    : parts_(parts),
      control_(std::move(control)),
      world_(parts),
      flow_(world_, {parts.config, parts.machine, window}, *control_) {}

void RunFlow::end(std::uint32_t cycle) {
  flow_.drop();
  world_.transport().drain(parts_.deadline());
  control_->end(cycle);
}

void RunFlow::restart(std::uint32_t cycle) {
  flow_.restart(cycle);
  control_->restart(cycle);
  parts_.staging.give_back(cycle);
}

bool RunFlow::abandon() noexcept {
  control_->abandon();
  world_.transport().abandon();
  auto* thread = static_cast<WriterThread*>(flow_.task());
  return !thread || thread->abandon();
}

}  // namespace weir
