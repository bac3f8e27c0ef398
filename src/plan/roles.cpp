// SPDX-License-Identifier: Apache-2.0
#include "plan/roles.hpp"

#include "plan/strategies/strategies.hpp"

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

}  // namespace weir
