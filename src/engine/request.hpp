// SPDX-License-Identifier: Apache-2.0
// A put or get of one rank as the engine takes it. engine/pipeline.hpp takes requests.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/pending_puts.hpp"
#include "formats/open_file.hpp"
#include "formats/tile_source.hpp"
#include "plan/layout.hpp"
#include "plan/planner.hpp"

namespace weir {

// One put of one rank.
struct PutRequest {
  OpenFile* file;
  int var;
  std::int64_t record;
  PlanKey key;
  const Layout* layout;
  Buffer buffer;
  ExternalValue fill;
};

// One get of one rank: the records that one plan serves.
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
