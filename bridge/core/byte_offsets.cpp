// SPDX-License-Identifier: Apache-2.0
#include "core/byte_offsets.hpp"

#include <algorithm>
#include <utility>

namespace weir::bridge {

namespace {

constexpr std::int64_t most_runs = 1 << 20;
constexpr std::size_t most_slabs = 1 << 16;

// Makes `slab` of its own elements and then `next`'s, where one slab has these in this order. Steps are made in the
// last dimension only: elsewhere rows that are alone would be taken for a pattern, and a pattern of rows costs more.
bool join(Slab& slab, const Slab& next) {
  const std::size_t ndims = slab.count.size();
  std::size_t k = 0;
  for (; k < ndims && slab.start[k] == next.start[k]; ++k)
    if (slab.count[k] != 1 || next.count[k] != 1) return false;
  if (k == ndims) return false;
  for (std::size_t d = k + 1; d < ndims; ++d)
    if (slab.start[d] != next.start[d] || slab.count[d] != next.count[d] || slab.stride[d] != next.stride[d])
      return false;
  std::int64_t step = next.start[k] - slab.start[k];
  if (slab.count[k] > 1)
    step = slab.stride[k];
  else if (next.count[k] > 1)
    step = next.stride[k];
  if (next.count[k] > 1 && next.stride[k] != step) return false;
  if (next.start[k] != slab.start[k] + slab.count[k] * step || (step != 1 && k + 1 < ndims)) return false;
  slab.count[k] += next.count[k];
  slab.stride[k] = step;
  return true;
}

// Takes runs of bytes, one after another.
class Gatherer {
 public:
  explicit Gatherer(const ByteArray& array) : array_(array) {
    inner_ = array.element_bytes;
    for (std::size_t d = array.record ? 1 : 0; d < array.shape.size(); ++d) inner_ *= array.shape[d];
  }

  bool take(ByteRun run) {
    if (++runs_ > most_runs || run.begin < end_ || inner_ == 0) return false;
    if (array_.record && array_.record_bytes < inner_) return false;
    end_ = run.begin + run.bytes;
    if (!array_.record) return end_ <= inner_ && take_within(0, run);
    while (run.bytes > 0) {
      const std::int64_t record = run.begin / array_.record_bytes, inside = run.begin % array_.record_bytes;
      const std::int64_t bytes = std::min(run.bytes, inner_ - inside);
      if (bytes <= 0 || !take_within(record, {inside, bytes})) return false;
      run = {run.begin + bytes, run.bytes - bytes};
    }
    return true;
  }

  std::optional<std::vector<Slab>> all() {
    if (!cut()) return std::nullopt;
    for (Slab& slab : slabs_)
      if (std::all_of(slab.stride.begin(), slab.stride.end(), [](std::int64_t step) { return step == 1; }))
        slab.stride.clear();
    return std::move(slabs_);
  }

 private:
  // Bytes within a record, or within a variable without records.
  bool take_within(std::int64_t record, ByteRun run) {
    if (run.begin % array_.element_bytes != 0 || run.bytes % array_.element_bytes != 0) return false;
    const std::int64_t first = (record * inner_ + run.begin) / array_.element_bytes;
    if (first != last_) {
      if (!cut()) return false;
      first_ = first;
    }
    last_ = first + run.bytes / array_.element_bytes;
    return true;
  }

  // What was taken without a gap becomes slabs; and these become one with those before, where they can.
  bool cut() {
    if (first_ == last_) return true;
    if (array_.shape.empty()) return slabs_.emplace_back(), true;
    BoxList boxes(static_cast<int>(array_.shape.size()));
    range_boxes(array_.shape, first_, last_, boxes);
    for (std::size_t i = 0; i < boxes.size(); ++i) add(boxes[i]);
    return slabs_.size() <= most_slabs;
  }

  void add(Box box) {
    Slab slab{Shape(box.lo.begin(), box.lo.end()), {}, Shape(box.lo.size(), 1)};
    for (std::size_t d = 0; d < box.lo.size(); ++d) slab.count.push_back(box.hi[d] - box.lo[d]);
    while (!slabs_.empty() && join(slabs_.back(), slab)) {
      slab = std::move(slabs_.back());
      slabs_.pop_back();
    }
    slabs_.push_back(std::move(slab));
  }

  const ByteArray& array_;
  std::int64_t inner_;  // bytes of a record, or of all
  std::int64_t runs_ = 0, end_ = 0;
  std::int64_t first_ = 0, last_ = 0;  // elements, not yet cut
  std::vector<Slab> slabs_;
};

}  // namespace

std::optional<std::vector<Slab>> slabs_at(const TypeMap& places, const ByteArray& array) {
  Gatherer gatherer(array);
  if (!places.each_run([&](ByteRun run) { return gatherer.take(run); })) return std::nullopt;
  return gatherer.all();
}

}  // namespace weir::bridge
