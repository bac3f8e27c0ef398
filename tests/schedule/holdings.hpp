// SPDX-License-Identifier: Apache-2.0
// Tiles that ranks hold, and who has been given one since a group of units began, as it can be seen outside of a
// scheduler. No more than there are places, and none twice in one: a broken rule is a std::logic_error that says which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedule/scheduler.hpp"

namespace weir::watched {

inline void expect(bool holds, const char* what, std::int64_t unit, int rank = -1) {
  if (!holds)
    throw std::logic_error(std::string(what) + " (unit " + std::to_string(unit) + ", rank " + std::to_string(rank) +
                           ")");
}

inline std::size_t as_size(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

class Holdings {
 public:
  Holdings(int ranks, int tiles_per_rank)
      : tiles_per_rank_(tiles_per_rank),
        able_(ranks),
        held_(as_size(ranks), 0),
        used_in_(held_.size(), -1),
        in_place_(held_.size() * as_size(tiles_per_rank), -1) {}

  // The unit in a place of a rank; -1: it is free.
  std::int64_t unit_in(int rank, int place) const { return in_place_[index(rank, place)]; }
  bool has_room(int rank) const { return held_[as_size(rank)] < tiles_per_rank_; }
  bool in_use(int rank) const { return used_in_[as_size(rank)] == group_; }
  // Ranks that have room and are not in use, as far as can be seen.
  int able() const { return able_; }
  // Places that are free.
  std::int64_t room() const { return static_cast<std::int64_t>(in_place_.size()) - held_in_all_; }

  void take(std::int64_t number, const Slot& slot) {
    expect(slot.tile_buffer >= 0 && slot.tile_buffer < tiles_per_rank_, "no such place", number, slot.rank);
    expect(unit_in(slot.rank, slot.tile_buffer) == -1, "two tiles in one place", number, slot.rank);
    if (has_room(slot.rank) && !in_use(slot.rank)) --able_;
    in_place_[index(slot.rank, slot.tile_buffer)] = number;
    ++held_in_all_;
    expect(++held_[as_size(slot.rank)] <= tiles_per_rank_, "beyond the cap", number, slot.rank);
    if (in_use(slot.rank)) return;
    used_in_[as_size(slot.rank)] = group_;
    used_.push_back(slot.rank);
  }
  void leave(int rank, int place) {
    if (!has_room(rank) && !in_use(rank)) ++able_;
    in_place_[index(rank, place)] = -1;
    --held_in_all_;
    --held_[as_size(rank)];
  }
  // Nobody is in use.
  void begin_group() {
    for (const int rank : used_) able_ += has_room(rank) ? 1 : 0;
    used_.clear();
    ++group_;
  }

 private:
  std::size_t index(int rank, int place) const { return as_size(rank) * as_size(tiles_per_rank_) + as_size(place); }

  int tiles_per_rank_;
  int able_;
  std::vector<int> held_;
  std::vector<std::int64_t> used_in_;
  std::vector<std::int64_t> in_place_;
  std::vector<int> used_;
  std::int64_t group_ = 0, held_in_all_ = 0;
};

}  // namespace weir::watched
