// SPDX-License-Identifier: Apache-2.0
// A stretch of a tile, as input of the packer. Local.
#pragma once

#include "plan/plan.hpp"
#include "schema/schema.hpp"
#include "write/packing/packer.hpp"

namespace weir {

// `memory`: the tile's, where the stretch begins. Its values are quantized there, where the variable is to be.
Packer::Source packer_source(const Schema& schema, int var, const Stretch& stretch, std::byte* memory,
                             std::span<const FilterStep> filters);

}  // namespace weir
