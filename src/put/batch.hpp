// SPDX-License-Identifier: Apache-2.0
// The puts since the last flush, in order, which is the same on all ranks. Keeps its memory from cycle to cycle. Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/staging.hpp"
#include "plan/plan.hpp"
#include "schema/types.hpp"
#include "write/open_file.hpp"

namespace weir {

// One round of one put.
struct Entry {
  OpenFile* file;
  int var;
  std::int64_t record;
  const Plan* plan;
  std::size_t round;
  Reservation reservation;
  ExternalValue fill;

  const Round& steps() const noexcept { return plan->rounds[round]; }
};

// "temp" record 3, "mask" into ocean.nc; of very many puts the first, and how many more.
std::string in_words(const std::vector<Entry>& entries);

// Whether a file's sink wants all ranks to write it together.
bool writes_collectively(const std::vector<Entry>& entries) noexcept;

class Batch {
 public:
  void add(const Entry& entry) { entries_.push_back(entry); }
  void clear() noexcept { entries_.clear(); }
  // Gives its entries away, for the memory of others.
  void hand_over(std::vector<Entry>& entries) noexcept {
    entries.clear();
    entries_.swap(entries);
  }
  // Drops the entries of files that have failed.
  void drop_failed();

  bool writes_collectively() const noexcept { return weir::writes_collectively(entries_); }
  bool empty() const noexcept { return entries_.empty(); }
  const std::vector<Entry>& entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;
};

}  // namespace weir
