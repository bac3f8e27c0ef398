// SPDX-License-Identifier: Apache-2.0
// A strategy says which rank writes what, and nothing else: everything after it is the same path. There are two kinds.
// By range: the file order of a variable is cut, and each tile between two cuts has an owner (serial, remap: Tseng &
// Ding 2008, section 3). By group: ranks that belong together give their union to one of them (rows, columns: Wong et
// al. 2015, section 4; collective: each rank is a group). A strategy is one file in strategies/ and a line in
// strategy.cpp. Pure, Local.
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

// What a plan depends on, the same on all ranks.
struct PlanRequest {
  Shape shape;                       // of the variable, without its record dimension
  bool flat = false;                 // some rank's layout is flat: plan in the flat array
  int element_bytes = 4;             // in the file
  weir_fill_mode cover = WEIR_FILL;  // what holes mean
  bool read = false;                 // ranks want elements, several the same one, instead of holding them
  int rounds = 1;                    // parts a variable is streamed in, so that no rank exceeds its memory
  std::int64_t stripe_bytes = 0;     // cut tiles at multiples of this in the file; 0: anywhere
  std::int64_t stripe_phase = 0;     // the variable's first byte, modulo stripe_bytes
  std::int64_t bundle_bytes = 0;     // a tile is not made smaller than this
  Granule granule = {};              // where tiles may be cut, if not anywhere: then they go by range
  int first_writer = 0;              // of the first tile, counted from its host's first writer
  std::vector<int> writers;          // ranks, as many on one host as on another, or one more
  int hosts = 1;                     // that have them
  Caller caller = {};                // whose sentences these are

  Shape space() const { return flat ? Shape{elements(shape)} : shape; }
};

// A tile of a strategy by range, in file order.
struct RangeTile {
  std::int64_t first;  // elements of the variable
  std::int64_t last;
  int owner;
  int round;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual StrategyKind kind() const noexcept = 0;
  // By range: the tiles, ascending, covering the variable. By group: empty.
  virtual std::vector<RangeTile> tiles(const PlanRequest& request) const;
  // By group: the label that ranks of one group share (ranks with other labels are other groups).
  virtual std::int64_t group(const Layout& layout, int rank, const Machine& machine) const;
  // By range: whether a tile may move to a writer on the host that holds most of it.
  virtual bool owner_may_move() const noexcept { return false; }
  bool by_group() const noexcept { return by_group_; }
  // The same for one variable: a group cannot own chunks that others hold a part of.
  bool by_group(const PlanRequest& request) const noexcept { return by_group_ && !request.granule.any(); }
  // All ranks compress, and the writers are those of what is written as it is.
  virtual bool all_compress() const noexcept { return false; }
  // Each group writes a file of its own.
  virtual bool part_files() const noexcept { return false; }
  // Writers for `config` on `machine`.
  virtual std::vector<int> writers(const Machine& machine, const Config& config) const;

 protected:
  explicit Strategy(bool by_group) : by_group_(by_group) {}

 private:
  bool by_group_;
};

std::unique_ptr<Strategy> make_strategy(const Config& config);
// By which a variable is read where the strategy that writes does not cut it by range.
std::unique_ptr<Strategy> make_range_strategy();

// What decides into how many parts a variable is cut.
struct Spread {
  std::int64_t variable_bytes, bundle_bytes, writers, hosts;
  std::int64_t granules = 1LL << 62;  // that the variable has: a part has one at least
};

// PlanRequest::first_writer of a variable that begins `place` bytes into the `whole` bytes of its part of the file (the
// fixed variables, or a record), so that small variables that are neighbours in the file have one writer. Variables of
// several parts begin at as few writers as keep these evenly busy: where they begin alike, they share a plan.
int first_writer(const Spread& spread, std::int64_t place, std::int64_t whole) noexcept;

// Where a variable, in a record if it has any, lies in its file.
struct FilePlace {
  std::int64_t place, whole;  // as first_writer has them
  std::int64_t first_byte;    // of the file
};

FilePlace place_in_file(const FileOffsets& file, int var, bool is_record, std::int64_t record) noexcept;

// What of that a plan depends on: nothing, where the strategy goes by group and no granule is asked for.
struct PlanPlace {
  int first_writer = 0;
  std::int64_t stripe_bytes = 0, stripe_phase = 0;  // as in PlanRequest
  Granule granule = {};
  auto operator<=>(const PlanPlace&) const = default;
};
struct CutRule {
  std::int64_t stripe_bytes = 0;
  Granule granule = {};
};
PlanPlace plan_place(const Strategy& strategy, const Spread& spread, const FilePlace& in_file, const CutRule& cuts);
// The request for a plan of what lies there, of elements of so many bytes; what is left out is the caller's: the array,
// and who writes it.
PlanRequest request_at(const PlanPlace& place, int element_bytes, std::int64_t bundle_bytes);

// What strategies are made of.
// At most `parts` nearly equal ranges of the variable, each cut into request.rounds tiles, owners from request.writers
// beginning with first_writer; no part is smaller than bundle_bytes. Of several hosts each has as many as another, in
// order, and one at least where that is a quarter of bundle_bytes. Parts begin at stripe boundaries where the request
// has stripes (a stripe has one writer), and so do their tiles if they are not smaller than a stripe; where it has
// none, at rows of the fastest dimension if these are small compared with a tile. With a granule all are cut there and
// only there.
std::vector<RangeTile> cut_evenly(const PlanRequest& request, int parts);
// A label of the layout's bounds in all dimensions but `aggregated` (counted from the last: 1 is the fastest), for
// layouts of one box; for others the ranks are taken as a near-square grid, numbered row by row.
std::int64_t process_line(const Layout& layout, int aggregated, int rank, const Machine& machine);

}  // namespace weir
