// SPDX-License-Identifier: Apache-2.0
// Keeps pieces of records that no call covers until they are put at once: a chunk is written whole, and its values may
// come in several calls. Each rank keeps its own pieces; all ranks know which records have pieces. Pure, Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/layout_book.hpp"

namespace weir::bridge {

class RecordPieces {
 public:
  using Where = std::pair<int, std::int64_t>;  // a variable and its record
  // Of this rank; slabs without the record dimension, their elements one after another in the variable's type.
  struct Record {
    std::vector<Slab> slabs;
    std::vector<std::byte> values;
  };

  bool holds(const Where& where) const { return records_.contains(where); }
  // Begins the record where it has none. What is kept has none of these elements.
  void add(const Where& where, std::span<const Slab> slabs, std::span<const std::byte> values, int element_bytes);
  // Keeps the elements of this slab no longer: a later put has them.
  void take_out(const Where& where, const Slab& slab, int element_bytes);
  const Record& at(const Where& where) const { return records_.at(where); }
  std::int64_t elements(const Where& where) const;
  std::int64_t bytes() const noexcept { return bytes_; }
  bool empty() const noexcept { return records_.empty(); }
  // Ascending; alike on all ranks.
  std::vector<Where> all() const;
  void drop(const Where& where);

  // These were put whole.
  void mark_whole(const Where& where) { whole_.insert(where); }
  bool is_whole(const Where& where) const { return whole_.contains(where); }

 private:
  std::map<Where, Record> records_;
  std::set<Where> whole_;
  std::int64_t bytes_ = 0;
};

// Whether the two name a common element, or may where a stride is not 1.
bool may_meet(const Slab& a, const Slab& b);
// Whether they do. Looks at each element of `a` where they may.
bool do_meet(const Slab& a, const Slab& b);

}  // namespace weir::bridge
