// SPDX-License-Identifier: Apache-2.0
// A put in Weir's terms, whichever library's call it was; and puts that are kept until all ranks take part in one
// collective call.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/rank_group.hpp"
#include "core/shares.hpp"

namespace weir::bridge {

// Where its elements do not lie in memory one after another, they are packed.
struct Prepared {
  LocalSlabs part;
  std::vector<std::byte> packed;
  std::int64_t elements = 0;
  std::int64_t bytes = 0;    // in the file's type
  std::int64_t records = 0;  // what the record count becomes at least
};

// Elements of `size` bytes that lie in memory at distances of `map`, one after another. Local.
void pack_mapped(const void* values, int size, const Shape& count, const MPI_Offset* map,
                 std::vector<std::byte>& packed);
// Whether they do so already.
bool is_contiguous(const Shape& count, const MPI_Offset* map);

// Puts that wait, with their values: of this rank alone, and this rank's parts of calls that all ranks made together.
class KeptPuts {
 public:
  // Copies the values, where they are not packed. Local.
  void add(Prepared put);
  // A call of all ranks: the variable, and the records that it puts, alike on all of them (0 to 1 of one without).
  struct Together {
    int var;
    std::int64_t first_record, last_record;  // behind the last one
  };
  // This rank's part of it, which may be nothing: every rank comes here for each such call. Local.
  void add_together(const Together& call, Prepared put);
  bool empty() const noexcept { return puts_.empty(); }
  // Whether this rank has kept puts of a variable.
  bool has(int var) const noexcept;
  std::int64_t bytes() const noexcept { return bytes_; }

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
  // A call of all ranks is an odd step, what ranks put alone between two of them an even one: alike on all ranks.
  struct Kept {
    Prepared put;
    std::size_t step;
  };

  std::vector<Kept> puts_;
  std::vector<Together> calls_;
  std::int64_t bytes_ = 0;
};

}  // namespace weir::bridge
