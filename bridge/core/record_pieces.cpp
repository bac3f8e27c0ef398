// SPDX-License-Identifier: Apache-2.0
#include "core/record_pieces.hpp"

#include <algorithm>
#include <cstring>

namespace weir::bridge {

namespace {

bool is_same(const Slab& a, const Slab& b) {
  return a.start == b.start && a.count == b.count && a.stride == b.stride;
}

std::int64_t last_of(const Slab& slab, std::size_t d) {
  return slab.start[d] + (slab.count[d] - 1) * (slab.stride.empty() ? 1 : slab.stride[d]);
}

// Both have elements of the same distance, none in common.
bool interleave(const Slab& a, const Slab& b, std::size_t d) {
  const std::int64_t step = a.stride.empty() ? 1 : a.stride[d];
  return step == (b.stride.empty() ? 1 : b.stride[d]) && (a.start[d] - b.start[d]) % step != 0;
}

}  // namespace

bool may_meet(const Slab& a, const Slab& b) {
  for (std::size_t d = 0; d < a.start.size(); ++d)
    if (last_of(a, d) < b.start[d] || last_of(b, d) < a.start[d] || interleave(a, b, d)) return false;
  return true;
}

bool RecordPieces::is_apart(const Where& where, const Slab& slab) const {
  const auto found = records_.find(where);
  return found == records_.end() ||
         std::none_of(found->second.slabs.begin(), found->second.slabs.end(),
                      [&](const Slab& there) { return !is_same(slab, there) && may_meet(slab, there); });
}

void RecordPieces::add(const Where& where, std::span<const Slab> slabs, std::span<const std::byte> values,
                       int element_bytes) {
  Record& record = records_[where];
  const auto bytes_of = [&](const Slab& slab) { return static_cast<std::size_t>(slab.elements() * element_bytes); };
  const std::size_t before = record.values.size();
  for (const Slab& slab : slabs) {
    const std::size_t bytes = bytes_of(slab);
    std::size_t at = 0, known = 0;
    while (known < record.slabs.size() && !is_same(record.slabs[known], slab)) at += bytes_of(record.slabs[known++]);
    if (known < record.slabs.size())
      std::memcpy(record.values.data() + at, values.data(), bytes);
    else
      record.slabs.push_back(slab), record.values.insert(record.values.end(), values.begin(),
                                                         values.begin() + static_cast<std::ptrdiff_t>(bytes));
    values = values.subspan(bytes);
  }
  bytes_ += static_cast<std::int64_t>(record.values.size() - before);
}

void RecordPieces::yield(const Where& where, const Slab& slab, int element_bytes) {
  const auto found = records_.find(where);
  if (found == records_.end()) return;
  auto& [slabs, values] = found->second;
  auto at = values.begin();
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    const std::ptrdiff_t bytes = slabs[i].elements() * element_bytes;
    if (is_same(slabs[i], slab)) {
      values.erase(at, at + bytes);
      slabs.erase(slabs.begin() + static_cast<std::ptrdiff_t>(i));
      bytes_ -= bytes;
      return;
    }
    at += bytes;
  }
}

std::int64_t RecordPieces::elements(const Where& where) const {
  std::int64_t count = 0;
  const auto found = records_.find(where);
  if (found == records_.end()) return 0;
  for (const Slab& slab : found->second.slabs) count += slab.elements();
  return count;
}

std::vector<RecordPieces::Where> RecordPieces::all() const {
  std::vector<Where> found;
  for (const auto& [where, record] : records_) found.push_back(where);
  return found;
}

void RecordPieces::drop(const Where& where) {
  const auto found = records_.find(where);
  if (found == records_.end()) return;
  bytes_ -= static_cast<std::int64_t>(found->second.values.size());
  records_.erase(found);
}

}  // namespace weir::bridge
