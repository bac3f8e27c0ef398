// SPDX-License-Identifier: Apache-2.0
// The roles of the ranks: the strategy, and the ranks that own its tiles, for writing and for reading. Alike on all
// ranks. Pure.
#pragma once

#include <memory>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"
#include "plan/plan_key.hpp"
#include "plan/strategy.hpp"

namespace weir {

class Roles {
 public:
  // As the configuration says now; where that changes, new roles are made of it. Both outlive this.
  Roles(const Config& config, const Machine& machine);

  const Strategy& strategy() const noexcept { return *strategy_; }
  const std::vector<int>& writers() const noexcept { return writers_; }
  // Of a variable with this granule. All ranks, host by host, where the strategy goes by group and the variable cannot,
  // and where compressing takes longer than writing and the configuration does not say how many are to do it.
  const std::vector<int>& writers_of(const Granule& granule) const noexcept;
  // By which tiles are read: the strategy that writes, where it cuts a variable by range, else remap.
  const Strategy& reading_strategy() const noexcept { return strategy_->by_group() ? *by_range_ : *strategy_; }
  // By which a host's ranks have one of them read what they want (plan/reading_way.hpp).
  const Strategy& host_strategy() const noexcept { return *by_host_; }
  // Of a variable with this granule: all ranks where unpacking takes longer than reading, and neither the strategy nor
  // the configuration says who is to do it.
  const std::vector<int>& readers_of(const Granule& granule) const noexcept;
  // The owners of a variable with this granule that is put, or is read, and by whom it is cut. Hold while this does.
  Owners owners(const Granule& granule, bool read) const noexcept;
  Owning owning(const Granule& granule, bool read) const noexcept;

 private:
  const Config* config_;
  int hosts_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<int> writers_;
  std::vector<int> all_ranks_;
  std::unique_ptr<Strategy> by_range_;  // reads where the strategy that writes cuts nothing by range
  std::vector<int> readers_;            // then
  std::unique_ptr<Strategy> by_host_;
};

}  // namespace weir
