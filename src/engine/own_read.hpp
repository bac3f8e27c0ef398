// SPDX-License-Identifier: Apache-2.0
// Reading in which each rank owns what it needs: of a file that all ranks find in the page cache of one host, where
// tiles would cost one more copy and an agreement. The page cache then has the role of tile memory: a page leaves
// storage once, even if several ranks need it.
//
//  1. plan   A rank cuts the file order of what it wants into blocks of bounded size, gaps that are cheaper read than
//            jumped included: made once a layout, by the rank alone. No rank hears of another's.
//  2. read   A block is taken by the rank's own thread as far as it is at hand,
//            which cannot take long. What is not at hand is taken by the thread
//            that calls storage.
//  3. get    The block is decoded to its places in the model's buffer while it is warm.
//
// All of it is Local; ranks agree before, to agree that they read so and that the file is what it was, and after.
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

// One rank's reading of a layout; positions are in elements. Immutable.
struct OwnPlan {
  struct Block {
    std::vector<Stretch> stretches;  // `at` counts from the block's memory
    CopyProgram program;             // from there to the model's buffer
    std::int64_t elements = 0;       // that the memory has
  };
  std::vector<Block> blocks;
  std::int64_t elements_wanted = 0, elements_read = 0;
};

// Whether a rank's pieces of a layout are long enough for it, before anything is made of them: shorter ones, which
// other ranks' lie between, are read by owners.
bool has_long_runs(const Layout& layout, int element_bytes);
// Blocks of at most so many bytes, and an element at least.
OwnPlan plan_own(const Layout& layout, int element_bytes, std::int64_t most_bytes);
// Whether the gaps that it reads are worth it.
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

class OwnRead {
 public:
  struct Parts {
    StorageCalls& storage;
    Tally& tally;
    Trace& trace;
  };
  explicit OwnRead(Parts parts) : parts_(parts) {}

  // Fills the wish's buffer; what did not fit its memory type is added to `failure`. Where storage fails the rest of
  // the buffer is as it was; that a file was cut off meanwhile is such a failure too. Throws what storage calls throw
  // of their own.
  Status execute(const std::shared_ptr<TileSource>& source, const OwnReadRequest& wish, RangeFailure& failure);

 private:
  using Memory = std::shared_ptr<std::vector<std::byte>>;
  Status read(const std::shared_ptr<TileSource>& source, const OwnReadRequest& wish, std::size_t block);

  Parts parts_;
  Memory memory_;  // a read that was left has it to itself
};

}  // namespace weir
