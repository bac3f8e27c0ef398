// SPDX-License-Identifier: Apache-2.0
// A random model for a format that packs: its variables in random chunks through random filters.
#pragma once

#include "conformance/model.hpp"

namespace conformance {

inline void pack(Model& model, int mode, std::uint64_t seed, bool zstd) {
  Random random(seed);
  model.mode = mode;
  model.alignment = {0, 0, 0};
  for (ModelVariable& variable : model.variables) {
    if (variable.dims.empty()) continue;
    Packing& packing = variable.packing;
    packing.shuffle = happens(random, 50);
    packing.fletcher32 = happens(random, 30);
    if (happens(random, 60)) packing.deflate_level = static_cast<int>(draw(random, 0, 9));
    if (zstd && happens(random, 40)) packing.zstd_level = static_cast<int>(draw(random, 1, 9));
    if (happens(random, 30)) continue;
    for (const std::int64_t length : variable.shape) packing.chunk.push_back(draw(random, 1, length));
    if (variable.record) packing.chunk.insert(packing.chunk.begin(), happens(random, 50) ? 1 : draw(random, 2, 5));
  }
}

}  // namespace conformance
