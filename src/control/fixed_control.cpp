// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "control/control.hpp"

namespace weir {

namespace {

class FixedControl final : public Control {
 public:
  void offer(std::int64_t, int) override {}
  std::span<const Slot> slots(std::int64_t) override { return {}; }
  void written(std::int64_t, int) override {}
  bool from_thread() const noexcept override { return true; }
  void release(std::int64_t) override {}
  std::int64_t released() override { return std::numeric_limits<std::int64_t>::max(); }
  void restart(std::int64_t) override {}
  bool by_window() const noexcept override { return true; }
  bool fixed() const noexcept override { return true; }
};

}  // namespace

std::unique_ptr<Control> make_fixed_control() {
  return std::make_unique<FixedControl>();
}

}  // namespace weir
