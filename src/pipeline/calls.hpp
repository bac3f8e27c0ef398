// SPDX-License-Identifier: Apache-2.0
// One put and one get of one rank, as the pipeline takes them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plan/layout.hpp"
#include "plan/plan_key.hpp"
#include "plan/planner.hpp"
#include "put/stage.hpp"
#include "read/tile_source.hpp"
#include "write/open_file.hpp"

namespace weir {

struct Offer {
  OpenFile* file;
  int var;
  std::int64_t record;
  PlanKey key;
  const Layout* layout;
  Buffer buffer;
  ExternalValue fill;
};

// Records that a plan serves.
struct Want {
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
