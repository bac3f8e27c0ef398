// SPDX-License-Identifier: Apache-2.0
// A file's puts: checks them, counts them, and hands them to the pipeline (engine/pipeline.hpp). weir.h states what a
// program may call.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "file/file_state.hpp"
#include "file/own_boxes.hpp"

namespace weir {

// All methods throw Error. After a refused put into a file open for writing this rank is out of sync; all ranks get its
// error at their next agreement, and all open files fail, unless a method says otherwise. If the file is not open for
// writing (WEIR_ESTATE), this rank stays in sync, and enddef() or close() reports the error. After each put the caller
// may reuse its buffer (contract 2).
// Thread: the thread of the rank's calls.
class Puts {
 public:
  explicit Puts(FileState& state) : state_(state), context_(state.context), file_(state.file), boxes_(state) {}

  // Puts this rank's part of a variable's record, as `layout` describes it.
  // Requires: the file is open for writing. `var`, `record` and `layout` are the same on all ranks, and all ranks call
  // it in the same order.
  // Collective. Waits for all ranks where the record was put since the last commit, else as Pipeline::put().
  // Errors: WEIR_ESTATE, WEIR_EARGUMENT, WEIR_EFORMAT (the variable cannot be put). WEIR_EOVERLAP if two ranks hold the
  // same element (contract 1). Values that do not fit their type become the fill value; the next commit reports them.
  void put(int var, std::int64_t record, int layout, Type type, const void* values);
  // Puts one box for each rank. Boxes differ between ranks, records may not; a rank with an empty box takes part.
  // Requires: `var` is the same on all ranks.
  // Collective.
  // Errors: as put(); WEIR_EMISMATCH if ranks put different records. All ranks get the error in this call, and only
  // this file fails, except for WEIR_ESTATE.
  void put_box(int var, IndexView start, IndexView count, Type type, const void* values);
  // Puts a whole record of a variable from rank 0; other ranks' `values` are not used. As put().
  void put_whole(int var, std::int64_t record, Type type, const void* values);
  // Puts into an attached file, as put(), and returns how many of this rank's values did not fit.
  // Requires: the caller has checked the arguments.
  // Errors: WEIR_EOVERLAP, alike on all ranks; the file goes on without this put.
  RangeFailure carry(int var, std::int64_t record, int layout, Type type, const void* values);
  // As PutHistory::fill_again(), for later calls of carry().
  void fill_again() noexcept { state_.history.fill_again(); }
  // Sets whether infinities fit other real types.
  // Requires: all ranks call it with the same value before the first put.
  // Local.
  void set_infinities(Infinities infinities) noexcept { state_.file.infinities = infinities; }
  // Writes bytes that are in the file's form to their offsets in an attached file, after everything that was carried.
  // Requires: `extents` are ascending and disjoint; a rank may have none. Commits::flush_attached() follows, and
  // reports a failure.
  // Collective.
  void add(std::span<const Extent> extents);
  // Whether what is put into this variable is not written (FileWatch::drops()). Local.
  bool drops(int var) const { return state_.watch != nullptr && state_.watch->drops(file_, var); }
  // Throws what the watch said of puts by carry(), if anything, and forgets it. Local.
  void raise_watched() { std::exchange(watched_, {}).raise(); }
  // Whether something of this record was put since the last flush or commit. Local, alike on all ranks.
  bool put_before(int var, std::int64_t record) const { return state_.history.put_before(var, record); }
  // Returns the plan of the next put by this layout, as JSON; makes it if it is new.
  // Requires: the arguments are the same on all ranks.
  // Collective where the plan is new.
  // Errors: WEIR_ESTATE if the file is not open for writing; WEIR_EARGUMENT; no rank falls out of sync.
  std::string plan_json(int var, int layout);

 private:
  void check_put(int var, std::int64_t record, const Layout& layout, Type type, const void* values) const;
  OwnBoxes::Records agree_on_records(int var, const OwnBoxes::Records& mine, const std::string& call);
  void put_checked(int var, std::int64_t record, int layout, Type type, const void* values);
  void tell_watch(int var, std::int64_t record, int layout, Type type, const void* values);
  RangeFailure put_counted(int var, std::int64_t record, int layout, Type type, const void* values);
  void note_range(int var, std::int64_t record, Type type, const RangeFailure& failure);

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  OwnBoxes boxes_;
  Status watched_;  // the first error of the watch, until raise_watched()
};

}  // namespace weir
