// SPDX-License-Identifier: Apache-2.0
// A file's gets: by one rank (get_box), and by all ranks together. Checks the call, then reads through
// engine/reader.hpp or engine/reading.hpp. weir.h states what a program may call.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "file/file_state.hpp"
#include "file/opening.hpp"
#include "file/own_boxes.hpp"

namespace weir {

// All methods throw Error. An error leaves the file usable.
// Thread: the thread of the rank's calls.
class Gets {
 public:
  Gets(FileState& state, Sources& sources)
      : state_(state), context_(state.context), file_(state.file), sources_(sources), boxes_(state) {}

  // Reads a box of committed data for this rank alone, at any number of ranks.
  // Requires: `values` holds count's elements of `type`.
  // Local.
  // Errors: WEIR_ESTATE if nothing was committed, or while a netCDF-4 or Zarr file is being written. WEIR_EARGUMENT for
  // an index. WEIR_EFORMAT if the variable cannot be read. WEIR_ERANGE if values do not fit `type`; the others are
  // there. WEIR_EIO if storage fails.
  void get_box(int var, IndexView start, IndexView count, Type type, void* values) const;
  // Returns how many records come before the first whose time is later than `time`, by the coordinate variable of the
  // record dimension. Times that agree to nine digits are equal.
  // Collective.
  // Errors: WEIR_EARGUMENT if the file has no such variable; the storage's; alike on all ranks.
  std::int64_t records_until(double time);
  // Reads a record of committed data by a layout. Each byte is read from storage once and sent to the ranks that need
  // it, or each rank reads for itself (engine/own_read.hpp).
  // Requires: `var`, `record` and `layout` are the same on all ranks. `values` holds the layout's elements of `type`.
  // Collective.
  // Errors: as get_box(), alike on all ranks; WEIR_EMISMATCH if the ranks call different gets. After an error of
  // storage the buffer may be filled in part.
  void get(int var, std::int64_t record, int layout, Type type, void* values);
  // Reads a box for each rank, as get(). Boxes may differ between ranks, records may not; a rank with an empty box
  // takes part.
  // Requires: `var` is the same on all ranks.
  // Collective.
  // Errors: as get().
  void get_box_all(int var, IndexView start, IndexView count, Type type, void* values);
  // Takes part in get_box_all() for a rank without a box. Collective.
  void get_nothing(int var, Type type);
  // Sets whether infinities fit other real types.
  // Requires: all ranks call it with the same value before the first get.
  // Local.
  void set_infinities(Infinities infinities) noexcept { state_.file.infinities = infinities; }
  // Asks storage to have ready what get() of these variables would read; does not wait for it.
  // Requires: the arguments are the same on all ranks.
  // Collective.
  // Errors: as get(), for wrong arguments.
  void prefetch(const std::vector<int>& vars, std::int64_t record, int layout);

 private:
  void require_readable() const;
  std::int64_t count_until(double time) const;
  void require_known_form(int var) const;
  void require_records(int var, std::int64_t first, std::int64_t last) const;
  void require_gettable(int var, std::int64_t record, int layout) const;
  void require_all_fit(int var, Type type, const RangeFailure& failure) const;
  std::string get_of(std::string_view call, int var) const;
  // The record, or 0 for a fixed variable.
  std::int64_t own_record(int var, std::int64_t record) const;
  template <class Check>
  Status checked(const std::string& call, Check check) const;
  struct WantedBox {
    Layouts::OwnBox box;
    OwnBoxes::Records records;
  };
  struct Target {
    Type type;
    void* values;
  };
  void get_boxes(int var, WantedBox wanted, Status status, const Target& target);
  void get_records(int var, const OwnBoxes::Records& wanted, const Target& target);
  // For gets in which each rank reads for itself.
  OwnReading::Kept own_plan(int var, int number, const Layout& layout);
  void get_own(int var, const OwnBoxes::Records& wanted, const Layout& layout, const OwnReading::Kept& plan,
               const Target& target);
  RangeFailure read_stored_box(int var, IndexView start, IndexView count, Type type, void* values) const;
  void read(int var, std::int64_t record, const Layout& layout, Type type, void* values) const;

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  Sources& sources_;
  OwnBoxes boxes_;
};

}  // namespace weir
