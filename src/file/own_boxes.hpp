// SPDX-License-Identifier: Apache-2.0
// Calls in which each rank puts or gets a box of its own, at records of its own: checks them, and turns them into
// layouts and records that are the same on all ranks.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "file/file_state.hpp"

namespace weir {

class OwnBoxes {
 public:
  // One past the last one; `first` is nowhere where this rank has nothing. layout: -1 where it is not known.
  struct Records {
    std::int64_t first, last;
    int layout;
  };
  static constexpr std::int64_t nowhere = -std::numeric_limits<std::int64_t>::max();

  explicit OwnBoxes(FileState& state) : state_(state), context_(state.context), file_(state.file) {}

  // Throws where the call cannot be. Local.
  void check(int var, IndexView start, IndexView count, Type type, const void* values) const;
  // This rank's part of each record, as if the variable had no record dimension; a scalar is an array of one element.
  // Throws where it is not inside.
  Layouts::OwnBox inside(int var, IndexView start, IndexView count) const;
  // Its records.
  Records records(int var, IndexView start, IndexView count, const Layouts::OwnBox& box) const;
  // A call of all ranks: what waits are for, what its sentence begins with, and what it does and ranks do.
  struct Call {
    std::string_view name;
    std::function<std::string()> subject;
    const char *does, *want;  // "put", "have"
  };
  // All ranks that have something must have the same records; ranks with nothing learn them here. `layout` stays where
  // it is the same number on all ranks: one that is known here may be known by another number elsewhere. Throws
  // Error(WEIR_EMISMATCH), alike on all ranks. Collective.
  Records agree_on_records(int var, const Records& mine, const Call& call) const;
  // The box's layout, new on some rank; older ones may go. Collective.
  int add(const Layouts::OwnBox& box);

 private:
  FileState& state_;
  const Context& context_;
  OpenFile& file_;
};

}  // namespace weir
