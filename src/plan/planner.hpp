// SPDX-License-Identifier: Apache-2.0
// The planner: makes one rank's part of a plan, in four steps (class Planner). Its caller carries the messages between
// the steps: MPI in a run (engine/kept_plans.hpp), a loop in the simulator and in tests. The result is plan/plan.hpp.
// Pure, Local.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/error.hpp"
#include "plan/layout.hpp"
#include "plan/plan.hpp"
#include "plan/strategy.hpp"
#include "plan/tile_memory.hpp"

namespace weir {

// Identifies a tile in messages.
struct TileId {
  enum class Kind : std::int64_t { range, group, audit };
  Kind kind;
  std::int64_t key;  // range: number of the tile; group: label of the group; audit: number of the cut
  std::int64_t round;
  auto operator<=>(const TileId&) const = default;
};

// A cut of the file order: a tile by range, a round of a group, or an audit.
struct Cut {
  TileId id;
  std::int64_t first, last;
  int directory;  // the rank that examines it; by group it follows from the label
};

// Cuts in file order, and their directories.
class CutList {
 public:
  CutList() = default;
  explicit CutList(std::vector<Cut> cuts);

  const std::vector<Cut>& cuts() const noexcept { return cuts_; }
  const Cut& operator[](std::int64_t number) const noexcept { return cuts_[static_cast<std::size_t>(number)]; }
  // Returns the numbers of a rank's cuts, ascending.
  std::span<const std::uint32_t> of_directory(int rank) const noexcept;

 private:
  std::vector<Cut> cuts_;
  std::vector<std::uint32_t> by_directory_;
};

// The cuts that are the same on all ranks: the tiles of a strategy by range, the audits of one by group.
struct CommonCuts {
  CutList tiles;
  CutList audits;
};
// Returns the cuts. Without `audited` no rank examines whether groups overlap or leave holes, for layouts that are
// known to do neither.
CommonCuts make_common_cuts(const Machine& machine, const Strategy& strategy, const PlanRequest& request,
                            bool audited = true);

// The steps of planning; each takes what the other ranks' last step has sent:
//
//  1. claim(). Each rank cuts what it holds along the strategy's tiles, and sends each tile's *directory* (a rank that
//     follows from the tile alone) the boxes that it holds of the tile. No rank ever sees all layouts: the directory is
//     distributed, as in YAXT.
//  2. appoint(). A directory examines its tiles: an element claimed twice is an error, an element not claimed is a hole
//     (contract 1). It appoints the tile's owner, and passes claims and holes on to it; a tile by range may move to a
//     writer on the host that holds most of it. Groups may overlap each other, so under a strategy by group the
//     elements are claimed a second time, along plain cuts of the file order, for examination only (audit).
//  3. arrange(). An owner lays out its tile memory, and sends each claimant the offset of each of its boxes.
//  4. finish(). A claimant turns offsets into copy programs.
//
// A plan to read has the roles reversed: ranks claim what they need, several may need one element, and only the needed
// part of a tile has memory. backwards() (plan/plan.hpp) reverses the copies. Same inputs give the same plan.
class Planner {
 public:
  // All referenced objects outlive the planner.
  struct Inputs {
    const Machine& machine;
    const Strategy& strategy;
    const PlanRequest& request;
    const Layout& layout;  // flat if request.flat
    int rank;
    bool shared_memory;       // ranks of a host access each other's tile memory
    bool open_slots = false;  // owners are only planning ranks of slots that any rank may hold: the plan has copies for
                              // shared memory and for messages
    const CommonCuts* cuts = nullptr;  // shared by the planners of one process; nullptr: its own
  };
  explicit Planner(const Inputs& inputs);

  // Each returns the messages that the caller delivers before the next step.
  // Requires: all ranks make the steps in this order, each with all messages for this rank.
  Messages claim();
  Messages appoint(const Messages& claims);
  Messages arrange(const Messages& appointments);
  // Returns the plan. Its reserves are empty: they are the largest over all ranks, which one rank does not know.
  Plan finish(const Messages& places);

  // What this rank has found wrong, for all ranks to agree on: WEIR_EOVERLAP, or WEIR_ECOVER for a hole that the file
  // refuses.
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
  std::vector<Placement> lay_out_range(const Cut& cut, const OwnedTile& tile, TilePlan& planned) const;
  void lay_out(const TileId& id, const OwnedTile& tile, std::map<int, Message>& answers);
  bool reachable(int peer) const;

  Inputs in_;
  Shape space_;
  std::vector<std::int64_t> space_strides_;
  CommonCuts own_cuts_;
  std::vector<Cut> group_cuts_;  // by group: the rounds of this rank's group
  std::int64_t group_ = 0;
  std::map<TileId, ClaimedTile> claimed_;
  std::vector<Round> rounds_;
  Status status_;
};

// Layouts are numbered alike on all ranks.
struct PlanKey {
  int layout;
  int element_bytes;
  weir_fill_mode cover;
  PlanPlace place;
  bool read = false;  // ranks need elements, several ranks may need one
  auto operator<=>(const PlanKey&) const = default;
};

// The possible owners of a variable's tiles, on `hosts` hosts; each tile has at least bundle_bytes.
struct Owners {
  const std::vector<int>& ranks;
  int hosts;
  std::int64_t bundle_bytes;
};
// The owners, and the strategy that cuts the variable.
struct Owning {
  const Strategy& strategy;
  Owners owners;
};

// A record of a variable, and its place in the file.
struct PlacedRecord {
  const FileOffsets& file;
  int variable;
  std::int64_t elements;  // of one record
  int element_bytes;
  bool is_record;
  std::int64_t number;
};

// Returns what a plan depends on of a record's place in its file.
PlanPlace place_of(const PlacedRecord& what, const Owning& own, const CutRule& cuts);
// Returns the request for the plan of a key, for arrays like the layout's.
PlanRequest request_of(const PlanKey& key, const Layout& layout, const Owners& owners);

}  // namespace weir
