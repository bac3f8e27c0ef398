// SPDX-License-Identifier: Apache-2.0
#include "core/record_pieces.hpp"

#include <algorithm>
#include <utility>

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

bool has_element(const Slab& slab, const Shape& at) {
  for (std::size_t d = 0; d < at.size(); ++d) {
    const std::int64_t step = slab.stride.empty() ? 1 : slab.stride[d], distance = at[d] - slab.start[d];
    if (distance < 0 || distance % step != 0 || distance / step >= slab.count[d]) return false;
  }
  return true;
}

// Whether `is_it` holds of an element of the slab; asks in the file's order.
template <class Predicate>
bool find_element(const Slab& slab, Predicate is_it) {
  Shape number(slab.count.size(), 0);
  for (std::int64_t left = slab.elements(); left > 0; --left) {
    Shape at = slab.start;
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += number[d] * (slab.stride.empty() ? 1 : slab.stride[d]);
    if (is_it(std::as_const(at))) return true;
    for (std::size_t d = number.size(); d-- > 0 && ++number[d] == slab.count[d];) number[d] = 0;
  }
  return false;
}

// The slab, and its values, which go from the front of `values`.
void append(RecordPieces::Record& record, const Slab& slab, std::span<const std::byte>& values, int element_bytes) {
  const auto bytes = static_cast<std::size_t>(slab.elements() * element_bytes);
  record.slabs.push_back(slab);
  record.values.insert(record.values.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(bytes));
  values = values.subspan(bytes);
}

// The same of what the slab has beyond `gone`: runs of elements along the last dimension.
void append_rest(RecordPieces::Record& record, const Slab& slab, const Slab& gone, std::span<const std::byte>& values,
                 int element_bytes) {
  bool in_run = false;
  find_element(slab, [&](const Shape& at) {
    const bool stays = !has_element(gone, at);
    if (stays) {
      if (in_run && at.back() != slab.start.back())
        ++record.slabs.back().count.back();
      else
        record.slabs.push_back({at, Shape(at.size(), 1), slab.stride});
      record.values.insert(record.values.end(), values.begin(), values.begin() + element_bytes);
    }
    in_run = stays;
    values = values.subspan(static_cast<std::size_t>(element_bytes));
    return false;
  });
}

}  // namespace

bool may_meet(const Slab& a, const Slab& b) {
  for (std::size_t d = 0; d < a.start.size(); ++d)
    if (last_of(a, d) < b.start[d] || last_of(b, d) < a.start[d] || interleave(a, b, d)) return false;
  return true;
}

bool do_meet(const Slab& a, const Slab& b) {
  return may_meet(a, b) && find_element(a, [&](const Shape& at) { return has_element(b, at); });
}

void RecordPieces::add(const Where& where, std::span<const Slab> slabs, std::span<const std::byte> values,
                       int element_bytes) {
  Record& record = records_[where];
  const std::size_t before = record.values.size();
  for (const Slab& slab : slabs) append(record, slab, values, element_bytes);
  bytes_ += static_cast<std::int64_t>(record.values.size() - before);
}

void RecordPieces::take_out(const Where& where, const Slab& slab, int element_bytes) {
  const auto found = records_.find(where);
  if (found == records_.end()) return;
  const auto meets = [&](const Slab& kept) { return may_meet(kept, slab); };
  if (std::none_of(found->second.slabs.begin(), found->second.slabs.end(), meets)) return;
  const Record whole = std::exchange(found->second, {});
  std::span<const std::byte> values = whole.values;
  for (const Slab& kept : whole.slabs) {
    if (!meets(kept))
      append(found->second, kept, values, element_bytes);
    else if (!is_same(kept, slab))
      append_rest(found->second, kept, slab, values, element_bytes);
    else
      values = values.subspan(static_cast<std::size_t>(kept.elements() * element_bytes));
  }
  bytes_ -= std::ssize(whole.values) - std::ssize(found->second.values);
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
