// SPDX-License-Identifier: Apache-2.0
#include "plan/roles.hpp"

#include <set>

#include "plan/strategies.hpp"

namespace weir {

Roles::Roles(const Config& config, const Machine& machine)
    : config_(&config),
      hosts_(machine.hosts()),
      strategy_(make_strategy(config)),
      writers_(strategy_->writers(machine, config)),
      by_range_(make_range_strategy()),
      readers_(by_range_->writers(machine, config)),
      by_host_(make_hosts()) {
  for (const auto& ranks : machine.ranks_of) all_ranks_.insert(all_ranks_.end(), ranks.begin(), ranks.end());
}

const std::vector<int>& Roles::writers_of(const Granule& granule) const noexcept {
  const bool all = strategy_->by_group() || (granule.packed && strategy_->all_compress() && config_->writers == 0);
  return granule.any() && all ? all_ranks_ : writers_;
}

std::vector<int> Roles::packing_hosts(const Machine& machine) const {
  const bool any_rank = strategy_->kind() == StrategyKind::dynamic;
  std::set<int> hosts;
  for (const int rank : any_rank ? all_ranks_ : writers_of(Granule{1, 1, true}))
    hosts.insert(machine.host_of[static_cast<std::size_t>(rank)]);
  return {hosts.begin(), hosts.end()};
}

const std::vector<int>& Roles::readers_of(const Granule& granule) const noexcept {
  const bool dynamic = strategy_->kind() == StrategyKind::dynamic;
  const bool open = dynamic ? config_->writers_per_variable == 0
                            : (strategy_->all_compress() || strategy_->by_group()) && config_->writers == 0;
  if (granule.packed && open) return all_ranks_;
  return strategy_->by_group() ? readers_ : writers_;
}

Owners Roles::owners(const Granule& granule, bool read) const noexcept {
  return {read ? readers_of(granule) : writers_of(granule), hosts_, config_->bundle_bytes};
}

Owning Roles::owning(const Granule& granule, bool read) const noexcept {
  return {read ? reading_strategy() : strategy(), owners(granule, read)};
}

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
