// SPDX-License-Identifier: Apache-2.0
// The one copy the model waits for: from its buffer, with index swap, conversion and byte swap, straight to the place
// in the owner's tile memory where this rank reaches it, else into the message to the owner. Local; nothing allocates.
#pragma once

#include <vector>

#include "put/batch.hpp"
#include "put/staging.hpp"

namespace weir {

// The model's side of a put.
struct Buffer {
  const void* values;
  Type memory_type;
  Type external_type;
};

// host_rank_of: number within the host of each rank of the model (of ranks on this host).
RangeFailure stage(const Entry& entry, const Buffer& buffer, Staging& staging, const std::vector<int>& host_rank_of);

}  // namespace weir
