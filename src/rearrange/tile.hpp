// SPDX-License-Identifier: Apache-2.0
// Prepares an owner's tile memory for writing, besides unpacking messages (copy.hpp): elements that no rank holds get
// the fill value. Local; nothing allocates.
#pragma once

#include "plan/plan.hpp"
#include "rearrange/copy.hpp"

namespace weir {

void fill_holes(const Round& round, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept;

}  // namespace weir
