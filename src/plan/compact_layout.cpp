// SPDX-License-Identifier: Apache-2.0
#include "plan/compact_layout.hpp"

#include <algorithm>
#include <numeric>

namespace weir {

namespace {

// A box's dimensions as they lie in memory, slowest first. Of dimensions of one stride all but the slowest have one
// element.
std::vector<std::size_t> memory_order(IndexView lengths, IndexView memory_strides) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return memory_strides[a] != memory_strides[b] ? memory_strides[a] > memory_strides[b] : lengths[a] > lengths[b];
  });
  return order;
}

Shape lengths_of_box(Box box) {
  Shape lengths(box.lo.size());
  for (std::size_t d = 0; d < lengths.size(); ++d) lengths[d] = box.hi[d] - box.lo[d];
  return lengths;
}

// Appends the runs of one piece, ascending.
void add_runs(const Layout& layout, std::size_t piece, std::vector<HeldRun>& runs) {
  const Shape lengths = lengths_of_box(layout.pieces()[piece]);
  const IndexView strides = layout.memory_strides(piece);
  const auto order = memory_order(lengths, strides);
  std::int64_t length = 1;
  std::size_t outer = order.size();  // the dimensions before it are loops, the others a run
  while (outer > 0 && (lengths[order[outer - 1]] == 1 || strides[order[outer - 1]] == length))
    length *= lengths[order[--outer]];
  Shape index(outer, 0);
  for (std::int64_t offset = layout.base(piece);;) {
    runs.push_back({offset, length});
    std::size_t k = outer;
    for (; k > 0; --k) {
      const std::size_t d = order[k - 1];
      offset += strides[d];
      if (++index[k - 1] < lengths[d]) break;
      offset -= lengths[d] * strides[d];
      index[k - 1] = 0;
    }
    if (k == 0) return;
  }
}

// Where elements of the buffer come to lie in the compact one.
class Places {
 public:
  explicit Places(std::vector<HeldRun> runs) : runs_(std::move(runs)) {
    for (const HeldRun& run : runs_) {
      before_.push_back(elements_);
      elements_ += run.length;
    }
  }
  std::int64_t elements() const noexcept { return elements_; }
  // Requires: the element is held.
  std::int64_t of(std::int64_t element) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), element,
                                        [](std::int64_t at, const HeldRun& run) { return at < run.offset; });
    const auto run = static_cast<std::size_t>(after - runs_.begin()) - 1;
    return before_[run] + element - runs_[run].offset;
  }

 private:
  std::vector<HeldRun> runs_;
  std::vector<std::int64_t> before_;  // elements of the runs before each
  std::int64_t elements_ = 0;
};

}  // namespace

std::vector<HeldRun> held_runs(const Layout& layout) {
  std::vector<HeldRun> all;
  for (std::size_t p = 0; p < layout.pieces().size(); ++p) add_runs(layout, p, all);
  const auto before = [](const HeldRun& a, const HeldRun& b) { return a.offset < b.offset; };
  if (!std::is_sorted(all.begin(), all.end(), before)) std::sort(all.begin(), all.end(), before);
  std::vector<HeldRun> joined;
  for (const HeldRun& run : all) {
    if (!joined.empty() && joined.back().offset + joined.back().length == run.offset)
      joined.back().length += run.length;
    else
      joined.push_back(run);
  }
  return joined;
}

// A piece has equal distances along each dimension, and between any two neighbours along it lie equally many gaps: so
// it has equal distances without the gaps.
Layout compact(const Layout& layout) {
  const Places places(held_runs(layout));
  Layout made = layout;
  made.buffer_length_ = places.elements();
  made.memory_shape_ = {places.elements()};
  const auto ndims = static_cast<std::size_t>(layout.pieces().ndims());
  for (std::size_t p = 0; p < layout.pieces().size(); ++p) {
    const Shape lengths = lengths_of_box(layout.pieces()[p]);
    const IndexView strides = layout.memory_strides(p);
    const std::int64_t base = places.of(layout.base(p));
    made.bases_[p] = base;
    for (std::size_t d = 0; d < ndims; ++d)
      made.memory_strides_[p * ndims + d] = lengths[d] == 1 ? 1 : places.of(layout.base(p) + strides[d]) - base;
    if (layout.pieces().size() == 1 && !layout.flat()) {
      made.memory_shape_.clear();
      for (const std::size_t d : memory_order(lengths, strides)) made.memory_shape_.push_back(lengths[d]);
    }
  }
  return made;
}

}  // namespace weir
