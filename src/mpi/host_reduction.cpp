// SPDX-License-Identifier: Apache-2.0
#include "mpi/host_reduction.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "mpi/futex.hpp"

namespace weir {

void give_up(std::string_view what, const Deadline& deadline) {
  throw Error(WEIR_ETIMEOUT,
              std::string(what) + ": a rank did not reach this call within " + std::to_string(deadline.seconds()) + " s");
}

// No rank writes what another may still read: who leaves values has read the last meeting's largest, and that agreement
// was over when all had left theirs.
void HostReduction::max(std::span<std::int64_t> values, const Deadline& deadline, std::string_view what) {
  Slot& first = *slots_.front();
  std::copy(values.begin(), values.end(), slots_[own_]->values);
  ++meetings_;
  if (first.come.fetch_add(1, std::memory_order_acq_rel) + 1 == slots_.size())
    conclude(values.size());
  else
    wait(deadline, what);
  std::copy_n(first.largest, values.size(), values.begin());
}

void HostReduction::conclude(std::size_t values) noexcept {
  Slot& first = *slots_.front();
  std::copy_n(first.values, values, first.largest);
  for (const Slot* slot : slots_)
    for (std::size_t i = 0; i < values; ++i) first.largest[i] = std::max(first.largest[i], slot->values[i]);
  first.come.store(0, std::memory_order_relaxed);
  first.finished.store(meetings_, std::memory_order_release);
  wake_all(first.finished);
}

void HostReduction::wait(const Deadline& deadline, std::string_view what) const {
  std::atomic<std::uint32_t>& finished = slots_.front()->finished;
  for (Backoff backoff; finished.load(std::memory_order_acquire) != meetings_;) {
    look_();
    if (deadline.passed()) give_up(what, deadline);
    backoff.pause(Backoff::longest_sleep,
                   [&](int microseconds) { sleep_while(finished, meetings_ - 1, any_reason, microseconds); });
  }
}

}  // namespace weir
