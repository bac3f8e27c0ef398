// SPDX-License-Identifier: Apache-2.0
// Pieces of a file that are few and new: a coordinate that is put once, or single values. A plan for each would cost
// more than it saves, and no rank needs another one's memory for them: one message brings all pieces of a call to all
// ranks, in external form with their file offsets, and rank 0 writes them when the file is flushed. Pure, Local.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/shares.hpp"
#include "formats/definition.hpp"
#include "storage/sink.hpp"

namespace weir::bridge {

class SmallWrites {
 public:
  // What of a file is concerned: a variable and record.
  using Where = std::pair<int, std::int64_t>;
  using BytesByOffset = std::map<std::int64_t, std::vector<std::byte>>;  // bytes by their place in the file

  // At least as many words as message() makes of the shares, so many that no rank wants to send them where they are
  // many. Does not look at the values.
  static std::int64_t words(std::span<const Share> shares) noexcept;
  // This rank's pieces; `misfits` becomes how many of its values do not fit (the fill value stands in their place).
  static std::vector<std::int64_t> message(const Schema& schema, const Geometry& geometry,
                                           std::span<const Share> shares, Infinities infinities, std::int64_t& misfits);

  // The pieces of all ranks. Of equal places of different ranks the lowest rank's is taken.
  struct Call {
    std::set<Where> where;
    BytesByOffset places;
    bool overlaps = false;  // ranks hold the same bytes in unequal pieces, or a rank holds some twice
  };
  // Of the messages of all ranks, one after another.
  static Call read(std::span<const std::int64_t> messages);

  // Some of the call's bytes lie in waiting pieces, and not all of each: these have to be written first.
  bool lies_across(const Call& call) const;
  // Later pieces come in the place of earlier ones.
  void add(Call call);
  bool holds(const Where& where) const { return where_.contains(where); }
  bool empty() const noexcept { return places_.empty(); }
  std::int64_t bytes() const noexcept { return bytes_; }
  // Ascending and disjoint; they are this object's, until clear().
  std::vector<Extent> extents() const;
  void clear() noexcept;

 private:
  std::set<Where> where_;
  BytesByOffset places_;
  std::int64_t bytes_ = 0;
};

}  // namespace weir::bridge
