// SPDX-License-Identifier: Apache-2.0
// Reading in which each rank reads for itself, where one host has the whole file in its page cache: tiles would cost
// one more copy and an agreement. engine/reading.hpp decides whether ranks read so.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "formats/tile_source.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"
#include "rearrange/copy.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

// One rank's plan to read a layout; positions are in elements. Immutable. The three steps of reading by it:
//
//  1. Plan. The rank cuts the file order of its elements into blocks of bounded size. A gap that is cheaper to read
//     than to skip is read (data sieving). The rank makes the plan alone, once for each layout.
//  2. Read. The rank's own thread reads as much of a block as is cached, which cannot take long. The storage thread
//     reads the rest.
//  3. Get. The rank decodes the block into the model's buffer while it is in the processor's cache.
//
// All steps are Local. Ranks agree before and after.
struct OwnPlan {
  struct Block {
    std::vector<Stretch> stretches;  // `at` counts from the block's memory
    CopyProgram program;             // from the block's memory to the model's buffer
    std::int64_t elements = 0;       // of the block's memory
  };
  std::vector<Block> blocks;
  std::int64_t elements_wanted = 0, elements_read = 0;
};

// Returns whether the pieces of a layout are long enough to be read by their rank. Shorter ones, between pieces of
// other ranks, are read by owners. Pure.
bool has_long_runs(const Layout& layout, int element_bytes);
// Returns the plan. A block has at most `most_bytes`, and at least one element. Pure.
OwnPlan plan_own(const Layout& layout, int element_bytes, std::int64_t most_bytes);
// Returns whether the plan reads few bytes that the rank does not need. Pure.
bool reads_little_more(const OwnPlan& plan, int element_bytes) noexcept;
std::int64_t memory_bytes(const OwnPlan& plan) noexcept;

struct OwnReadRequest {
  int var;
  std::int64_t record;
  std::shared_ptr<const OwnPlan> plan;
  Type external_type, memory_type;
  Infinities infinities;
  void* values;
};

// Reads records by a plan. Local, no MPI.
class OwnRead {
 public:
  struct Parts {
    StorageCalls& storage;
    Tally& tally;
    Trace& trace;
  };
  explicit OwnRead(Parts parts) : parts_(parts) {}

  // Reads one record into the request's buffer.
  // Ensures: values that did not fit their memory type are added to `failure`.
  // Thread: the rank's own; the storage thread reads what is not cached.
  // Errors: returns the storage's failure, also if the file was truncated meanwhile; the buffer is filled in part.
  // Throws WEIR_ETIMEOUT.
  Status execute(const std::shared_ptr<TileSource>& source, const OwnReadRequest& wish, RangeFailure& failure);

 private:
  using Memory = std::shared_ptr<std::vector<std::byte>>;
  Status read(const std::shared_ptr<TileSource>& source, const OwnReadRequest& wish, std::size_t block);

  Parts parts_;
  Memory memory_;  // shared with a read that timed out, which keeps it
};

}  // namespace weir
