// SPDX-License-Identifier: Apache-2.0
#include "plan/reading_way.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_read_again = 20;            // a twentieth of a variable, for hosts that read for themselves
constexpr std::int64_t large_piece_bytes = 64LL << 10;  // on the average

}  // namespace

bool may_read_each_for_itself(const Config& config, const Machine& machine, bool shared_memory) noexcept {
  return machine.in_one_memory(shared_memory) && config.page_cache != PageCacheKind::past;
}

bool may_be_read_by_host(const PlanRequest& request, const Roles& roles, const Config& config, int hosts) noexcept {
  const StrategyKind kind = roles.strategy().kind();
  return request.read && !request.granule.any() && hosts > 1 && config.forward != ForwardKind::messages &&
         config.writers == 0 && config.writers_per_host == 1 && kind != StrategyKind::serial &&
         kind != StrategyKind::servers;
}

bool is_read_well_by_host(const ReadSums& sums, const PlanRequest& request) noexcept {
  const std::int64_t all = elements(request.shape), bytes = sums.elements * request.element_bytes;
  const bool small = sums.stretches <= request.hosts && bytes <= request.hosts * large_piece_bytes;
  const bool large = sums.elements <= all + all / most_read_again && bytes >= sums.stretches * large_piece_bytes;
  return small || large;
}

}  // namespace weir
