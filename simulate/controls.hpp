// SPDX-License-Identifier: Apache-2.0
// The controls of a simulated job: those of a run (schedule/control.hpp), one for each rank. What every rank of a run
// would come to by itself, from events that all see alike, is decided once for all of them. What is modelled is how
// long words take to the control rank and back, and how long it takes over each. Pure, Local.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "schedule/control.hpp"
#include "simulate/job.hpp"

namespace weir::simulate {

class Controls {
 public:
  Controls() = default;
  // world: what the controls talk through, kept for them.
  Controls(std::vector<std::unique_ptr<weir::Control>> controls, std::shared_ptr<void> world)
      : world_(std::move(world)), controls_(std::move(controls)) {}
  weir::Control* of(int rank) noexcept { return controls_[static_cast<std::size_t>(rank)].get(); }
  std::int64_t messages() const noexcept;

 private:
  std::shared_ptr<void> world_;
  std::vector<std::unique_ptr<weir::Control>> controls_;
};

// window: units under way. tell: a rank has something to hear.
Controls make_controls(Job& job, int window, const std::function<void(int)>& tell);

}  // namespace weir::simulate
