// SPDX-License-Identifier: Apache-2.0
#include "core/prepared.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/record_pieces.hpp"

namespace weir::bridge {

namespace {

// Whether a put may have elements of one that is in the batch.
bool meets(const Prepared& put, std::span<const LocalSlabs> batch) {
  return std::any_of(batch.begin(), batch.end(), [&](const LocalSlabs& other) {
    if (other.var != put.part.var) return false;
    for (const Slab& a : put.part.slabs)
      for (const Slab& b : other.slabs)
        if (may_meet(a, b)) return true;
    return other.type != put.part.type;
  });
}

}  // namespace

void pack_mapped(const void* values, int size, const Shape& count, const MPI_Offset* map,
                 std::vector<std::byte>& packed) {
  const auto* from = static_cast<const std::byte*>(values);
  Shape at(count.size(), 0);
  for (std::size_t to = 0; to < packed.size(); to += static_cast<std::size_t>(size)) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * map[d];
    std::memcpy(packed.data() + to, from + place * size, static_cast<std::size_t>(size));
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == count[d];) at[d] = 0;
  }
}

bool is_contiguous(const Shape& count, const MPI_Offset* map) {
  std::int64_t wanted = 1;
  for (std::size_t d = count.size(); d-- > 0; wanted *= count[d])
    if (map[d] != wanted) return false;
  return true;
}

void KeptPuts::add(Prepared put) {
  if (put.packed.empty() && put.elements > 0) {
    const auto* values = static_cast<const std::byte*>(put.part.values);
    put.packed.assign(values, values + put.elements * type_bytes(put.part.type));
    put.part.values = put.packed.data();
  }
  bytes_ += std::ssize(put.packed);
  puts_.push_back(std::move(put));
}

void KeptPuts::put_all(const RankGroup& group, const Put& put) {
  const std::vector<Prepared> kept = std::exchange(puts_, {});
  bytes_ = 0;
  std::size_t next = 0;
  for (;;) {
    std::int64_t left = next < kept.size() ? 1 : 0;
    allreduce_max(group.comm(), std::span(&left, 1), group.deadline(), "puts that ranks have made alone");
    if (left == 0) return;
    std::vector<LocalSlabs> batch;
    std::int64_t records = 0, bytes = 0;
    for (; next < kept.size() && !meets(kept[next], batch); ++next) {
      batch.push_back(kept[next].part);
      records = std::max(records, kept[next].records);
      bytes += kept[next].bytes;
    }
    put(batch, records, bytes);
  }
}

}  // namespace weir::bridge
