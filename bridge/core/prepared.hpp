// SPDX-License-Identifier: Apache-2.0
// A put in Weir's terms, whatever library's call it was; and puts that are kept until all ranks meet.
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

// Puts of this rank alone, in their order, with their values.
class KeptPuts {
 public:
  // Copies the values, where they are not packed. Local.
  void add(Prepared put);
  bool empty() const noexcept { return puts_.empty(); }
  std::int64_t bytes() const noexcept { return bytes_; }

  // All ranks put what they have kept, in as few calls as keep a later put of the same elements behind an earlier one;
  // nothing is kept then. Every rank makes as many calls of `put`, some of them with nothing. Throws Error where ranks
  // do not come. Collective.
  using Put = std::function<void(std::span<const LocalSlabs> parts, std::int64_t records, std::int64_t bytes)>;
  void put_all(const RankGroup& group, const Put& put);

 private:
  std::vector<Prepared> puts_;
  std::int64_t bytes_ = 0;
};

}  // namespace weir::bridge
