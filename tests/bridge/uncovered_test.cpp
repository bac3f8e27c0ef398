// SPDX-License-Identifier: Apache-2.0
// What nobody puts: with the slabs it is the array, each element once, however the rows are shared out.
#include "core/uncovered.hpp"

#include <gtest/gtest.h>

#include <random>

namespace weir::bridge {
namespace {

// How often each element of an array lies in the slabs.
std::vector<int> counted(const Shape& shape, std::span<const Slab> slabs) {
  std::vector<int> times(static_cast<std::size_t>(elements(shape)), 0);
  for (const Slab& slab : slabs)
    for (std::int64_t n = 0; n < slab.elements(); ++n) {
      std::int64_t left = n, place = 0;
      Shape at(shape.size());
      for (std::size_t d = shape.size(); d-- > 0; left /= slab.count[d])
        at[d] = slab.start[d] + left % slab.count[d] * (slab.stride.empty() ? 1 : slab.stride[d]);
      for (std::size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + at[d];
      ++times[static_cast<std::size_t>(place)];
    }
  return times;
}

TEST(Uncovered, AllOfAnArrayIsOneBox) {
  const std::vector<Slab> rest = uncovered(Shape{4, 5}, {1, 3}, {});
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].start, (Shape{1, 0}));
  EXPECT_EQ(rest[0].count, (Shape{2, 5}));
  EXPECT_TRUE(uncovered(Shape{4, 5}, {2, 2}, {}).empty());
}

TEST(Uncovered, AHoleLeavesFourBoxes) {
  const std::vector<Slab> hole{{{2, 3}, {4, 2}, {}}};
  EXPECT_EQ(uncovered(Shape{9, 9}, {0, 9}, hole).size(), 4U);
}

TEST(Uncovered, WithTheSlabsItIsTheArray) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most - 1)(random);
  };
  for (int turn = 0; turn < 300; ++turn) {
    Shape shape(static_cast<std::size_t>(1 + below(4)));
    for (std::int64_t& length : shape) length = 1 + below(6);
    std::vector<Slab> slabs(static_cast<std::size_t>(below(4))), all;
    for (Slab& slab : slabs)
      for (const std::int64_t length : shape) {
        slab.start.push_back(below(length));
        slab.stride.push_back(1 + below(3));
        slab.count.push_back(1 + below((length - 1 - slab.start.back()) / slab.stride.back() + 1));
      }
    const std::vector<int> covered = counted(shape, slabs);
    const std::int64_t ranks = 1 + below(7);
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      for (Slab& box : uncovered(shape, {shape[0] * rank / ranks, shape[0] * (rank + 1) / ranks}, slabs))
        all.push_back(std::move(box));
    const std::vector<int> rest = counted(shape, all);
    for (std::size_t i = 0; i < covered.size(); ++i) EXPECT_EQ(rest[i], covered[i] > 0 ? 0 : 1);
  }
}

}  // namespace
}  // namespace weir::bridge
