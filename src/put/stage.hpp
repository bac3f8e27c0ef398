// SPDX-License-Identifier: Apache-2.0
// The one copy that the model waits for: from its buffer, with index swap, conversion and byte swap, straight to its
// offset in the holder's tile memory if this rank knows and reaches it, else into the message to the holder. Local;
// nothing allocates.
#pragma once

#include "flow/cycle.hpp"
#include "memory/reach.hpp"
#include "memory/staging.hpp"
#include "put/batch.hpp"
#include "rearrange/copy.hpp"

namespace weir {

// The model's side of a put.
struct Buffer {
  const void* values;
  Type memory_type;
  Type external_type;
};

// Pieces that come to their holder, but not to their places (debug.leave_out: place): as they lie in the buffer, one
// owner's after another's. What was copied is of no use but to be timed.
void stage_unplaced(const Cycle& cycle, const Entry& entry, const Buffer& buffer, Staging& staging, const Reach& reach);

RangeFailure stage(const Cycle& cycle, const Entry& entry, const Buffer& buffer, Staging& staging, const Reach& reach);

}  // namespace weir
