// SPDX-License-Identifier: Apache-2.0
#include "flow/write_limiter.hpp"

namespace weir {

// The plan's owners do not take turns.
int HostWriteLimiter::most(const PendingWrite& pending) const {
  if (control_.fixed()) return setup_.machine.ranks();
  if (setup_.config.writers_at_once > 0) return setup_.config.writers_at_once;
  return pending.one_at_a_time ? 1 : setup_.machine.ranks();
}

void WriteProgress::publish(std::uint32_t written) {
  if (!control_.by_window()) return;
  const std::lock_guard lock(publishing_);
  if (!later(written, published_)) return;
  published_ = written;
  world_.say_written(written);
}

void WriteProgress::restart(std::uint32_t cycle) {
  const std::lock_guard lock(publishing_);
  published_ = cycle;
}

}  // namespace weir
