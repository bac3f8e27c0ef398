// SPDX-License-Identifier: Apache-2.0
#include "core/boxes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <map>
#include <numeric>

namespace weir::bridge {
namespace {

std::size_t size_of(const IndexBox& box) {
  return std::accumulate(box.count.begin(), box.count.end(), std::size_t{1}, std::multiplies<>());
}

// How often each element is in a box, by its index in the array that begins at 0 and ends where `whole` does.
void count_elements(const IndexBox& box, std::map<std::vector<std::size_t>, int>& times) {
  std::vector<std::size_t> index = box.start;
  for (std::size_t n = 0; n < size_of(box); ++n) {
    std::size_t rest = n;
    for (std::size_t d = index.size(); d-- > 0; rest /= box.count[d]) index[d] = box.start[d] + rest % box.count[d];
    ++times[index];
  }
}

RC_GTEST_PROP(Boxes, HoldEveryElementOnce, ()) {
  const auto dims = *rc::gen::inRange<std::size_t>(0, 5);
  IndexBox whole;
  for (std::size_t d = 0; d < dims; ++d) {
    whole.start.push_back(*rc::gen::inRange<std::size_t>(0, 5));
    whole.count.push_back(*rc::gen::inRange<std::size_t>(1, 6));
  }
  const auto most = *rc::gen::inRange<std::size_t>(1, 200);
  const Boxes boxes(whole, most);
  std::map<std::vector<std::size_t>, int> times;
  for (std::size_t n = 0; n < boxes.number(); ++n) {
    RC_ASSERT(size_of(boxes.at(n)) <= boxes.most_elements());
    count_elements(boxes.at(n), times);
  }
  RC_ASSERT(boxes.most_elements() <= most);
  RC_ASSERT(times.size() == size_of(whole));
  for (const auto& [index, how_often] : times) RC_ASSERT(how_often == 1);
}

TEST(Boxes, OfAVariableThatFitsAreOne) {
  const Boxes boxes({{3, 0, 0}, {1, 4, 5}}, 20);
  EXPECT_EQ(boxes.number(), 1U);
  EXPECT_EQ(boxes.at(0).start, (std::vector<std::size_t>{3, 0, 0}));
  EXPECT_EQ(boxes.at(0).count, (std::vector<std::size_t>{1, 4, 5}));
}

TEST(Boxes, OfWholeRowsAreAsFewAsTheRowsTheyMayHave) {
  const Boxes boxes({{0, 0}, {10, 7}}, 4 * 7);
  EXPECT_EQ(boxes.number(), 3U);
  EXPECT_EQ(boxes.at(2).count, (std::vector<std::size_t>{2, 7}));
}

TEST(Boxes, BeyondTheLastHaveNoElement) {
  const Boxes boxes({{0, 0}, {4, 5}}, 10);
  EXPECT_EQ(boxes.number(), 2U);
  EXPECT_EQ(size_of(boxes.at(2)), 0U);
  EXPECT_EQ(size_of(boxes.at(7)), 0U);
}

}  // namespace
}  // namespace weir::bridge
