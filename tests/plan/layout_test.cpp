// SPDX-License-Identifier: Apache-2.0
// Layouts: where every element lies, flat or not, and what the makers refuse.
#include "plan/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "random_layouts.hpp"

namespace weir {
namespace {

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
using Order = std::vector<int>;

// Element numbers as a program with a C array of these lengths (listed in memory order) would lay a box out.
void lay_out(Box box, const Shape& shape, const Order& order, const Shape& memory_shape, const Shape& memory_start,
             std::vector<std::int64_t>& buffer, std::size_t from) {
  const auto stride = strides(shape), memory_stride = strides(memory_shape);
  reference::for_each_element(box, shape, [&](std::int64_t element) {
    std::size_t at = from;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto d = static_cast<std::size_t>(order[k]);
      const std::int64_t index = element / stride[d] % shape[d] - box.lo[d];
      at += static_cast<std::size_t>((memory_start[k] + index) * memory_stride[k]);
    }
    buffer.at(at) = element;
  });
}

Shape in_order(const Shape& lengths, const Order& order) {
  Shape turned;
  for (int axis : order) turned.push_back(lengths[static_cast<std::size_t>(axis)]);
  return turned;
}

RC_GTEST_PROP(Layout, BoxesLieOneAfterAnotherInTheirOrderOfAxes, ()) {
  auto random = reference::random_source();
  const Shape shape = reference::random_shape(*rc::gen::inRange(1, 5), 400);
  const BoxList boxes = reference::irregular_boxes(shape, *rc::gen::inRange<std::size_t>(1, 8), random);
  const Order order = reference::random_order(shape.size(), random);
  Shape starts, counts;
  std::vector<std::int64_t> expected;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    const Shape lengths = reference::lengths_of(boxes[b]);
    starts.insert(starts.end(), boxes[b].lo.begin(), boxes[b].lo.end());
    counts.insert(counts.end(), lengths.begin(), lengths.end());
    const std::size_t from = expected.size();
    expected.resize(from + static_cast<std::size_t>(boxes[b].volume()), -1);
    lay_out(boxes[b], shape, order, in_order(lengths, order), Shape(shape.size(), 0), expected, from);
  }
  const Layout layout = Layout::boxes(shape, starts, counts, order);
  RC_ASSERT(reference::filled_buffer(layout) == expected);
  RC_ASSERT(reference::filled_buffer(layout.flattened()) == expected);
  RC_ASSERT(layout.elements_held() == elements(shape));
}

RC_GTEST_PROP(Layout, SubarrayLiesInsideItsMemory, ()) {
  auto random = reference::random_source();
  const Shape shape = reference::random_shape(*rc::gen::inRange(1, 5), 400);
  const Order order = reference::random_order(shape.size(), random);
  Shape start, count, memory_shape, memory_start;
  for (std::int64_t length : shape) {
    start.push_back(*rc::gen::inRange<std::int64_t>(0, length));
    count.push_back(*rc::gen::inRange<std::int64_t>(0, length - start.back() + 1));
  }
  for (int axis : order) {
    memory_start.push_back(*rc::gen::inRange<std::int64_t>(0, 4));
    memory_shape.push_back(memory_start.back() + count[static_cast<std::size_t>(axis)] +
                           *rc::gen::inRange<std::int64_t>(0, 4));
  }
  const Layout layout = Layout::subarray(shape, start, count, order, memory_shape, memory_start);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(elements(memory_shape)), -1);
  Shape hi;
  for (std::size_t d = 0; d < shape.size(); ++d) hi.push_back(start[d] + count[d]);
  lay_out(Box{start, hi}, shape, order, memory_shape, memory_start, expected, 0);
  RC_ASSERT(reference::filled_buffer(layout) == expected);
  RC_ASSERT(reference::filled_buffer(layout.flattened()) == expected);
  RC_ASSERT(layout.elements_held() == elements(count));
}

RC_GTEST_PROP(Layout, MapHoldsWhatItNames, ()) {
  auto random = reference::random_source();
  const Shape shape = reference::random_shape(*rc::gen::inRange(1, 4), 300);
  std::vector<std::int64_t> offsets;
  for (std::int64_t element = 0; element < elements(shape); ++element) {
    if (reference::draw(random, 0, 3) > 0) offsets.push_back(element);
    if (reference::draw(random, 0, 5) == 0) offsets.push_back(WEIR_ABSENT);
  }
  if (*rc::gen::arbitrary<bool>()) std::shuffle(offsets.begin(), offsets.end(), random);
  const Layout layout = Layout::map(shape, offsets);
  std::vector<std::int64_t> expected = offsets;
  std::replace(expected.begin(), expected.end(), std::int64_t{WEIR_ABSENT}, std::int64_t{-1});
  RC_ASSERT(reference::filled_buffer(layout) == expected);
  RC_ASSERT(layout.flat());
  RC_ASSERT(layout.space() == Shape{elements(shape)});
}

RC_GTEST_PROP(Layout, MapRefusesARepeatedOffset, ()) {
  auto random = reference::random_source();
  const auto length = *rc::gen::inRange<std::int64_t>(1, 60);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(length));
  std::iota(offsets.begin(), offsets.end(), 0);
  if (*rc::gen::arbitrary<bool>()) std::shuffle(offsets.begin(), offsets.end(), random);
  const std::int64_t repeated = *rc::gen::inRange<std::int64_t>(0, length);
  offsets.insert(offsets.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, length + 1), repeated);
  try {
    (void)Layout::map(Shape{length}, offsets);
    RC_FAIL("a repeated offset was taken");
  } catch (const Error& error) {
    RC_ASSERT(error.code() == WEIR_EARGUMENT);
    RC_ASSERT(error.what() == "an offset map names element " + std::to_string(repeated) + " of its array twice");
  }
}

template <class Maker>
std::string refusal(const Maker& make) {
  try {
    (void)make();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EARGUMENT);
    return error.what();
  }
  return "taken";
}

std::string refusal_of_box(const Shape& shape, const Shape& start, const Shape& count, const Order& order = {}) {
  return refusal([&] { return Layout::boxes(shape, start, count, order); });
}

TEST(LayoutErrors, BoxOutsideItsArray) {
  EXPECT_EQ(refusal_of_box({4, 6}, {1, 2}, {3, 5}),
            "the box [1:4, 2:7) is not inside its array: dimension 1 has length 6");
  EXPECT_NE(refusal_of_box({4, 6}, {-1, 0}, {1, 1}).find("dimension 0 has length 4"), std::string::npos);
  EXPECT_NE(refusal_of_box({4, 6}, {1, 3}, {1, -1}).find("dimension 1 has length 6"), std::string::npos);
  EXPECT_NE(refusal_of_box({4, 6}, {5, 0}, {0, 1}).find("dimension 0 has length 4"), std::string::npos);
  EXPECT_EQ(refusal_of_box({4, 6}, {4, 0}, {0, 6}), "taken");
}

TEST(LayoutErrors, BoxBeyondWhatInt64Counts) {
  EXPECT_NE(refusal_of_box({4}, {huge}, {2}).find("is not inside its array"), std::string::npos);
  EXPECT_NE(refusal_of_box({4}, {2}, {huge}).find("is not inside its array"), std::string::npos);
  EXPECT_NE(refusal_of_box({4}, {-huge}, {-huge}).find("is not inside its array"), std::string::npos);
}

TEST(LayoutErrors, SecondOfSeveralBoxes) {
  EXPECT_EQ(refusal_of_box({9}, {0, 8}, {4, 2}), "the box [8:10) is not inside its array: dimension 0 has length 9");
}

TEST(LayoutErrors, OrderThatIsNoPermutation) {
  const std::string sentence = "a layout's order of axes must name each of the 2 axes once";
  for (const Order& order : {Order{0, 0}, Order{1, 2}, Order{-1, 0}, Order{0}, Order{0, 1, 2}})
    EXPECT_EQ(refusal_of_box({4, 6}, {0, 0}, {4, 6}, order), sentence);
}

TEST(LayoutErrors, ArrayOfNegativeLength) {
  EXPECT_EQ(refusal_of_box({4, -6}, {0, 0}, {4, 0}),
            "a layout's array has a dimension of length -6: lengths are 0 or more");
}

TEST(LayoutErrors, SubarrayOutsideItsMemory) {
  const auto refused = [](const Shape& memory_shape, const Shape& memory_start) {
    return refusal([&] {
      return Layout::subarray(Shape{4, 6}, Shape{0, 0}, Shape{4, 6}, Order{1, 0}, memory_shape, memory_start);
    });
  };
  EXPECT_EQ(refused({7, 5}, {1, 2}),
            "the box does not fit into its array in memory: axis 1 of memory has length 5, the box needs 4 from 2");
  EXPECT_NE(refused({7, 5}, {-1, 0}).find("axis 0 of memory has length 7"), std::string::npos);
  EXPECT_NE(refused({7, 5}, {huge, 0}).find("axis 0 of memory has length 7"), std::string::npos);
  EXPECT_EQ(refused({7, 5}, {1, 1}), "taken");
}

TEST(LayoutErrors, SubarrayOfAScalar) {
  EXPECT_EQ(refusal([] { return Layout::subarray({}, {}, {}, {}, {}, {}); }),
            "a scalar has no subarray: use a layout of one box");
}

TEST(LayoutErrors, OffsetOutsideTheArray) {
  const auto refused = [](const Shape& offsets) { return refusal([&] { return Layout::map(Shape{4, 6}, offsets); }); };
  EXPECT_EQ(refused({3, 24}),
            "element 1 of an offset map is 24, but the array has elements 0 to 23 (WEIR_ABSENT marks one "
            "that is not in the file)");
  EXPECT_NE(refused({-1}).find("element 0 of an offset map is -1"), std::string::npos);
  EXPECT_NE(refused({huge}).find("element 0 of an offset map is"), std::string::npos);
  EXPECT_EQ(refused({WEIR_ABSENT, WEIR_ABSENT, 5}), "taken");
}

TEST(Layout, ScalarIsOneElement) {
  const Layout scalar = Layout::boxes({}, {}, {}, {});
  EXPECT_EQ(scalar.shape(), Shape{1});
  EXPECT_EQ(scalar.buffer_length(), 1);
  EXPECT_EQ(reference::filled_buffer(scalar), (std::vector<std::int64_t>{0}));
}

TEST(Layout, NothingHeld) {
  EXPECT_EQ(Layout::boxes(Shape{4, 6}, Shape{}, Shape{}, {}).elements_held(), 0);
  EXPECT_TRUE(Layout::boxes(Shape{4, 6}, Shape{1, 2}, Shape{0, 4}, {}).pieces().empty());
  EXPECT_EQ(Layout::map(Shape{4, 6}, {}).buffer_length(), 0);
  EXPECT_TRUE(Layout::boxes(Shape{4, 6}, Shape{1, 2}, Shape{0, 4}, {}).flattened().pieces().empty());
}

TEST(Layout, MapJoinsNeighboursIntoRuns) {
  const Layout layout = Layout::map(Shape{20}, Shape{4, 5, 6, WEIR_ABSENT, 7, 1, 0});
  ASSERT_EQ(layout.pieces().size(), 4U);
  EXPECT_EQ(to_string(layout.pieces()[2]), "[4:7)");
  EXPECT_EQ(layout.base(2), 0);
  EXPECT_EQ(layout.base(3), 4);
}

}  // namespace
}  // namespace weir
