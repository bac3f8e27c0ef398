// SPDX-License-Identifier: Apache-2.0
// One put and one get of one rank as the engine takes them, and the one copy that the model waits for. Local.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/pending_puts.hpp"
#include "engine/staging.hpp"
#include "flow/cycle.hpp"
#include "flow/reach.hpp"
#include "formats/open_file.hpp"
#include "formats/tile_source.hpp"
#include "plan/layout.hpp"
#include "plan/plan_key.hpp"
#include "plan/planner.hpp"
#include "rearrange/copy.hpp"

namespace weir {

// The one copy that the model waits for: from its buffer, with index swap, conversion and byte swap, straight to its
// offset in the holder's tile memory if this rank knows and reaches it, else into the message to the holder. Local;
// nothing allocates.

// The model's side of a put.
struct Buffer {
  const void* values;
  Type memory_type;
  Type external_type;
};

RangeFailure stage(const Cycle& cycle, const Entry& entry, const Buffer& buffer, Staging& staging, const Reach& reach);

// The requests that the pipeline takes: one put, or one get, of one rank.

struct PutRequest {
  OpenFile* file;
  int var;
  std::int64_t record;
  PlanKey key;
  const Layout* layout;
  Buffer buffer;
  ExternalValue fill;
};

// Records that a plan serves.
struct GetRequest {
  const OpenFile* file;
  std::shared_ptr<TileSource> source;
  int var;
  PlanKey key;
  const Layout* layout;
  Type external_type, memory_type;
  struct Record {
    std::int64_t number;
    void* values;
  };
  std::vector<Record> records;
};

}  // namespace weir
