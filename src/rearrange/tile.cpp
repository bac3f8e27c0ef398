// SPDX-License-Identifier: Apache-2.0
#include "rearrange/tile.hpp"

namespace weir {

void fill_holes(const Round& round, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept {
  for (const Stretch& hole : round.fills)
    fill_elements(tile + hole.at * element_bytes, hole.count, fill, element_bytes);
}

}  // namespace weir
