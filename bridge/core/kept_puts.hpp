// SPDX-License-Identifier: Apache-2.0
// Puts that wait, with their values, until all ranks take part in one collective call: of this rank alone, and this
// rank's parts of calls that all ranks made together. slab_list.hpp says how much memory a put takes beside its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/prepared.hpp"
#include "core/rank_group.hpp"
#include "core/slab_list.hpp"

namespace weir::bridge {

// What one call after another put of a variable, with one type in memory.
struct KeptValues {
  Type type;
  SlabList slabs;
  std::vector<std::byte> values;
  std::int64_t records = 0, element_bytes = 0;  // these in the file's type
};

// A call of all ranks is an odd step, what ranks put alone between two of them an even one: alike on all ranks.
using StepAndVariable = std::pair<std::size_t, int>;
using KeptByStep = std::map<StepAndVariable, std::vector<KeptValues>>;

class KeptPuts {
 public:
  // Copies the values. Local.
  void add(const Prepared& put) { keep(put, 2 * calls_.size()); }
  // A call of all ranks: the variable, and the records that it puts, alike on all of them (0 to 1 of one without).
  struct Together {
    int var;
    std::int64_t first_record, last_record;  // behind the last one
  };
  // This rank's part of it, which may be nothing: every rank comes here for each such call. Local.
  void add_together(const Together& call, const Prepared& put);
  bool empty() const noexcept { return kept_.empty(); }
  // Whether this rank has kept puts of a variable.
  bool has(int var) const noexcept;
  std::int64_t bytes() const noexcept { return bytes_; }  // of the values

  // All ranks put what they have kept; nothing is kept then. What one call of all ranks put lies over what any rank put
  // before it, and below what any rank puts after it; of a rank's own puts the later one lies above. `put` is called as
  // often on every rank, sometimes with nothing, and returns false where ranks hold the same elements, and not all of
  // them the same ones. Puts of ranks alone have no order among each other: they are then put once more, rank after
  // rank. Throws Error where ranks do not come. Collective.
  struct Batch {
    std::span<const LocalSlabs> parts;
    std::int64_t records = 0, bytes = 0;
  };
  using Put = std::function<bool(const Batch& batch)>;
  // `refused` is called on all ranks where `put` has returned false for a call of all ranks.
  void put_all(const RankGroup& group, const Put& put, const std::function<void()>& refused);

 private:
  void keep(const Prepared& put, std::size_t step);

  KeptByStep kept_;
  std::vector<Together> calls_;
  std::int64_t bytes_ = 0;
};

}  // namespace weir::bridge
