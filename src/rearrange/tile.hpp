// SPDX-License-Identifier: Apache-2.0
// What an owner does to its tile memory before it is written, beside placing what came in messages (copy.hpp): elements
// that nobody holds get the fill value. Local; nothing allocates.
#pragma once

#include "plan/plan.hpp"
#include "rearrange/copy.hpp"

namespace weir {

void fill_holes(const Round& round, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept;

}  // namespace weir
