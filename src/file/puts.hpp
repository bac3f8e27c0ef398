// SPDX-License-Identifier: Apache-2.0
// A file's puts: checked, counted, and handed to the pipeline. Methods follow weir.h, which states their contracts;
// they throw Error. An error of one rank becomes the error of all ranks at their next agreement.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "file/file_state.hpp"
#include "file/own_boxes.hpp"

namespace weir {

class Puts {
 public:
  explicit Puts(FileState& state) : state_(state), context_(state.context), file_(state.file), boxes_(state) {}

  void put(int var, std::int64_t record, int layout, Type type, const void* values);
  void put_box(int var, IndexView start, IndexView count, Type type, const void* values);
  void put_whole(int var, std::int64_t record, Type type, const void* values);
  // put() into an attached file: tells at once how many values of this rank did not fit. A plan that cannot be
  // (WEIR_EOVERLAP) is all ranks' error, and the file goes on without this put.
  RangeFailure carry(int var, std::int64_t record, int layout, Type type, const void* values);
  // From now on each record that carry() gets holds all that earlier ones gave (PutHistory::fill_again).
  void fill_again() noexcept { state_.history.fill_again(); }
  // Before the first put, on all ranks; else they fit.
  void set_infinities(Infinities infinities) noexcept { state_.file.infinities = infinities; }
  // Bytes in the form of the file, ascending and disjoint, go to their places in an attached file after what was
  // carried; Commits::flush_attached() follows, and tells where that failed. Collective: other ranks may have none.
  void add(std::span<const Extent> extents);
  // Something of this record was put, and may not have reached the file yet. Local, alike on all ranks.
  bool put_before(int var, std::int64_t record) const { return state_.history.put_before(var, record); }
  std::string plan_json(int var, int layout);

 private:
  void check_put(int var, std::int64_t record, const Layout& layout, Type type, const void* values) const;
  OwnBoxes::Records agree_on_records(int var, const OwnBoxes::Records& mine, const std::string& call);
  void put_checked(int var, std::int64_t record, int layout, Type type, const void* values);
  RangeFailure put_counted(int var, std::int64_t record, int layout, Type type, const void* values);
  void note_range(int var, std::int64_t record, Type type, const RangeFailure& failure);

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  OwnBoxes boxes_;
};

}  // namespace weir
