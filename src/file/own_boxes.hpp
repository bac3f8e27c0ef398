// SPDX-License-Identifier: Apache-2.0
// Puts and gets in which each rank has a box of its own, at records of its own: checks the boxes, and turns them into
// layouts and records that are the same on all ranks. Used by file/puts.cpp and file/gets.cpp.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "file/file_state.hpp"

namespace weir {

class OwnBoxes {
 public:
  // `last` is one past the last record. `first` is `nowhere` if this rank has no box; `layout` is -1 if it is not
  // known.
  struct Records {
    std::int64_t first, last;
    int layout;
  };
  static constexpr std::int64_t nowhere = -std::numeric_limits<std::int64_t>::max();

  explicit OwnBoxes(FileState& state) : state_(state), context_(state.context), file_(state.file) {}

  // Checks the arguments of a call. Local.
  // Errors: WEIR_EARGUMENT.
  void check(int var, IndexView start, IndexView count, Type type, const void* values) const;
  // Returns this rank's box without the record dimension; a scalar becomes an array of one element.
  // Requires: check() has passed.
  // Local.
  // Errors: WEIR_EARGUMENT if the box is not inside the variable.
  Layouts::OwnBox inside(int var, IndexView start, IndexView count) const;
  // Returns the records of this rank's box. Local.
  Records records(int var, IndexView start, IndexView count, const Layouts::OwnBox& box) const;
  // How sentences describe a call of all ranks: its name for waits, its subject, and two verbs.
  struct Call {
    std::string_view name;
    std::function<std::string()> subject;
    const char *does, *want;  // "put", "have"
  };
  // Agrees on the records. A rank without a box learns them from the others.
  // Ensures: the same result on all ranks. `layout` stays only if all ranks know the layout by the same number; else it
  // is -1.
  // Collective.
  // Errors: WEIR_EMISMATCH if ranks have different records, alike on all ranks; the file has not failed.
  Records agree_on_records(int var, const Records& mine, const Call& call) const;
  // Adds the box's layout, and returns its number, the same on all ranks. If there are many box layouts, it first
  // drains the pipeline, and removes the older half with their plans. Collective.
  int add(const Layouts::OwnBox& box);

 private:
  FileState& state_;
  const Context& context_;
  OpenFile& file_;
};

}  // namespace weir
