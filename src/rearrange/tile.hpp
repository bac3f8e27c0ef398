// SPDX-License-Identifier: Apache-2.0
// What an owner does to its tile memory before it is written: pieces that came in messages go to their places, elements
// that nobody holds get the fill value. Local; nothing allocates.
#pragma once

#include "plan/plan.hpp"
#include "rearrange/copy.hpp"

namespace weir {

// `received`: this source's message, from the first byte of this round's piece on.
void place_received(const Incoming& incoming, const std::byte* received, std::byte* tile, int element_bytes) noexcept;

void fill_holes(const Round& round, std::byte* tile, const ExternalValue& fill, int element_bytes) noexcept;

}  // namespace weir
