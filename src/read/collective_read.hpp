// SPDX-License-Identifier: Apache-2.0
// Reading that all ranks take part in: the path backwards.
//
//  1. read      The owners of a plan read their tiles, each from storage once, into the tile memory that puts use: as
//               many rounds at a time as it holds (a cycle).
//  2. meet      All ranks hear whether all of it was read; else all get the error, and nothing of it is handed out.
//  3. exchange  Who cannot reach an owner's memory gets its elements in a message, one a pair of ranks and cycle.
//  4. get       Each rank takes its elements out of tiles and messages, in its type and order of axes.
//
// Cycles take the two places of tile memory in turn: after the meeting of one, whose tiles lie in one place, all have
// taken theirs out of the other, and owners read the next one into that while they send and take (the thread for
// storage does it, where there is one). Nothing is put or written meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/tally.hpp"
#include "base/trace.hpp"
#include "memory/reach.hpp"
#include "memory/staging.hpp"
#include "mpi/comm.hpp"
#include "plan/read_plan.hpp"
#include "read/tile_source.hpp"
#include "rearrange/copy.hpp"
#include "write/storage_calls.hpp"

namespace weir {

// One rank's part of what all ranks read of a variable's record: all but the buffer is alike on all of them.
struct Wish {
  int var;
  std::int64_t record;
  const ReadPlan* plan;
  Type external_type, memory_type;
  Infinities infinities;
  void* values;
};

class CollectiveRead {
 public:
  struct Parts {
    const Comm& comm;
    const Reach& reach;
    Staging& staging;
    StorageCalls& storage;
    Tally& tally;
    Trace& trace;
    std::function<Deadline()> deadline;
    std::function<void(Status)> meet;  // throws what any rank brings; a barrier
  };
  explicit CollectiveRead(Parts parts) : parts_(std::move(parts)) {}

  // Grants the wishes, in cycles; values that did not fit their memory type are counted. What was put before has been
  // written. The caller's ranks meet once more before anything is put. Throws Error, alike on all ranks: from the
  // second cycle on the buffers of wishes may then be filled in part. Collective.
  RangeFailure grant(const std::shared_ptr<TileSource>& source, std::span<const Wish> wishes);

 private:
  // A round of a wish, with its place in the tile memory of every owner.
  struct Step {
    const Wish* wish;
    const ReadRound* round;
    std::int64_t tile;
  };
  struct Cycle {
    std::vector<Step> steps;
    Need used;
    int place;
  };

  class Get;

  std::vector<Cycle> cycles_of(const TileSource& source, std::span<const Wish> wishes) const;
  bool begin_reading(const std::shared_ptr<TileSource>& source, const Cycle& cycle);
  Status end_reading(const TileSource& source);
  RangeFailure hand_out(const Cycle& cycle);
  void exchange(const Cycle& cycle);
  RangeFailure take(const Cycle& cycle);

  Parts parts_;
  ReadCount before_;  // the reading that has begun
};

}  // namespace weir
