// SPDX-License-Identifier: Apache-2.0
#include "plan/box.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace weir {

std::int64_t Box::volume() const noexcept {
  std::int64_t product = 1;
  for (std::size_t d = 0; d < lo.size(); ++d) product *= std::max<std::int64_t>(0, hi[d] - lo[d]);
  return product;
}

Box BoxList::operator[](std::size_t i) const noexcept {
  const auto n = static_cast<std::size_t>(ndims_);
  const std::int64_t* at = bounds_.data() + 2 * n * i;
  return Box{IndexView(at, n), IndexView(at + n, n)};
}

void BoxList::add(IndexView lo, IndexView hi) {
  bounds_.insert(bounds_.end(), lo.begin(), lo.end());
  bounds_.insert(bounds_.end(), hi.begin(), hi.end());
}

std::int64_t BoxList::volume() const noexcept {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < size(); ++i) sum += (*this)[i].volume();
  return sum;
}

std::int64_t elements(IndexView shape) noexcept {
  std::int64_t product = 1;
  for (std::int64_t length : shape) product *= length;
  return product;
}

std::vector<std::int64_t> strides(IndexView shape) {
  std::vector<std::int64_t> result(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) result[d - 1] = result[d] * shape[d];
  return result;
}

std::int64_t offset(IndexView index, IndexView stride) noexcept {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * stride[d];
  return sum;
}

std::int64_t first_element(Box box, IndexView stride) noexcept {
  return offset(box.lo, stride);
}

std::int64_t last_element(Box box, IndexView stride) noexcept {
  std::int64_t sum = 1;
  for (std::size_t d = 0; d < stride.size(); ++d) sum += (box.hi[d] - 1) * stride[d];
  return sum;
}

namespace {

// The range inside one index of dimensions 0..depth-1 (held in lo/hi as [i, i+1)): splits [first, last), relative to
// the beginning of that subarray, into a partial head, whole steps of dimension `depth`, and a partial tail.
struct RangeSplitter {
  IndexView shape;
  const std::vector<std::int64_t>& stride;
  std::vector<std::int64_t> lo;
  std::vector<std::int64_t> hi;
  BoxList& out;

  void emit(std::size_t depth, std::int64_t from, std::int64_t to) {
    lo[depth] = from;
    hi[depth] = to;
    for (std::size_t d = depth + 1; d < shape.size(); ++d) {
      lo[d] = 0;
      hi[d] = shape[d];
    }
    out.add(lo, hi);
  }

  void descend(std::size_t depth, std::int64_t step, std::int64_t first, std::int64_t last) {
    lo[depth] = step;
    hi[depth] = step + 1;
    split(depth + 1, first - step * stride[depth], last - step * stride[depth]);
  }

  void split(std::size_t depth, std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    const std::int64_t step = stride[depth];
    std::int64_t whole_from = first / step;
    const std::int64_t whole_to = last / step;
    if (first % step != 0) {
      if (whole_from == whole_to) return descend(depth, whole_from, first, last);
      descend(depth, whole_from, first, (whole_from + 1) * step);
      ++whole_from;
    }
    if (whole_from < whole_to) emit(depth, whole_from, whole_to);
    if (last % step != 0) descend(depth, whole_to, whole_to * step, last);
  }
};

}  // namespace

std::size_t contiguous_from(Box box, IndexView shape) noexcept {
  std::size_t inner = shape.size() - 1;
  while (inner > 0 && box.lo[inner] == 0 && box.hi[inner] == shape[inner]) --inner;
  return inner;
}

void range_boxes(IndexView shape, std::int64_t first, std::int64_t last, BoxList& out) {
  const auto stride = strides(shape);
  RangeSplitter splitter{shape, stride, Shape(shape.size(), 0), Shape(shape.size(), 0), out};
  splitter.split(0, first, last);
}

void intersect(Box a, Box b, BoxList& out) {
  thread_local std::vector<std::int64_t> lo, hi;
  lo.resize(a.lo.size());
  hi.resize(a.lo.size());
  for (std::size_t d = 0; d < a.lo.size(); ++d) {
    lo[d] = std::max(a.lo[d], b.lo[d]);
    hi[d] = std::min(a.hi[d], b.hi[d]);
    if (lo[d] >= hi[d]) return;
  }
  out.add(lo, hi);
}

std::string to_string(Box box, const Counting& counting) {
  std::string text = counting.from == 0 ? "[" : "(";
  for (std::size_t i = 0; i < box.lo.size(); ++i) {
    const std::size_t d = counting.fastest_first ? box.lo.size() - 1 - i : i;
    text += formatted("{}{}:{}", i ? ", " : "", counting.number(box.lo[d]), box.hi[d]);
  }
  return text + ")";
}

}  // namespace weir
