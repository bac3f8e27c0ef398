// SPDX-License-Identifier: Apache-2.0
#include "core/prepared.hpp"

#include <cstring>

namespace weir::bridge {

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

}  // namespace weir::bridge
