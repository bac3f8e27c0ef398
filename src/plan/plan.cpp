// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

namespace weir {

void Summary::add(const Summary& other) noexcept {
  elements += other.elements;
  between_hosts += other.between_hosts;
  messages += other.messages;
  owners += other.owners;
  stretches += other.stretches;
  filled += other.filled;
}

Summary summarize(const Plan& plan, int rank, const Machine& machine) {
  Summary summary;
  for (const Round& round : plan.rounds) {
    for (const Outgoing& out : round.outgoing) {
      summary.elements += out.count;
      if (!machine.same_host(rank, out.owner)) summary.between_hosts += out.count;
      if (out.by_message) ++summary.messages;
    }
    if (round.tile_elements > 0) summary.owners = 1;
    summary.stretches += static_cast<std::int64_t>(round.stretches.size());
    for (const Stretch& fill : round.fills) summary.filled += fill.count;
  }
  return summary;
}

}  // namespace weir
