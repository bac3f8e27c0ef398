// SPDX-License-Identifier: Apache-2.0
// What every rank does in its calls of Weir: which puts there are, which cycles they make, and when memory runs full.
// It is the same on all ranks and follows from plans and memory alone (engine/pipeline.hpp, steps 1 to 5), so it is
// made once, before any time is simulated. Pure, Local.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/config.hpp"
#include "plan/planner.hpp"
#include "schedule/memory_budget.hpp"
#include "schedule/scheduler.hpp"
#include "schema/file_offsets.hpp"
#include "simulate/orders.hpp"
#include "simulate/packing.hpp"
#include "simulate/plan_cost.hpp"
#include "simulate/profile.hpp"
#include "simulate/workload.hpp"

namespace weir::simulate {

// The sink that a run would choose (formats/output_file.hpp), as far as time goes.
struct Target {
  SinkKind sink = SinkKind::direct;
  std::int64_t stripe_bytes = 0;  // that tiles are cut at
  bool parts = false;             // every owner writes a file of its own
  bool collective() const noexcept { return sink == SinkKind::pnetcdf; }
  bool stored() const noexcept { return !keeps_nothing(sink); }
};

// One round of one put.
struct Entry {
  const PlanCost* plan;
  std::size_t round;
  std::int64_t begin;                      // of the variable's record in the file
  const PackedVariable* packed = nullptr;  // nullptr: it lies there as it was put
  const RoundCost& costs() const noexcept { return plan->rounds[round]; }
};

// The pieces of a cycle's entries, those between the same two ranks together.
struct Traffic {
  struct Piece {
    int owner;  // or slot
    bool by_message;
    std::int64_t bytes;
  };
  struct Owner {  // of tiles; or a slot
    int owner;
    std::int64_t bytes = 0;
    std::int64_t received = 0;  // bytes by message, where owners are fixed
    std::int64_t sources = 0;   // ranks they come from; of a slot: ranks that hold a part of it
  };
  std::vector<std::uint32_t> first_piece;
  std::vector<Piece> pieces;
  std::vector<Owner> owners;       // ascending
  std::vector<std::int32_t> near;  // of slots: how many of their sources are on each host

  std::span<const Piece> pieces_of(int rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    return std::span(pieces).subspan(first_piece[at], first_piece[at + 1] - first_piece[at]);
  }
  const Owner* owner(int number) const noexcept;  // nullptr where it owns nothing
};

struct CycleScript {
  std::vector<Entry> entries;
  const Traffic* traffic = nullptr;
  std::int64_t tile_bytes = 0;  // reserved, of the neediest rank
  int slots = 0;                // where owners are not fixed
};

struct Act {
  enum class Kind { put, begin, agree, finish, make_room };  // agree: all ranks agree
  Kind kind;
  int cycle;
  std::size_t entry = 0;  // of a put
};

struct Script {
  std::vector<CycleScript> cycles;       // number c is at c - 1
  std::vector<std::vector<Act>> output;  // of each record; the fixed variables with the first one
  std::vector<Act> close;
  std::vector<int> writers;
  std::vector<bool> flushes;  // of each cycle: whether those before it are released first; empty: no agent says so
  int tile_buffers = fewest_tile_buffers;  // for tiles, on each rank
  std::int64_t high_water = 0;             // bytes reserved on the neediest rank
  std::int64_t plans = 0;

  std::vector<std::unique_ptr<PlanCost>> plan_costs;
  std::vector<std::unique_ptr<Traffic>> traffics;
  std::vector<PackedVariable> packed;  // of the workload's variables; empty in a classic file
  const CycleScript& cycle(int number) const noexcept { return cycles[static_cast<std::size_t>(number) - 1]; }
  int most_slots() const noexcept;  // of a cycle; 1 at least
};

struct ScriptInputs {
  const Workload& work;
  const Machine& machine;  // of all ranks that write or hold: the model's, and servers after them
  const Config& config;
  const Target& target;
  bool shared_memory;
  bool puts_alone;       // each put is a cycle: of libraries that write at every call
  const Orders& orders;  // empty: the configuration holds for all; else one for each put, each of which is a unit
  const Packing* packing = nullptr;  // nullptr: of a classic file
};

// Where the workload's variables lie in their file.
FileOffsets places_of(const Workload& work, const Config& config);
struct VariableRecord {
  std::size_t variable;
  std::int64_t record;
};
// What of that a plan depends on.
PlanPlace plan_place_of(const Workload& work, const FileOffsets& places, const VariableRecord& what, const Owning& own,
                        const CutRule& cuts);

// Throws Error(WEIR_EMEMORY) where the workload cannot be planned within buffer_limit.
Script make_script(const ScriptInputs& inputs);

}  // namespace weir::simulate
