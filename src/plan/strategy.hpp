// SPDX-License-Identifier: Apache-2.0
// A strategy decides which rank writes which part of a variable, and nothing else. plan/strategies.cpp has the
// strategies, plan/planner.hpp uses them; src/README.md says how to add one. Pure, Local.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/config.hpp"
#include "plan/box.hpp"
#include "plan/chunk_grid.hpp"
#include "plan/layout.hpp"
#include "plan/machine.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

// What a plan depends on; the same on all ranks.
struct PlanRequest {
  Shape shape;                       // of the variable, without its record dimension
  bool flat = false;                 // some rank's layout is flat: plan in the flat array
  int element_bytes = 4;             // in the file
  weir_fill_mode cover = WEIR_FILL;  // what holes mean
  bool read = false;                 // ranks need elements, several ranks may need one
  int rounds = 1;                    // parts in which a variable is streamed, so that no rank exceeds its memory
  std::int64_t stripe_bytes = 0;     // tiles are cut at multiples of this in the file; 0: anywhere
  std::int64_t stripe_phase = 0;     // the variable's first byte, modulo stripe_bytes
  std::int64_t bundle_bytes = 0;     // no tile is made smaller than this
  Granule granule = {};              // where tiles may be cut, if not anywhere; the variable is then cut by range
  int first_writer = 0;              // of the first tile, counted from the first writer of its host
  std::vector<int> writers;          // ranks; their number differs by at most one between hosts
  int hosts = 1;                     // that have writers
  Caller caller = {};                // how messages call ranks and numbers

  Shape space() const { return flat ? Shape{elements(shape)} : shape; }
};

// A tile of a strategy by range, in file order.
struct RangeTile {
  std::int64_t first;  // elements [first, last) of the variable
  std::int64_t last;
  int owner;
  int round;
};

// There are two kinds. By range: the file order of a variable is cut, and each tile between two cuts has an owner
// (serial, remap: Tseng & Ding 2008, section 3). By group: ranks that belong together give their union to one of them
// (rows, columns: Wong et al. 2015, section 4; collective: each rank is a group).
class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual StrategyKind kind() const noexcept = 0;
  // By range: returns the tiles, ascending, which cover the variable. By group: empty.
  virtual std::vector<RangeTile> tiles(const PlanRequest& request) const;
  // By group: returns the label that the ranks of one group share. Another group may have it too, since
  // process_line() is a hash; the two are then one group.
  virtual std::int64_t group(const Layout& layout, int rank, const Machine& machine) const;
  // By range: whether a tile may move to a writer on the host that holds most of it.
  virtual bool owner_may_move() const noexcept { return false; }
  bool by_group() const noexcept { return by_group_; }
  // Whether the variable is written by group: not if it has granules, since a group cannot own chunks of which others
  // hold a part.
  bool by_group(const PlanRequest& request) const noexcept { return by_group_ && !request.granule.any(); }
  // Whether all ranks compress variables with filters; the writers write the others.
  virtual bool all_compress() const noexcept { return false; }
  // Whether each group writes a file of its own.
  virtual bool part_files() const noexcept { return false; }
  // Returns the writers for `config` on `machine`.
  virtual std::vector<int> writers(const Machine& machine, const Config& config) const;

 protected:
  explicit Strategy(bool by_group) : by_group_(by_group) {}

 private:
  bool by_group_;
};

// Returns the strategy of the configuration.
std::unique_ptr<Strategy> make_strategy(const Config& config);
// Returns the strategy by which a variable is read, if the strategy that writes does not cut it by range.
std::unique_ptr<Strategy> make_range_strategy();

// What decides in how many parts a variable is cut.
struct Spread {
  std::int64_t variable_bytes, bundle_bytes, writers, hosts;
  std::int64_t granules = 1LL << 62;  // of the variable; each part has at least one
};

// Returns PlanRequest::first_writer of a variable that begins `place` bytes into its part of the file (the fixed
// variables, or a record), which has `whole` bytes. Small variables that are neighbours in the file get one writer.
// First writers are chosen from as small a set as balances the load, so that variables share plans.
int first_writer(const Spread& spread, std::int64_t place, std::int64_t whole) noexcept;

// The place of a variable, in a record if it has any, in its file.
struct FilePlace {
  std::int64_t place, whole;  // as in first_writer()
  std::int64_t first_byte;    // in the file
};

FilePlace place_in_file(const FileOffsets& file, int var, bool is_record, std::int64_t record) noexcept;

// What a plan depends on of that place: nothing, if the strategy is by group and there is no granule.
struct PlanPlace {
  int first_writer = 0;
  std::int64_t stripe_bytes = 0, stripe_phase = 0;  // as in PlanRequest
  Granule granule = {};
  auto operator<=>(const PlanPlace&) const = default;
};
// Where tiles are cut.
struct CutRule {
  std::int64_t stripe_bytes = 0;
  Granule granule = {};
};
PlanPlace plan_place(const Strategy& strategy, const Spread& spread, const FilePlace& in_file, const CutRule& cuts);
// Returns the request for a plan at a place. The caller sets the array and the writers.
PlanRequest request_at(const PlanPlace& place, int element_bytes, std::int64_t bundle_bytes);

// Cuts the variable into at most `parts` nearly equal ranges, each into request.rounds tiles. Owners are from
// request.writers, beginning with first_writer. No part is smaller than bundle_bytes. With several hosts, each host
// gets as many parts as another, in order, and at least one if that is a quarter of bundle_bytes. Parts begin at stripe
// boundaries if the request has stripes (a stripe has one writer), and so do tiles that are not smaller than a stripe;
// without stripes, at rows of the fastest dimension if these are small compared with a tile. With a granule all cuts
// are there and only there.
std::vector<RangeTile> cut_evenly(const PlanRequest& request, int parts);
// Returns a label for ranks on one line of the process grid: of the layout's bounds in all dimensions but `aggregated`
// (counted from the last: 1 is the fastest), if it is one box. For other layouts the ranks count as a near-square grid,
// numbered row by row.
std::int64_t process_line(const Layout& layout, int aggregated, int rank, const Machine& machine);

}  // namespace weir
