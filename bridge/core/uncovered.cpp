// SPDX-License-Identifier: Apache-2.0
#include "core/uncovered.hpp"

#include <algorithm>
#include <iterator>

namespace weir::bridge {

namespace {

constexpr std::ptrdiff_t most_boxes_back = 16;

// Elements of the rows, in their order.
class Marks {
 public:
  Marks(IndexView shape, Rows rows) : shape_(shape.begin(), shape.end()), rows_(rows), line_(shape_.back()) {
    std::int64_t elements = rows.last - rows.first;
    for (std::size_t d = 1; d < shape_.size(); ++d) elements *= shape_[d];
    covered_.assign(static_cast<std::size_t>(elements), false);
  }

  void cover(const Slab& slab) {
    if (slab.elements() > 0) cover(slab, 0, 0);
  }

  std::vector<Slab> rest() const {
    std::vector<Slab> boxes;
    const auto elements = static_cast<std::int64_t>(covered_.size());
    for (std::int64_t at = 0; at < elements;) {
      const std::int64_t end_of_line = shape_.size() == 1 ? elements : at - at % line_ + line_;
      std::int64_t end = at;
      while (end < end_of_line && !covered_[static_cast<std::size_t>(end)]) ++end;
      if (end > at) add(boxes, at, end - at);
      at = std::max(end, at + 1);
    }
    return boxes;
  }

 private:
  void cover(const Slab& slab, std::size_t d, std::int64_t before) {
    const std::int64_t step = slab.stride.empty() ? 1 : slab.stride[d];
    for (std::int64_t i = 0; i < slab.count[d]; ++i) {
      std::int64_t index = slab.start[d] + i * step;
      if (d == 0 && (index < rows_.first || index >= rows_.last)) continue;
      if (d == 0) index -= rows_.first;
      const std::int64_t at = before * shape_[d] + index;
      d + 1 == shape_.size() ? void(covered_[static_cast<std::size_t>(at)] = true) : cover(slab, d + 1, at);
    }
  }

  // A run of a line; it joins the box that ends in the line before, where one has the same run.
  void add(std::vector<Slab>& boxes, std::int64_t at, std::int64_t length) const {
    const std::size_t ndims = shape_.size();
    Slab run{Shape(ndims, 0), Shape(ndims, 1), {}};
    run.count.back() = length;
    for (std::size_t d = ndims; d-- > 0;) {
      const std::int64_t extent = d == 0 ? rows_.last - rows_.first : shape_[d];
      run.start[d] = at % extent + (d == 0 ? rows_.first : 0);
      at /= extent;
    }
    const auto looked = std::min<std::ptrdiff_t>(most_boxes_back, std::ssize(boxes));
    const auto joined = std::find_if(boxes.rbegin(), boxes.rbegin() + (ndims > 1 ? looked : 0),
                                     [&](const Slab& box) { return continues(box, run); });
    if (joined != boxes.rbegin() + (ndims > 1 ? looked : 0))
      ++joined->count[ndims - 2];
    else
      boxes.push_back(std::move(run));
  }

  static bool continues(const Slab& box, const Slab& run) {
    const std::size_t line = box.start.size() - 2;
    for (std::size_t d = 0; d < line; ++d)
      if (box.start[d] != run.start[d]) return false;
    return box.start.back() == run.start.back() && box.count.back() == run.count.back() &&
           box.start[line] + box.count[line] == run.start[line];
  }

  Shape shape_;
  Rows rows_;
  std::int64_t line_;
  std::vector<bool> covered_;
};

}  // namespace

std::vector<Slab> uncovered(IndexView shape, Rows rows, std::span<const Slab> slabs) {
  if (rows.first >= rows.last) return {};
  Marks marks(shape, rows);
  for (const Slab& slab : slabs) marks.cover(slab);
  return marks.rest();
}

}  // namespace weir::bridge
