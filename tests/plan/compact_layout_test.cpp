// SPDX-License-Identifier: Apache-2.0
// Held runs and compact layouts: gathered elements lie where the compact layout says.
#include "plan/compact_layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "random_layouts.hpp"

namespace weir {
namespace {

// The runs that hold elements, from the buffer itself.
std::vector<HeldRun> runs_of_buffer(const std::vector<std::int64_t>& buffer) {
  std::vector<HeldRun> runs;
  for (std::size_t i = 0; i < buffer.size(); ++i) {
    if (buffer[i] < 0) continue;
    if (i > 0 && buffer[i - 1] >= 0)
      ++runs.back().length;
    else
      runs.push_back({static_cast<std::int64_t>(i), 1});
  }
  return runs;
}

void expect_compact(const Layout& layout) {
  const auto buffer = reference::filled_buffer(layout);
  const auto runs = held_runs(layout);
  RC_ASSERT(runs == runs_of_buffer(buffer));
  std::vector<std::int64_t> gathered;
  for (const HeldRun& run : runs)
    gathered.insert(gathered.end(), buffer.begin() + run.offset, buffer.begin() + run.offset + run.length);
  const Layout made = compact(layout);
  RC_ASSERT(made.buffer_length() == layout.elements_held());
  RC_ASSERT(reference::filled_buffer(made) == gathered);
  RC_ASSERT(made.shape() == layout.shape() && made.flat() == layout.flat());
  RC_ASSERT(made.pieces().bounds() == layout.pieces().bounds());
  RC_ASSERT(elements(made.memory_shape()) == made.buffer_length());
  RC_ASSERT(held_runs(made).size() == (made.buffer_length() == 0 ? 0U : 1U));
  RC_ASSERT(reference::filled_buffer(compact(made)) == gathered);
}

RC_GTEST_PROP(CompactLayout, GathersTheElementsOfAnyDecomposition, ()) {
  auto random = reference::random_source();
  const Shape shape = reference::random_shape(*rc::gen::inRange(1, 5), 400);
  const auto pieces = *rc::gen::element(reference::Pieces::regular, reference::Pieces::irregular,
                                        reference::Pieces::several, reference::Pieces::maps, reference::Pieces::mixed);
  const auto made = reference::decompose(shape, *rc::gen::inRange(1, 6), pieces, *rc::gen::arbitrary<bool>(), random);
  for (const Layout& layout : made.layouts) {
    expect_compact(layout);
    expect_compact(layout.flattened());
    expect_compact(compact(layout).flattened());
  }
}

// Subarrays whose memory has more than the box along some axes, and lengths of 1 along others.
RC_GTEST_PROP(CompactLayout, LeavesOutTheHaloOfAnySubarray, ()) {
  auto random = reference::random_source();
  const auto ndims = *rc::gen::inRange<std::size_t>(1, 5);
  const auto order = reference::random_order(ndims, random);
  Shape shape, start, count, memory_shape, memory_start;
  for (std::size_t d = 0; d < ndims; ++d) {
    count.push_back(reference::draw(random, 0, 8) == 0 ? 0 : reference::draw(random, 1, 4));
    start.push_back(reference::draw(random, 0, 2));
    shape.push_back(start.back() + count.back() + reference::draw(random, 0, 2));
  }
  for (const int axis : order) {
    memory_start.push_back(reference::draw(random, 0, 2));
    memory_shape.push_back(memory_start.back() + count[static_cast<std::size_t>(axis)] + reference::draw(random, 0, 2));
  }
  const Layout layout = Layout::subarray(shape, start, count, order, memory_shape, memory_start);
  expect_compact(layout);
  expect_compact(layout.flattened());
  if (layout.elements_held() == 0) return;
  Shape lengths;
  for (const int axis : order) lengths.push_back(count[static_cast<std::size_t>(axis)]);
  RC_ASSERT(compact(layout).memory_shape() == lengths);
}

TEST(CompactLayout, OfAScalarAndOfNothing) {
  const IndexView none;
  const Layout scalar = Layout::boxes(none, none, none, {});
  EXPECT_EQ(held_runs(scalar), (std::vector<HeldRun>{{0, 1}}));
  EXPECT_EQ(compact(scalar).buffer_length(), 1);
  const Shape shape{4, 5};
  const Layout nothing = Layout::boxes(shape, none, none, {});
  EXPECT_TRUE(held_runs(nothing).empty());
  EXPECT_EQ(compact(nothing).buffer_length(), 0);
}

TEST(CompactLayout, OfAMapWithAbsentElements) {
  const Shape shape{10};
  const std::vector<std::int64_t> offsets{WEIR_ABSENT, 7, 3, WEIR_ABSENT, WEIR_ABSENT, 4, 9, WEIR_ABSENT};
  const Layout layout = Layout::map(shape, offsets);
  EXPECT_EQ(held_runs(layout), (std::vector<HeldRun>{{1, 2}, {5, 2}}));
  EXPECT_EQ(reference::filled_buffer(compact(layout)), (std::vector<std::int64_t>{7, 3, 4, 9}));
}

}  // namespace
}  // namespace weir
