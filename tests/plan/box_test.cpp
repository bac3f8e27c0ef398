// SPDX-License-Identifier: Apache-2.0
// Boxes: ranges as boxes, common parts, element numbers, words.
#include "plan/box.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <vector>

#include "random_layouts.hpp"

namespace weir {
namespace {

std::vector<std::int64_t> numbers(const BoxList& boxes, const Shape& shape) {
  std::vector<std::int64_t> found;
  for (std::size_t b = 0; b < boxes.size(); ++b)
    reference::for_each_element(boxes[b], shape, [&](std::int64_t element) { found.push_back(element); });
  return found;
}

Shape random_bounds(const Shape& shape, Shape& hi) {
  Shape lo;
  for (std::int64_t length : shape) {
    lo.push_back(*rc::gen::inRange<std::int64_t>(0, length));
    hi.push_back(*rc::gen::inRange<std::int64_t>(lo.back() + 1, length + 1));
  }
  return lo;
}

RC_GTEST_PROP(RangeBoxes, TileAnyRangeInFileOrder, ()) {
  const Shape shape = reference::random_shape(*rc::gen::inRange(1, 6), 3000);
  const auto first = *rc::gen::inRange<std::int64_t>(0, elements(shape) + 1);
  const auto last = *rc::gen::inRange<std::int64_t>(first, elements(shape) + 1);
  BoxList boxes(static_cast<int>(shape.size()));
  range_boxes(shape, first, last, boxes);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(last - first));
  std::iota(expected.begin(), expected.end(), first);
  RC_ASSERT(numbers(boxes, shape) == expected);
  RC_ASSERT(boxes.size() <= 2 * shape.size() - 1);
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const auto stride = strides(shape);
    RC_ASSERT(last_element(boxes[b], stride) - first_element(boxes[b], stride) == boxes[b].volume());
  }
}

TEST(RangeBoxes, HugeArray) {
  const std::int64_t side = std::int64_t{1} << 20;
  const Shape shape{side, side, side};
  BoxList boxes(3);
  range_boxes(shape, 1, side * side * side - 1, boxes);
  EXPECT_EQ(boxes.size(), 5U);
  EXPECT_EQ(boxes.volume(), side * side * side - 2);
}

RC_GTEST_PROP(Intersect, IsWhatBothHold, ()) {
  const Shape shape = reference::random_shape(*rc::gen::inRange(1, 5), 500);
  BoxList two(static_cast<int>(shape.size())), common(static_cast<int>(shape.size()));
  for (int k = 0; k < 2; ++k) {
    Shape hi;
    const Shape lo = random_bounds(shape, hi);
    two.add(lo, hi);
  }
  intersect(two[0], two[1], common);
  std::vector<int> held(static_cast<std::size_t>(elements(shape)), 0);
  for (std::int64_t element : numbers(two, shape)) ++held[static_cast<std::size_t>(element)];
  std::vector<std::int64_t> expected;
  for (std::size_t element = 0; element < held.size(); ++element)
    if (held[element] == 2) expected.push_back(static_cast<std::int64_t>(element));
  RC_ASSERT(numbers(common, shape) == expected);
  RC_ASSERT(common.size() == (expected.empty() ? 0U : 1U));
}

RC_GTEST_PROP(Box, FirstAndLastElementBoundIt, ()) {
  const Shape shape = reference::random_shape(*rc::gen::inRange(1, 5), 500);
  Shape hi;
  const Shape lo = random_bounds(shape, hi);
  BoxList one(static_cast<int>(shape.size()));
  one.add(lo, hi);
  const auto all = numbers(one, shape);
  RC_ASSERT(first_element(one[0], strides(shape)) == all.front());
  RC_ASSERT(last_element(one[0], strides(shape)) == all.back() + 1);
  RC_ASSERT(one[0].volume() == static_cast<std::int64_t>(all.size()));
}

TEST(Box, EmptyAndTurnedBoxesHaveNoVolume) {
  const Shape lo{2, 5}, same{2, 9}, below{1, 9};
  EXPECT_EQ((Box{lo, same}.volume()), 0);
  EXPECT_EQ((Box{lo, below}.volume()), 0);
}

TEST(Box, InWords) {
  const Shape lo{0, 10, -1}, hi{3, 20, 5};
  EXPECT_EQ(to_string(Box{lo, hi}), "[0:3, 10:20, -1:5)");
  EXPECT_EQ(to_string(Box{IndexView(lo).first(1), IndexView(hi).first(1)}), "[0:3)");
}

TEST(Box, StridesOfAShape) {
  EXPECT_EQ(strides(Shape{4, 3, 5}), (Shape{15, 5, 1}));
  EXPECT_EQ(elements(Shape{4, 3, 5}), 60);
  EXPECT_EQ(elements(Shape{}), 1);
  EXPECT_EQ(elements(Shape{4, 0, 5}), 0);
}

}  // namespace
}  // namespace weir
