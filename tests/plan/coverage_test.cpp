// SPDX-License-Identifier: Apache-2.0
// Exactly once, compared with counting every element's claims.
#include "plan/coverage.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "random_layouts.hpp"

namespace weir {
namespace {

struct Case {
  Case()
      : shape(reference::random_shape(*rc::gen::inRange(1, 5), 400)),
        region(static_cast<int>(shape.size())),
        claims(static_cast<int>(shape.size())) {
    add_box(region);
  }
  void add_box(BoxList& boxes) const {
    Shape lo, hi;
    for (std::int64_t length : shape) {
      lo.push_back(*rc::gen::inRange<std::int64_t>(0, length));
      hi.push_back(*rc::gen::inRange<std::int64_t>(lo.back() + 1, length + 1));
    }
    boxes.add(lo, hi);
  }
  // Of each element of the array: how often it is claimed, or -1 outside the region.
  std::vector<int> counted() const {
    std::vector<int> count(static_cast<std::size_t>(elements(shape)), -1);
    reference::for_each_element(region[0], shape, [&](std::int64_t e) { count[static_cast<std::size_t>(e)] = 0; });
    for (std::size_t i = 0; i < claims.boxes.size(); ++i)
      reference::for_each_element(claims.boxes[i], shape, [&](std::int64_t e) {
        int& n = count[static_cast<std::size_t>(e)];
        n += n >= 0;
      });
    return count;
  }

  Shape shape;
  BoxList region;
  Claims claims;
};

void check_holes(const Case& c, const Coverage& coverage, std::vector<int> count) {
  for (std::size_t i = 0; i < coverage.holes.size(); ++i) {
    RC_ASSERT(coverage.holes[i].volume() > 0);
    reference::for_each_element(coverage.holes[i], c.shape, [&](std::int64_t e) {
      RC_ASSERT(count[static_cast<std::size_t>(e)] == 0);
      count[static_cast<std::size_t>(e)] = 1;
    });
  }
  for (int n : count) RC_ASSERT(n != 0);
}

RC_GTEST_PROP(Examine, FindsOverlapsAndHoles, ()) {
  Case c;
  const int claims = *rc::gen::inRange(0, 6);
  for (int i = 0; i < claims; ++i) {
    c.add_box(c.claims.boxes);
    c.claims.ranks.push_back(i);
  }
  const std::vector<int> count = c.counted();
  const Coverage coverage = examine(c.region[0], c.claims);
  const bool overlaps = std::any_of(count.begin(), count.end(), [](int n) { return n > 1; });
  RC_CLASSIFY(overlaps);
  RC_ASSERT(coverage.overlap.has_value() == overlaps);
  if (!overlaps) return check_holes(c, coverage, count);
  const auto a = static_cast<std::size_t>(coverage.overlap->first_claim);
  const auto b = static_cast<std::size_t>(coverage.overlap->second_claim);
  RC_ASSERT(a != b);
  BoxList both(static_cast<int>(c.shape.size())), inside(static_cast<int>(c.shape.size()));
  intersect(c.claims.boxes[a], c.claims.boxes[b], both);
  RC_ASSERT(both.size() == 1U);
  intersect(both[0], c.region[0], inside);
  RC_ASSERT(inside.size() == 1U);
}

// Claims that tile the array but for some holes: what random boxes seldom do.
RC_GTEST_PROP(Examine, FindsExactlyTheHoles, ()) {
  Case c;
  auto random = reference::random_source();
  const auto wanted = *rc::gen::inRange<std::size_t>(1, 40);
  const BoxList boxes = reference::irregular_boxes(c.shape, wanted, random);
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    if (reference::draw(random, 0, 4) == 0) continue;
    c.claims.boxes.add(boxes[b]);
    c.claims.ranks.push_back(static_cast<int>(b));
  }
  const Coverage coverage = examine(c.region[0], c.claims);
  RC_ASSERT(!coverage.overlap.has_value());
  check_holes(c, coverage, c.counted());
}

TEST(Examine, NobodyClaimsAnything) {
  const Shape lo{1, 2}, hi{4, 9};
  const Coverage coverage = examine(Box{lo, hi}, Claims(2));
  ASSERT_EQ(coverage.holes.size(), 1U);
  EXPECT_EQ(to_string(coverage.holes[0]), "[1:4, 2:9)");
  EXPECT_FALSE(coverage.overlap.has_value());
}

TEST(Examine, SameBoxTwice) {
  const Shape lo{0}, hi{9};
  Claims claims(1);
  claims.boxes.add(lo, hi);
  claims.boxes.add(lo, hi);
  claims.ranks = {4, 4};
  const Coverage coverage = examine(Box{lo, hi}, claims);
  ASSERT_TRUE(coverage.overlap.has_value());
  EXPECT_EQ(coverage.overlap->first_claim + coverage.overlap->second_claim, 1);
}

}  // namespace
}  // namespace weir
