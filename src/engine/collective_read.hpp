// SPDX-License-Identifier: Apache-2.0
// Collective reading: the path of a put, reversed. engine/reading.hpp calls it with a plan; flow/steps.hpp has the
// order of its cycles.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/tally.hpp"
#include "base/trace.hpp"
#include "engine/staging.hpp"
#include "formats/tile_source.hpp"
#include "mpi/comm.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "rearrange/copy.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

// One rank's part of a record that all ranks read. All but `values` is the same on all ranks.
struct ReadRequest {
  int var;
  std::int64_t record;
  const ReadPlan* plan;
  Type external_type, memory_type;
  Infinities infinities;
  void* values;
};

// Reads a variable by a plan that was made for puts:
//
//  1. Read. The owners read their tiles, each from storage once, into tile memory: as many rounds at a time as fit (a
//     cycle).
//  2. Agree. All ranks learn whether all tiles were read; if not, all get the error, and no element is handed out.
//  3. Exchange. Ranks that cannot access an owner's memory get their elements in a message, one for each pair of ranks
//     and cycle.
//  4. Get. Each rank copies its elements from tiles and messages, in its type and order of axes.
//
// Cycles use two tile buffers in turn. After the agreement on a cycle, all ranks have copied the cycle before; its
// buffer is free, and the owners read the next cycle into it (the storage thread does) while the ranks exchange and
// copy.
// Requires: nothing is put or written meanwhile.
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
    std::function<void(Status)> agree_at;  // an agreement of all ranks: throws any rank's failure; a barrier
  };
  explicit CollectiveRead(Parts parts) : parts_(std::move(parts)) {}

  // Reads what the requests ask for.
  // Requires: what was put before is written; the rank's requests agree with those of the other ranks. All ranks agree
  // once more before they put anything.
  // Ensures: returns the values that did not fit their memory type. Tile memory and messages are free again.
  // Collective.
  // Thread: the rank's own; calls MPI. The storage thread reads the tiles.
  // Errors: alike on all ranks. After an error in the first cycle the buffers are as they were, in a later cycle they
  // are filled in part.
  RangeFailure execute(const std::shared_ptr<TileSource>& source, std::span<const ReadRequest> requests);

 private:
  // A round of a request, and its offset in every owner's tile memory.
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
  ReadCount before_;  // when the current reading began
};

}  // namespace weir
