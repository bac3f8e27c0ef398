// SPDX-License-Identifier: Apache-2.0
#include "plan/layout.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/error.hpp"

namespace weir {

namespace {

Shape at_least_one_dimension(IndexView shape) {
  for (std::int64_t length : shape)
    require(length >= 0, WEIR_EARGUMENT, "a layout's array has a dimension of length {}: lengths are 0 or more",
            length);
  return shape.empty() ? Shape{1} : Shape(shape.begin(), shape.end());
}

std::vector<int> checked_order(std::span<const int> order, std::size_t ndims) {
  std::vector<int> axes(order.begin(), order.end());
  if (axes.empty()) {
    axes.resize(ndims);
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
  }
  std::vector<int> sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t d = 0; d < sorted.size(); ++d)
    require(sorted.size() == ndims && sorted[d] == static_cast<int>(d), WEIR_EARGUMENT,
            "a layout's order of axes must name each of the {} axes once", ndims);
  return axes;
}

// Strides by array axis of a block of memory whose axes, in `order`, have `lengths` (listed in memory order).
std::vector<std::int64_t> strides_by_axis(const std::vector<int>& order, IndexView lengths) {
  const auto in_memory = strides(lengths);
  std::vector<std::int64_t> by_axis(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) by_axis[static_cast<std::size_t>(order[k])] = in_memory[k];
  return by_axis;
}

void check_inside(Box box, IndexView shape, const Counting& counting) {
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (box.lo[d] < 0 || box.lo[d] > box.hi[d] || box.hi[d] > shape[d])
      throw Error(WEIR_EARGUMENT, "the box {} is not inside its array: dimension {} has length {}",
                  to_string(box, counting), counting.dimension(d, shape.size()), shape[d]);
}

// One past a box that is inside its array. Start and count may be any numbers: a sum beyond int64 is outside any array.
Shape checked_end(IndexView start, IndexView count, IndexView shape, const Counting& counting) {
  Shape hi(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (__builtin_add_overflow(start[d], count[d], &hi[d])) hi[d] = std::numeric_limits<std::int64_t>::max();
  check_inside(Box{start, hi}, shape, counting);
  return hi;
}

}  // namespace

Shape Layout::space() const {
  return flat_ ? Shape{elements(shape_)} : shape_;
}

IndexView Layout::memory_strides(std::size_t piece) const noexcept {
  const auto n = static_cast<std::size_t>(pieces_.ndims());
  return IndexView(memory_strides_.data() + n * piece, n);
}

bool Layout::operator==(const Layout& other) const noexcept {
  return shape_ == other.shape_ && flat_ == other.flat_ && buffer_length_ == other.buffer_length_ &&
         pieces_.bounds() == other.pieces_.bounds() && bases_ == other.bases_ &&
         memory_strides_ == other.memory_strides_;
}

void Layout::add_piece(IndexView lo, IndexView hi, std::int64_t base, IndexView memory_strides) {
  pieces_.add(lo, hi);
  bases_.push_back(base);
  memory_strides_.insert(memory_strides_.end(), memory_strides.begin(), memory_strides.end());
}

Layout Layout::boxes(IndexView shape, IndexView starts, IndexView counts, std::span<const int> order,
                     const Counting& counting) {
  Layout layout;
  layout.shape_ = at_least_one_dimension(shape);
  const std::size_t n = layout.shape_.size();
  const auto axes = checked_order(order, n);
  layout.pieces_ = BoxList(static_cast<int>(n));
  const std::vector<std::int64_t> zero(n, 0), one(n, 1);
  const bool scalar = shape.empty();
  const std::size_t nboxes = scalar ? 1 : starts.size() / n;
  for (std::size_t b = 0; b < nboxes; ++b) {
    const IndexView start = scalar ? IndexView(zero) : starts.subspan(b * n, n);
    const IndexView count = scalar ? IndexView(one) : counts.subspan(b * n, n);
    Shape lengths(n);
    const Shape hi = checked_end(start, count, layout.shape_, counting);
    for (std::size_t k = 0; k < n; ++k) lengths[k] = count[static_cast<std::size_t>(axes[k])];
    if (elements(lengths) == 0) continue;
    layout.add_piece(start, hi, layout.buffer_length_, strides_by_axis(axes, lengths));
    layout.buffer_length_ += elements(lengths);
    layout.memory_shape_ = std::move(lengths);
  }
  if (layout.pieces_.size() != 1) layout.memory_shape_ = {layout.buffer_length_};
  return layout;
}

Layout Layout::subarray(IndexView shape, IndexView start, IndexView count, std::span<const int> order,
                        IndexView memory_shape, IndexView memory_start, const Counting& counting) {
  Layout layout;
  layout.shape_ = at_least_one_dimension(shape);
  const std::size_t n = layout.shape_.size();
  require(start.size() == n, WEIR_EARGUMENT, "a scalar has no subarray: use a layout of one box");
  const auto axes = checked_order(order, n);
  layout.pieces_ = BoxList(static_cast<int>(n));
  const Shape hi = checked_end(start, count, layout.shape_, counting);
  for (std::size_t k = 0; k < n; ++k) {
    const std::int64_t length = count[static_cast<std::size_t>(axes[k])];
    if (memory_start[k] < 0 || memory_start[k] > memory_shape[k] - length)
      throw Error(
          WEIR_EARGUMENT,
          "the box does not fit into its array in memory: axis {} of memory has length {}, the box needs {} from {}",
          counting.dimension(k, n), memory_shape[k], length, counting.number(memory_start[k]));
  }
  layout.memory_shape_.assign(memory_shape.begin(), memory_shape.end());
  layout.buffer_length_ = elements(memory_shape);
  if (Box{start, hi}.volume() > 0)
    layout.add_piece(start, hi, offset(memory_start, strides(memory_shape)), strides_by_axis(axes, memory_shape));
  return layout;
}

Layout Layout::map(IndexView shape, IndexView offsets, const Counting& counting) {
  Layout layout;
  layout.shape_ = at_least_one_dimension(shape);
  layout.flat_ = true;
  layout.buffer_length_ = static_cast<std::int64_t>(offsets.size());
  layout.memory_shape_ = {layout.buffer_length_};
  const std::int64_t total = elements(layout.shape_);
  std::vector<std::int64_t> by_offset;
  for (std::int64_t i = 0; i < layout.buffer_length_; ++i) {
    const std::int64_t at = offsets[static_cast<std::size_t>(i)];
    if (at == WEIR_ABSENT) continue;
    // A caller's negative offset is shown as he gave it.
    if (at < 0 || at >= total)
      throw Error(WEIR_EARGUMENT,
                  "element {} of an offset map is {}, but the array has elements {} to {} ({} marks one that is not in "
                  "the file)",
                  counting.number(i), at < 0 ? std::to_string(at) : counting.number(at), counting.number(0),
                  counting.number(total - 1), counting.from == 0 ? "WEIR_ABSENT" : "0");
    by_offset.push_back(i);
  }
  auto offset_of = [&](std::int64_t i) { return offsets[static_cast<std::size_t>(i)]; };
  std::stable_sort(by_offset.begin(), by_offset.end(),
                   [&](std::int64_t a, std::int64_t b) { return offset_of(a) < offset_of(b); });
  const std::int64_t one = 1;
  for (std::size_t k = 0; k < by_offset.size();) {
    const std::int64_t i = by_offset[k], lo = offset_of(i);
    std::int64_t count = 1;
    for (++k; k < by_offset.size() && by_offset[k] == i + count && offset_of(by_offset[k]) == lo + count; ++k) ++count;
    if (k != by_offset.size() && offset_of(by_offset[k]) < lo + count)
      throw Error(WEIR_EARGUMENT, "an offset map names element {} of its array twice", counting.number(lo + count - 1));
    const std::int64_t hi = lo + count;
    layout.add_piece(IndexView(&lo, 1), IndexView(&hi, 1), i, IndexView(&one, 1));
  }
  return layout;
}

Layout Layout::runs(IndexView shape, IndexView bounds) {
  Layout layout;
  layout.shape_ = at_least_one_dimension(shape);
  layout.flat_ = true;
  const Shape space = layout.space();
  const std::int64_t one = 1;
  for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
    const IndexView lo = bounds.subspan(i, 1), hi = bounds.subspan(i + 1, 1);
    check_inside(Box{lo, hi}, space, {});
    layout.add_piece(lo, hi, layout.buffer_length_, IndexView(&one, 1));
    layout.buffer_length_ += hi[0] - lo[0];
  }
  layout.memory_shape_ = {layout.buffer_length_};
  return layout;
}

// Joined to the last run where it continues it in the array and in memory.
void Layout::add_run(std::int64_t lo, std::int64_t hi, std::int64_t base, std::int64_t stride) {
  if (!bases_.empty()) {
    const Box last = pieces_[pieces_.size() - 1];
    const std::int64_t count = last.hi[0] - last.lo[0];
    if (last.hi[0] == lo && memory_strides_.back() == stride && bases_.back() + count * stride == base)
      return pieces_.lengthen_last(hi);
  }
  add_piece(IndexView(&lo, 1), IndexView(&hi, 1), base, IndexView(&stride, 1));
}

Layout Layout::flattened() const {
  if (flat_) return *this;
  Layout flat;
  flat.shape_ = shape_;
  flat.flat_ = true;
  flat.buffer_length_ = buffer_length_;
  flat.memory_shape_ = memory_shape_;
  const auto stride = strides(shape_);
  const std::size_t last = shape_.size() - 1;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const Box box = pieces_[p];
    const IndexView memory = memory_strides(p);
    Shape index(box.lo.begin(), box.lo.end());
    for (std::size_t moved = 0; moved <= last;) {
      Shape relative(index);
      for (std::size_t d = 0; d <= last; ++d) relative[d] -= box.lo[d];
      const std::int64_t lo = offset(index, stride), hi = lo + box.hi[last] - box.lo[last];
      flat.add_run(lo, hi, bases_[p] + offset(relative, memory), memory[last]);
      for (moved = 1; moved <= last; ++moved) {
        const std::size_t d = last - moved;
        if (++index[d] < box.hi[d]) break;
        index[d] = box.lo[d];
      }
    }
  }
  return flat;
}

namespace {

constexpr std::size_t most_own_boxes = 256, most_wholes = 256;

}  // namespace

int Layouts::add(Layout layout) {
  layouts_.emplace(next_, std::move(layout));
  return next_++;
}

void Layouts::remove(int number) {
  at(number);
  layouts_.erase(number);
  std::erase(ages_, number);
  std::erase_if(by_box_, [number](const auto& entry) { return entry.second == number; });
}

const Layout& Layouts::at(int number) const {
  const auto found = layouts_.find(number);
  if (found == layouts_.end())
    throw Error(WEIR_EARGUMENT, "there is no layout {}: it was never defined, or freed", counting_.number(number));
  return found->second;
}

int Layouts::whole_on_rank_0(IndexView shape, int rank) {
  const Shape key(shape.begin(), shape.end());
  const auto found = whole_.find(key);
  if (found != whole_.end()) return found->second;
  // Plans of a layout that is gone are never found again, and go when plans are short of room.
  if (whole_.size() >= most_wholes) {
    const auto oldest = std::min_element(whole_.begin(), whole_.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    layouts_.erase(oldest->second);
    whole_.erase(oldest);
  }
  const Shape zero(key.size(), 0);
  const IndexView none;
  // A scalar has no box to leave out: off rank 0 it is an offset-free box of an array of one element.
  const Shape one{1};
  const Layout layout =
      rank == 0 ? Layout::boxes(key, zero, key, {}) : Layout::boxes(key.empty() ? one : key, none, none, {});
  return whole_[key] = add(layout);
}

void Layouts::restart(int first) {
  for (const auto& [shape, number] : whole_) layouts_.erase(number);
  whole_.clear();
  next_ = first;
}

int Layouts::find(const OwnBox& box) const {
  const auto found = by_box_.find(box);
  return found == by_box_.end() ? -1 : found->second;
}

int Layouts::add(const OwnBox& box) {
  const int number = add(Layout::boxes(box.shape, box.start, box.count, {}));
  by_box_[box] = number;
  ages_.push_back(number);
  return number;
}

std::vector<int> Layouts::outdated_boxes() const {
  if (ages_.size() < most_own_boxes) return {};
  return {ages_.begin(), ages_.begin() + std::ssize(ages_) / 2};
}

}  // namespace weir
