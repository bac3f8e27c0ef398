// SPDX-License-Identifier: Apache-2.0
// A box of a variable in chunks, read by one rank alone: chunk by chunk, each unpacked once, straight into the model's
// buffer; records are a dimension like the others. Local.
#pragma once

#include <memory>

#include "read/chunked_source.hpp"
#include "rearrange/copy.hpp"
#include "write/storage_calls.hpp"

namespace weir {

struct StoredBox {
  int var;
  IndexView start, count;  // over all its dimensions
  Type type;
  ExternalValue beyond;  // what the variable has where the array in the file is too short
};

// Returns what did not fit the memory type. Throws Error as ChunkedSource does, or what `calls` throws of its own.
RangeFailure read_box(const std::shared_ptr<ChunkedSource>& source, const StoredBox& box, void* values,
                      Type memory_type, StorageCalls& calls);

}  // namespace weir
