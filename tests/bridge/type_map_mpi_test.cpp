// SPDX-License-Identifier: Apache-2.0
// ranks: 1
// The runs of any datatype are what MPI_Pack takes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "bridge/own_type.hpp"
#include "core/type_map.hpp"

namespace weir::bridge {
namespace {

using Bytes = std::vector<unsigned char>;
constexpr std::int64_t margin = 1000;  // for what is read in the wrong place

std::vector<ByteRun> runs_of(MPI_Datatype datatype) {
  std::vector<ByteRun> runs;
  const auto map = TypeMap::of(datatype);
  EXPECT_TRUE(map.has_value());
  if (map)
    map->each_run([&](ByteRun run) {
      runs.push_back(run);
      return true;
    });
  return runs;
}

int draw(int from, int to) {
  return *rc::gen::inRange(from, to + 1);
}

std::vector<int> draw_some(int count, int from, int to) {
  std::vector<int> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(draw(from, to));
  return drawn;
}

std::vector<MPI_Aint> draw_places(int count) {
  std::vector<MPI_Aint> drawn;
  for (int i = 0; i < count; ++i) drawn.push_back(draw(-40, 80));
  return drawn;
}

MPI_Datatype draw_basic() {
  const MPI_Datatype basics[] = {MPI_BYTE, MPI_SHORT, MPI_INT, MPI_DOUBLE};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_dup(basics[draw(0, 3)], &made);
  return made;
}

MPI_Datatype draw_subarray(MPI_Datatype part) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int ndims = draw(1, 3);
  const auto wanted = static_cast<std::size_t>(ndims);
  std::vector<int> sizes(wanted), counts(wanted), starts(wanted);
  for (std::size_t d = 0; d < wanted; ++d) {
    sizes[d] = draw(1, 4);
    counts[d] = draw(1, sizes[d]);
    starts[d] = draw(0, sizes[d] - counts[d]);
  }
  MPI_Type_create_subarray(ndims, sizes.data(), counts.data(), starts.data(),
                           draw(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, part, &made);
  return made;
}

MPI_Datatype draw_type(int depth);

MPI_Datatype draw_struct(int count, int depth) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  std::vector<MPI_Datatype> parts;
  for (int i = 0; i < count; ++i) parts.push_back(draw_type(depth - 1));
  MPI_Type_create_struct(count, draw_some(count, 0, 3).data(), draw_places(count).data(), parts.data(), &made);
  for (MPI_Datatype& each : parts) MPI_Type_free(&each);
  return made;
}

MPI_Datatype draw_of_blocks(MPI_Datatype part) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int count = draw(0, 3), length = draw(0, 3);
  const std::vector<int> lengths = draw_some(count, 0, 3), numbers = draw_some(count, -3, 6);
  const std::vector<MPI_Aint> places = draw_places(count);
  switch (draw(0, 3)) {
    case 0:
      MPI_Type_indexed(count, lengths.data(), numbers.data(), part, &made);
      break;
    case 1:
      MPI_Type_create_hindexed(count, lengths.data(), places.data(), part, &made);
      break;
    case 2:
      MPI_Type_create_indexed_block(count, length, numbers.data(), part, &made);
      break;
    default:
      MPI_Type_create_hindexed_block(count, length, places.data(), part, &made);
  }
  return made;
}

// Strides are not negative: Open MPI 4.1 packs a vector whose stride is its part's extent backwards as one forwards.
MPI_Datatype draw_of_one(MPI_Datatype part) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  switch (draw(0, 6)) {
    case 0:
      MPI_Type_dup(part, &made);
      break;
    case 1:
      MPI_Type_contiguous(draw(0, 4), part, &made);
      break;
    case 2:
      MPI_Type_vector(draw(0, 3), draw(0, 3), draw(0, 5), part, &made);
      break;
    case 3:
      MPI_Type_create_hvector(draw(0, 3), draw(0, 3), draw(0, 80), part, &made);
      break;
    case 4:
      MPI_Type_create_resized(part, draw(-8, 8), draw(0, 60), &made);
      break;
    case 5:
      return draw_subarray(part);
    default:
      return draw_of_blocks(part);
  }
  return made;
}

#if MPI_VERSION >= 4
// The same by MPI 4's functions with large counts.
MPI_Datatype draw_with_large_counts(MPI_Datatype part) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const auto draw_counts = [](int count, int from, int to) {
    const std::vector<int> drawn = draw_some(count, from, to);
    return std::vector<MPI_Count>(drawn.begin(), drawn.end());
  };
  const int count = draw(1, 3), length = draw(0, 3);
  const auto lengths = draw_counts(count, 0, 3), places = draw_counts(count, -40, 80);
  const std::vector<MPI_Datatype> parts(static_cast<std::size_t>(count), part);
  switch (draw(0, 9)) {
    case 0:
      MPI_Type_contiguous_c(count, part, &made);
      break;
    case 1:
      MPI_Type_vector_c(count, length, draw(0, 5), part, &made);
      break;
    case 2:
      MPI_Type_create_hvector_c(count, length, draw(0, 80), part, &made);
      break;
    case 3:
      MPI_Type_create_resized_c(part, draw(-8, 8), draw(0, 60), &made);
      break;
    case 4:
      MPI_Type_indexed_c(count, lengths.data(), draw_counts(count, -3, 6).data(), part, &made);
      break;
    case 5:
      MPI_Type_create_hindexed_c(count, lengths.data(), places.data(), part, &made);
      break;
    case 6:
      MPI_Type_create_indexed_block_c(count, length, draw_counts(count, -3, 6).data(), part, &made);
      break;
    case 7:
      MPI_Type_create_hindexed_block_c(count, length, places.data(), part, &made);
      break;
    case 8:
      MPI_Type_create_struct_c(count, lengths.data(), places.data(), parts.data(), &made);
      break;
    default:
      MPI_Type_create_subarray_c(count, draw_counts(count, 4, 6).data(), draw_counts(count, 1, 2).data(),
                                 draw_counts(count, 0, 2).data(), draw(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                                 part, &made);
  }
  return made;
}
#else
MPI_Datatype draw_with_large_counts(MPI_Datatype part) {
  return draw_of_one(part);
}
#endif

MPI_Datatype draw_type(int depth) {
  if (depth == 0) return draw_basic();
  if (draw(0, 7) == 0) return draw_struct(draw(1, 3), depth);
  MPI_Datatype part = draw_type(depth - 1);
  MPI_Datatype made = draw(0, 3) == 0 ? draw_with_large_counts(part) : draw_of_one(part);
  MPI_Type_free(&part);
  return made;
}

// What MPI takes of an array from `low` to `high` whose byte i, counted from `low`, is the digit `digit` of i.
Bytes packed(MPI_Datatype datatype, std::int64_t low, std::int64_t high, int digit) {
  Bytes memory(static_cast<std::size_t>(high - low));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<unsigned char>(i >> (8 * digit));
  int bytes = 0, at = 0;
  MPI_Pack_size(1, datatype, MPI_COMM_SELF, &bytes);
  Bytes out(static_cast<std::size_t>(bytes));
  MPI_Pack(memory.data() - low, 1, datatype, out.data(), bytes, &at, MPI_COMM_SELF);
  out.resize(static_cast<std::size_t>(at));
  return out;
}

RC_GTEST_PROP(TypeMap, IsWhatMpiPacks, ()) {
  MPI_Datatype drawn = draw_type(draw(0, 4));
  const OwnType datatype([&](MPI_Datatype* made) { *made = drawn; });
  MPI_Type_commit(&drawn);
  int size = 0;
  MPI_Type_size(datatype, &size);
  std::vector<std::int64_t> places;
  for (const ByteRun& run : runs_of(datatype)) {
    RC_ASSERT(run.bytes > 0);
    for (std::int64_t i = 0; i < run.bytes; ++i) places.push_back(run.begin + i);
  }
  RC_ASSERT(std::ssize(places) == size);
  if (size == 0) return;
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  const std::int64_t from = *low - margin, to = *high + margin;
  RC_PRE(to - from < 1 << 24);
  for (int digit = 0; digit < 3; ++digit) {
    const Bytes wanted = packed(datatype, from, to, digit);
    RC_ASSERT(std::ssize(wanted) == size);
    for (std::size_t i = 0; i < places.size(); ++i)
      RC_ASSERT(static_cast<unsigned char>((places[i] - from) >> (8 * digit)) == wanted[i]);
  }
}

TEST(TypeMap, TakesWhatLiesTogetherAsOneRun) {
  const OwnType pair([](MPI_Datatype* made) { MPI_Type_contiguous(2, MPI_DOUBLE, made); });
  const OwnType many([&](MPI_Datatype* made) { MPI_Type_vector(1000, 3, 3, pair, made); });
  EXPECT_EQ(runs_of(many), (std::vector<ByteRun>{{0, 48000}}));
  const int sizes[] = {4, 100}, counts[] = {2, 100}, starts[] = {1, 0};
  const OwnType rows(
      [&](MPI_Datatype* made) { MPI_Type_create_subarray(2, sizes, counts, starts, MPI_ORDER_C, MPI_INT, made); });
  EXPECT_EQ(runs_of(rows), (std::vector<ByteRun>{{400, 800}}));
}

TEST(TypeMap, EndsWhereItIsToldTo) {
  const OwnType far([](MPI_Datatype* made) { MPI_Type_vector(1 << 30, 1, 2, MPI_BYTE, made); });
  const auto map = TypeMap::of(far);
  ASSERT_TRUE(map.has_value());
  int runs = 0;
  EXPECT_FALSE(map->each_run([&](ByteRun) { return ++runs < 5; }));
  EXPECT_EQ(runs, 5);
}

TEST(TypeMap, DoesNotReadEverything) {
  EXPECT_FALSE(TypeMap::of(MPI_DOUBLE_INT)) << "a basic type with a gap";
  const int size = 10, cut = MPI_DISTRIBUTE_BLOCK, argument = MPI_DISTRIBUTE_DFLT_DARG, ranks = 2;
  const OwnType dealt([&](MPI_Datatype* made) {
    MPI_Type_create_darray(2, 0, 1, &size, &cut, &argument, &ranks, MPI_ORDER_C, MPI_INT, made);
  });
  EXPECT_FALSE(TypeMap::of(dealt));
  const std::vector<int> lengths(1 << 18, 1), places(1 << 18, 7);
  const OwnType long_list(
      [&](MPI_Datatype* made) { MPI_Type_indexed(1 << 18, lengths.data(), places.data(), MPI_INT, made); });
  EXPECT_FALSE(TypeMap::of(long_list));
}

TEST(TypeMap, IsNotReadDeeperThanAnybodyNests) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_dup(MPI_INT, &type);
  for (int i = 0; i < 100; ++i) {
    MPI_Datatype next = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(2, 1, 8 << (i % 20), type, &next);
    MPI_Type_free(&type);
    type = next;
    EXPECT_EQ(TypeMap::of(type).has_value(), i < 63);
  }
  MPI_Type_free(&type);
}

}  // namespace
}  // namespace weir::bridge
