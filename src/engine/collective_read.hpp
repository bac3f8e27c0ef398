// SPDX-License-Identifier: Apache-2.0
// Collective reading: the path of a put, reversed.
//
//  1. read      The owners of a plan read their tiles, each from storage once, into the tile memory that puts use: as
//               many rounds at a time as it holds (a cycle).
//  2. agree All ranks learn whether all of it was read; else all get the error, and nothing of it is handed out.
//  3. exchange Ranks that cannot reach an owner's memory get their elements in a message, one a pair of ranks and
//  cycle.
//  4. get       Each rank takes its elements out of tiles and messages, in its type and order of axes.
//
// Cycles use two tile buffers in turn: after the agreement of one cycle, whose tiles are in one buffer, all ranks have
// taken theirs out of the other, and owners read the next cycle into that while they send and take (in the storage
// thread, if there is one). Nothing is put or written meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/tally.hpp"
#include "base/trace.hpp"
#include "engine/staging.hpp"
#include "flow/reach.hpp"
#include "formats/tile_source.hpp"
#include "mpi/comm.hpp"
#include "plan/plan.hpp"
#include "rearrange/copy.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

// One rank's part of what all ranks read of a variable's record: all but the buffer is alike on all of them.
struct ReadRequest {
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
    std::function<void(Status)> agree_at;  // throws what any rank brings; a barrier
  };
  explicit CollectiveRead(Parts parts) : parts_(std::move(parts)) {}

  // Grants the wishes, in cycles; values that did not fit their memory type are counted. What was put before has been
  // written. The caller's ranks agree once more before anything is put. Throws Error, alike on all ranks: from the
  // second cycle on the buffers of wishes may then be filled in part. Collective.
  RangeFailure execute(const std::shared_ptr<TileSource>& source, std::span<const ReadRequest> requests);

 private:
  // A round of a wish, with its place in the tile memory of every owner.
  struct Step {
    const ReadRequest* request;
    const ReadRound* round;
    std::int64_t tile;
  };
  struct Cycle {
    std::vector<Step> steps;
    Need used;
    int tile_buffer;
  };

  class Get;

  std::vector<Cycle> cycles_of(const TileSource& source, std::span<const ReadRequest> requests) const;
  bool begin_reading(const std::shared_ptr<TileSource>& source, const Cycle& cycle);
  Status end_reading(const TileSource& source);
  RangeFailure hand_out(const Cycle& cycle);
  void exchange(const Cycle& cycle);
  RangeFailure take(const Cycle& cycle);

  Parts parts_;
  ReadCount before_;  // the reading that has begun
};

}  // namespace weir
