// SPDX-License-Identifier: Apache-2.0
// Planning, in one place.
//
//  1. claim    Every rank cuts what it holds along the tiles of the strategy and tells each tile's *directory* (a rank
//              that follows from the tile alone) the boxes it holds of it. No rank ever sees all layouts: the directory
//              is distributed, as in YAXT.
//  2. appoint  A directory examines its tiles: an element claimed twice is an error, an element not claimed is a hole.
//              It appoints the tile's owner (a tile by range may move to a writer on the host that holds most of it)
//              and passes the claims and the holes on to it. Groups may overlap each other, so under a strategy by
//              group the elements are claimed a second time, along plain cuts of the file order, for examination only
//              (audit).
//  3. arrange An owner lays out its tile memory and answers each claimant with the offset of each of its boxes.
//  4. finish A claimant turns offsets into copy programs.
//
// A plan to read is the same with the roles reversed: ranks claim what they need, several may need one element, and
// only the needed part of a tile has memory. `read_plan.hpp` reverses the copies.
//
// The planner is one rank's part of this, without MPI: its caller transports the messages (MPI in a run, a loop in the
// simulator and in tests). Each step consumes what the others' last step sent. All of it is Local and pure: same
// inputs, same plan.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/messages.hpp"
#include "plan/plan.hpp"
#include "plan/strategy.hpp"
#include "plan/tile_memory.hpp"

namespace weir {

struct TileId {
  enum class Kind : std::int64_t { range, group, audit };
  Kind kind;
  std::int64_t key;  // range: number of the tile; group: label of the group; audit: number of the cut
  std::int64_t round;
  auto operator<=>(const TileId&) const = default;
};

// A cut of the file order: tiles by range, rounds of groups, audits.
struct Cut {
  TileId id;
  std::int64_t first, last;
  int directory;  // by group: follows from the label
};

// Cuts in file order, and which of them have a rank for their directory.
class CutList {
 public:
  CutList() = default;
  explicit CutList(std::vector<Cut> cuts);

  const std::vector<Cut>& cuts() const noexcept { return cuts_; }
  const Cut& operator[](std::int64_t number) const noexcept { return cuts_[static_cast<std::size_t>(number)]; }
  // Their numbers, ascending.
  std::span<const std::uint32_t> of_directory(int rank) const noexcept;

 private:
  std::vector<Cut> cuts_;
  std::vector<std::uint32_t> by_directory_;
};

// The cuts that are alike on all ranks: of a strategy by range its tiles, by group its audits.
struct CommonCuts {
  CutList tiles;
  CutList audits;
};
// Without `audited` no rank looks whether groups overlap or leave holes: for layouts that are known to do neither.
CommonCuts make_common_cuts(const Machine& machine, const Strategy& strategy, const PlanRequest& request,
                            bool audited = true);

class Planner {
 public:
  // Everything referred to must outlive the planner.
  struct Inputs {
    const Machine& machine;
    const Strategy& strategy;
    const PlanRequest& request;
    const Layout& layout;  // flat if request.flat
    int rank;
    bool shared_memory;  // ranks of a host reach each other's tile memory; with or without it a rank reaches its own
    bool open_slots =
        false;  // owners are planning ranks of slots that any rank may hold: plan for reach and for messages
    const CommonCuts* cuts = nullptr;  // for planners of one process to share; nullptr: its own
  };
  explicit Planner(const Inputs& inputs);

  Messages claim();
  Messages appoint(const Messages& claims);
  Messages arrange(const Messages& appointments);
  // Leaves reserves empty: they are the largest over all ranks, which one rank does not know.
  Plan finish(const Messages& places);

  // What this rank found wrong (an overlap, a hole where cover is required), for all ranks to agree on.
  const Status& status() const noexcept { return status_; }

 private:
  struct ClaimedTile {
    explicit ClaimedTile(int ndims) : boxes(ndims) {}
    BoxList boxes;
    std::vector<std::size_t> layout_pieces;
    int directory = 0;
  };

  void make_group_cuts();
  const CommonCuts& common() const noexcept { return in_.cuts ? *in_.cuts : own_cuts_; }
  const std::vector<Cut>& tile_cuts() const noexcept {
    return in_.strategy.by_group(in_.request) ? group_cuts_ : common().tiles.cuts();
  }
  void claim_piece(std::size_t piece, const std::vector<Cut>& cuts);
  void claim_in_cut(std::size_t piece, const Cut& cut);
  void examine_cut(const Cut& cut, OwnedTile& tile);
  int owner_of(const TileId& id, const Claims& claims) const;
  std::int64_t gap_before(std::int64_t first, std::int64_t last, std::int64_t at) const;
  std::vector<Placement> lay_out_range(const Cut& cut, const OwnedTile& tile, Round& round) const;
  void lay_out(const TileId& id, const OwnedTile& tile, std::map<int, Message>& answers);
  bool reachable(int peer) const;

  Inputs in_;
  Shape space_;
  std::vector<std::int64_t> space_strides_;
  CommonCuts own_cuts_;
  std::vector<Cut> group_cuts_;  // by group: the rounds of this rank's
  std::int64_t group_ = 0;
  std::map<TileId, ClaimedTile> claimed_;
  std::vector<Round> rounds_;
  Status status_;
};

}  // namespace weir
