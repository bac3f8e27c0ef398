// SPDX-License-Identifier: Apache-2.0
#include "pipeline/recovery.hpp"

namespace weir {

namespace {

constexpr std::int64_t recovery_point = 105;

}  // namespace

void Recovery::recover() {
  cycles_.drop();
  meetings_.forget();
  plans_.forget_uses();
  Question cycle{cycles_.number(), true};
  const Point point{recovery_point, 0, "recovery", nullptr};
  static_cast<void>(agree(rank_.comm, point, {}, rank_.deadline(), &cycle));
  cycles_.end(static_cast<std::uint32_t>(cycle.value));
  Question numbers{rank_.layouts.next(), true};
  static_cast<void>(agree(rank_.comm, point, {}, rank_.deadline(), &numbers));
  rank_.layouts.restart(static_cast<int>(numbers.value));
  cycles_.restart();
  static_cast<void>(agree(rank_.comm, point, {}, rank_.deadline()));
}

}  // namespace weir
