// SPDX-License-Identifier: Apache-2.0
// Lists of slabs are cut where slabs meet, and nowhere else.
#include "core/slab_list.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "core/record_pieces.hpp"

namespace weir::bridge {
namespace {

Slab drawn(std::size_t ndims, bool is_strided, std::int64_t most) {
  Slab slab;
  for (std::size_t d = 0; d < ndims; ++d) {
    slab.start.push_back(*rc::gen::inRange<std::int64_t>(0, 20));
    slab.count.push_back(*rc::gen::inRange<std::int64_t>(1, most + 1));
    if (is_strided) slab.stride.push_back(*rc::gen::inRange<std::int64_t>(1, 4));
  }
  return slab;
}

// Where the list would be cut by comparing each slab with those before it.
std::vector<std::size_t> cuts_of(const std::vector<Slab>& slabs, bool (*meet)(const Slab&, const Slab&)) {
  std::vector<std::size_t> firsts{0};
  for (std::size_t n = 0; n < slabs.size(); ++n)
    for (std::size_t before = firsts.back(); before < n; ++before)
      if (meet(slabs[n], slabs[before])) {
        firsts.push_back(n);
        break;
      }
  return firsts;
}

// Few slabs are compared each with each, many small ones kept in order: both ways are drawn.
RC_GTEST_PROP(SlabList, IsCutWhereSlabsMeet, ()) {
  const bool are_many = *rc::gen::arbitrary<bool>(), some_strided = *rc::gen::arbitrary<bool>();
  const auto ndims = *rc::gen::inRange<std::size_t>(1, 4);
  const auto number = *rc::gen::inRange<std::size_t>(1, are_many ? 400 : 20);
  std::vector<Slab> slabs;
  SlabList list;
  for (std::size_t n = 0; n < number; ++n) {
    slabs.push_back(drawn(ndims, some_strided && *rc::gen::arbitrary<bool>(), are_many ? 2 : 6));
    list.add(slabs.back());
  }
  RC_ASSERT(list.size() == number);
  for (std::size_t n = 0; n < number; ++n) {
    const Slab kept = list.at(n);
    RC_ASSERT(kept.start == slabs[n].start && kept.count == slabs[n].count);
    for (std::size_t d = 0; d < ndims; ++d)
      RC_ASSERT((kept.stride.empty() ? 1 : kept.stride[d]) == (slabs[n].stride.empty() ? 1 : slabs[n].stride[d]));
  }
  const std::vector<std::size_t> firsts = list.first_of_parts();
  if (some_strided)  // bounds may meet where no elements do
    RC_ASSERT(firsts == cuts_of(slabs, do_meet) || firsts == cuts_of(slabs, may_meet));
  else
    RC_ASSERT(firsts == cuts_of(slabs, do_meet));
}

// Columns of a grid of cells, each level a slab, as a model puts them that names every run of its cells.
TEST(SlabList, OfManySlabsTakesNoLonger) {
  constexpr std::int64_t levels = 100, cells = 6000;
  SlabList list;
  for (std::int64_t cell = 0; cell < cells; cell += 2)
    for (std::int64_t level = 0; level < levels; ++level) list.add({{0, level, cell}, {1, 1, 1}, {}});
  EXPECT_EQ(list.first_of_parts(), std::vector<std::size_t>{0});
  list.add({{0, 50, 0}, {1, 1, 3}, {}});
  EXPECT_EQ(list.first_of_parts(), (std::vector<std::size_t>{0, levels * cells / 2}));
}

TEST(SlabList, OfAScalarIsCutAtEach) {
  SlabList list;
  EXPECT_TRUE(list.first_of_parts().empty());
  list.add({});
  list.add({});
  EXPECT_EQ(list.first_of_parts(), (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace weir::bridge
