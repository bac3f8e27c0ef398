// SPDX-License-Identifier: Apache-2.0
#include "core/slab_list.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/record_pieces.hpp"

namespace weir::bridge {

namespace {

constexpr std::int64_t pairs_for_a_row = 64;  // that are compared in the time in which a row is kept in order

std::int64_t step_of(const Slab& slab, std::size_t d) {
  return slab.stride.empty() ? 1 : slab.stride[d];
}

// The smallest box of all slabs of a list, whose elements are numbered in the file's order.
struct Hull {
  Shape start, end;
  Shape distances;  // of two neighbours along each dimension

  void enclose(const Slab& slab) {
    if (start.empty()) start = end = slab.start;
    for (std::size_t d = 0; d < start.size(); ++d) {
      start[d] = std::min(start[d], slab.start[d]);
      end[d] = std::max(end[d], slab.start[d] + (slab.count[d] - 1) * step_of(slab, d) + 1);
    }
  }
  // false where the numbers would be too large.
  bool number() {
    distances.assign(start.size(), 1);
    std::int64_t all = 1;
    for (std::size_t d = start.size(); d-- > 0;) {
      distances[d] = all;
      if (__builtin_mul_overflow(all, end[d] - start[d], &all)) return false;
    }
    return true;
  }
  bool is_spanned(const Slab& slab, std::size_t d) const {
    return step_of(slab, d) == 1 && slab.count[d] == end[d] - start[d];
  }
};

// A slab's elements as rows, whose numbers follow one another.
class SlabRows {
 public:
  SlabRows(const Hull& hull, const Slab& slab) : hull_(hull), slab_(slab), outer_(slab.start.size()) {
    while (outer_ > 0 && hull.is_spanned(slab, outer_ - 1)) length_ *= slab.count[--outer_];
    if (outer_ > 0 && step_of(slab, outer_ - 1) == 1) length_ *= slab.count[--outer_];
  }
  std::int64_t number() const { return slab_.elements() / length_; }
  // Calls `see(begin, end)` for each, until it returns false. Returns whether it never did.
  template <class See>
  bool each(See see) const {
    std::int64_t inner = 0;
    for (std::size_t d = outer_; d < slab_.start.size(); ++d)
      inner += (slab_.start[d] - hull_.start[d]) * hull_.distances[d];
    Shape at(outer_, 0);
    for (std::int64_t left = number(); left > 0; --left) {
      std::int64_t begin = inner;
      for (std::size_t d = 0; d < outer_; ++d)
        begin += (slab_.start[d] + at[d] * step_of(slab_, d) - hull_.start[d]) * hull_.distances[d];
      if (!see(begin, begin + length_)) return false;
      for (std::size_t d = outer_; d-- > 0 && ++at[d] == slab_.count[d];) at[d] = 0;
    }
    return true;
  }

 private:
  const Hull& hull_;
  const Slab& slab_;
  std::size_t outer_;  // dimensions that rows do not have
  std::int64_t length_ = 1;
};

// Numbers that are taken, as intervals that neither meet nor touch.
class Taken {
 public:
  bool has_none(std::int64_t begin, std::int64_t end) const {
    const auto next = ends_.lower_bound(begin);
    if (next != ends_.end() && next->first < end) return false;
    return next == ends_.begin() || std::prev(next)->second <= begin;
  }
  void add(std::int64_t begin, std::int64_t end) {
    auto next = ends_.lower_bound(begin);
    if (next != ends_.end() && next->first == end) {
      end = next->second;
      next = ends_.erase(next);
    }
    if (next != ends_.begin() && std::prev(next)->second == begin)
      std::prev(next)->second = end;
    else
      ends_.emplace_hint(next, begin, end);
  }
  void clear() { ends_.clear(); }

 private:
  std::map<std::int64_t, std::int64_t> ends_;  // by the begin
};

}  // namespace

void SlabList::add(const Slab& slab) {
  ndims_ = slab.start.size();
  if (!slab.stride.empty() && strides_.empty()) strides_.assign(size_ * ndims_, 1);
  words_.insert(words_.end(), slab.start.begin(), slab.start.end());
  words_.insert(words_.end(), slab.count.begin(), slab.count.end());
  if (!slab.stride.empty())
    strides_.insert(strides_.end(), slab.stride.begin(), slab.stride.end());
  else if (!strides_.empty())
    strides_.insert(strides_.end(), ndims_, 1);
  ++size_;
}

Slab SlabList::at(std::size_t n) const {
  const auto* const start = words_.data() + n * 2 * ndims_;
  Slab slab{Shape(start, start + ndims_), Shape(start + ndims_, start + 2 * ndims_), {}};
  if (!strides_.empty()) {
    const auto* const stride = strides_.data() + n * ndims_;
    slab.stride.assign(stride, stride + ndims_);
  }
  return slab;
}

std::vector<std::size_t> SlabList::first_of_parts() const {
  if (size_ == 0) return {};
  Hull hull;
  for (std::size_t n = 0; n < size_; ++n) hull.enclose(at(n));
  bool by_pairs = !hull.number();
  std::int64_t rows = 0;
  for (std::size_t n = 0; n < size_ && !by_pairs; ++n) {
    const Slab slab = at(n);
    rows += SlabRows(hull, slab).number();
  }
  const auto slabs = static_cast<std::int64_t>(size_);
  by_pairs = by_pairs || slabs * (slabs - 1) / 2 / pairs_for_a_row <= rows;

  std::vector<std::size_t> firsts{0};
  std::vector<Slab> part;  // where each is compared with each
  Taken taken;             // else
  for (std::size_t n = 0; n < size_; ++n) {
    Slab slab = at(n);
    const bool is_free =
        by_pairs ? std::none_of(part.begin(), part.end(), [&](const Slab& other) { return may_meet(slab, other); })
                 : SlabRows(hull, slab).each([&](auto begin, auto end) { return taken.has_none(begin, end); });
    if (!is_free) {
      firsts.push_back(n);
      part.clear();
      taken.clear();
    }
    if (by_pairs)
      part.push_back(std::move(slab));
    else
      SlabRows(hull, slab).each([&](auto begin, auto end) { return taken.add(begin, end), true; });
  }
  return firsts;
}

}  // namespace weir::bridge
