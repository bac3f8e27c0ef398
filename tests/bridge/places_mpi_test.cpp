// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// Slabs made of a datatype name the elements at its bytes, in its order.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "bridge/own_type.hpp"
#include "core/byte_offsets.hpp"

namespace weir::bridge {
namespace {

std::optional<std::vector<Slab>> slabs_of(MPI_Datatype datatype, const ByteArray& array) {
  const auto map = TypeMap::of(datatype);
  return map ? slabs_at(*map, array) : std::nullopt;
}

void add_elements(const Slab& slab, IndexView distances, std::vector<std::int64_t>& elements) {
  Shape at(slab.count.size(), 0);
  for (std::int64_t left = slab.elements(); left > 0; --left) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < at.size(); ++d)
      element += (slab.start[d] + at[d] * (slab.stride.empty() ? 1 : slab.stride[d])) * distances[d];
    elements.push_back(element);
    for (std::size_t d = at.size(); d-- > 0 && ++at[d] == slab.count[d];) at[d] = 0;
  }
}

// Single elements, as places of bytes.
std::optional<std::vector<Slab>> slabs_of_elements(const std::vector<std::int64_t>& elements, const ByteArray& array) {
  const std::int64_t inner =
      std::accumulate(array.shape.begin() + 1, array.shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>());
  std::vector<MPI_Aint> places;
  for (const std::int64_t each : elements)
    places.push_back(array.record ? each / inner * array.record_bytes + each % inner * array.element_bytes
                                  : each * array.element_bytes);
  const OwnType datatype([&](MPI_Datatype* made) {
    MPI_Type_create_hindexed_block(static_cast<int>(places.size()), array.element_bytes, places.data(), MPI_BYTE, made);
  });
  return slabs_of(datatype, array);
}

RC_GTEST_PROP(Places, AreTheElementsInTheirOrder, ()) {
  ByteArray array;
  array.element_bytes = *rc::gen::element(1, 2, 4, 8);
  array.record = *rc::gen::arbitrary<bool>();
  const int ndims = *rc::gen::inRange(1, 4);
  for (int d = 0; d < ndims; ++d) array.shape.push_back(*rc::gen::inRange(1, 5));
  const std::int64_t all = elements(array.shape);
  array.record_bytes = all / array.shape[0] * array.element_bytes + *rc::gen::inRange(0, 9);
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(all));
  std::iota(wanted.begin(), wanted.end(), 0);
  const int one_in = *rc::gen::inRange(1, 5);
  std::erase_if(wanted, [&](std::int64_t) { return *rc::gen::inRange(0, one_in) != 0; });
  const auto slabs = slabs_of_elements(wanted, array);
  RC_ASSERT(slabs.has_value());
  std::vector<std::int64_t> found;
  for (const Slab& slab : *slabs) add_elements(slab, strides(array.shape), found);
  RC_ASSERT(found == wanted);
}

// y = 6, x = 8, of ints.
const ByteArray plane{{6, 8}, 4, false, 0};

TEST(Places, OfABoxAreOneSlab) {
  const int sizes[] = {5, 6, 7}, counts[] = {2, 3, 4}, starts[] = {1, 2, 3};
  const OwnType box(
      [&](MPI_Datatype* made) { MPI_Type_create_subarray(3, sizes, counts, starts, MPI_ORDER_C, MPI_INT, made); });
  const auto slabs = slabs_of(box, {{5, 6, 7}, 4, false, 0});
  ASSERT_TRUE(slabs && slabs->size() == 1);
  EXPECT_EQ((*slabs)[0].start, (Shape{1, 2, 3}));
  EXPECT_EQ((*slabs)[0].count, (Shape{2, 3, 4}));
  EXPECT_TRUE((*slabs)[0].stride.empty());
}

TEST(Places, OfEverySecondElementAreOneSlab) {
  const OwnType every_second([](MPI_Datatype* made) { MPI_Type_vector(24, 1, 2, MPI_INT, made); });
  const auto slabs = slabs_of(every_second, plane);
  ASSERT_TRUE(slabs && slabs->size() == 1);
  EXPECT_EQ((*slabs)[0].count, (Shape{6, 4}));
  EXPECT_EQ((*slabs)[0].stride, (Shape{1, 2}));
}

TEST(Places, OfAScalarAreItsElement) {
  const auto slabs = slabs_of(MPI_INT, {{}, 4, false, 0});
  ASSERT_TRUE(slabs && slabs->size() == 1);
  EXPECT_EQ((*slabs)[0].elements(), 1);
  EXPECT_FALSE(slabs_of(MPI_DOUBLE, {{}, 4, false, 0})) << "more than the scalar";
}

TEST(Places, OfRecordsAreThisVariables) {
  const ByteArray row{{0, 3}, 4, true, 20};
  const MPI_Aint places[] = {4, 40}, astride[] = {16, 40}, before[] = {-20, 4};
  const auto slabs_from = [&](const MPI_Aint* from) {
    return slabs_of(OwnType([&](MPI_Datatype* made) { MPI_Type_create_hindexed_block(2, 2, from, MPI_INT, made); }),
                    row);
  };
  const auto slabs = slabs_from(places);
  ASSERT_TRUE(slabs && slabs->size() == 2);
  EXPECT_EQ((*slabs)[1].start, (Shape{2, 0}));
  EXPECT_FALSE(slabs_from(astride)) << "of the variable behind, and on to the next record";
  EXPECT_FALSE(slabs_from(before));
  const OwnType whole([](MPI_Datatype* made) { MPI_Type_contiguous(6, MPI_INT, made); });
  EXPECT_FALSE(slabs_of(whole, row)) << "two variables";
  const auto alone = slabs_of(whole, {{0, 3}, 4, true, 12});
  ASSERT_TRUE(alone && alone->size() == 1) << "two records of the only variable";
  EXPECT_EQ((*alone)[0].count, (Shape{2, 3}));
}

TEST(Places, ThatAreNoneOfTheVariablesElementsAreRefused) {
  const auto refused = [](std::vector<MPI_Aint> places, int bytes) {
    return !slabs_of(OwnType([&](MPI_Datatype* made) {
                       MPI_Type_create_hindexed_block(static_cast<int>(places.size()), bytes, places.data(), MPI_BYTE,
                                                      made);
                     }),
                     plane);
  };
  EXPECT_FALSE(refused({0, 8}, 4));
  EXPECT_TRUE(refused({0, 8}, 6)) << "half an element";
  EXPECT_TRUE(refused({2, 8}, 4)) << "between elements";
  EXPECT_TRUE(refused({8, 0}, 4)) << "not ascending";
  EXPECT_TRUE(refused({8, 8}, 4)) << "twice the same";
  EXPECT_TRUE(refused({188, 192}, 4)) << "behind the end";
  EXPECT_FALSE(slabs_of(MPI_INT, {{0, 8}, 4, false, 0})) << "of a variable of nothing";
  EXPECT_FALSE(slabs_of(MPI_INT, {{0, 0}, 4, true, 0}));
  EXPECT_FALSE(slabs_of(MPI_INT, {{0, 8}, 4, true, 0})) << "records of nothing";
}

TEST(Places, OfTooManyRunsAreRefused) {
  const ByteArray line{{1 << 24}, 1, false, 0};
  const OwnType pairs([](MPI_Datatype* made) { MPI_Type_vector(1 << 17, 2, 5, MPI_BYTE, made); });
  EXPECT_FALSE(slabs_of(pairs, line)) << "a slab each";
  const OwnType singles([](MPI_Datatype* made) { MPI_Type_vector(1 << 21, 1, 5, MPI_BYTE, made); });
  EXPECT_FALSE(slabs_of(singles, line)) << "one slab, but long to make";
}

}  // namespace
}  // namespace weir::bridge
