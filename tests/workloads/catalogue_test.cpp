// SPDX-License-Identifier: Apache-2.0
// Every workload of the catalogue, on ranks few, many and prime: each element of each decomposition is held by one rank
// and by one only, variables have the shapes of their decompositions, and the simulator writes the same bytes.
#include "workloads/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "simulate/workload.hpp"

namespace weir::workloads {
namespace {

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// By box: adds one to each of its elements.
void cover(const Decomposition& decomposition, const Part& part, std::vector<int>& held) {
  Extents index = part.start;
  for (std::int64_t left = product(part.count); left > 0; --left) {
    std::int64_t at = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) at = at * decomposition.shape[axis] + index[axis];
    ++held[static_cast<std::size_t>(at)];
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < part.start[axis] + part.count[axis]) break;
      index[axis] = part.start[axis];
    }
  }
}

Extents shape_of(const Description& work, const Variable& variable) {
  Extents shape;
  for (std::size_t i = variable.record ? 1 : 0; i < variable.dims.size(); ++i)
    shape.push_back(work.dimensions[static_cast<std::size_t>(variable.dims[i])].length);
  return shape;
}

TEST(Catalogue, EveryElementIsHeldByOneRank) {
  for (const std::string& name : names())
    for (const int ranks : {1, 2, 7, 12, 36}) {
      const Description work = describe({name, ranks, 0.002, 0});
      for (const Decomposition& decomposition : work.decompositions) {
        std::vector<int> held(static_cast<std::size_t>(product(decomposition.shape)));
        for (int rank = 0; rank < ranks; ++rank) cover(decomposition, decomposition.part(rank), held);
        EXPECT_EQ(std::count(held.begin(), held.end(), 1), std::ssize(held)) << name << " on " << ranks;
      }
      for (const Variable& variable : work.variables)
        if (variable.decomposition != Variable::rank_zero_alone) {
          EXPECT_EQ(shape_of(work, variable),
                    work.decompositions[static_cast<std::size_t>(variable.decomposition)].shape)
              << name << ", " << variable.name;
        }
    }
}

TEST(Catalogue, TheSimulatorWritesTheSame) {
  for (const std::string& name : names()) {
    const Description work = describe({name, 6, 0.01, 2});
    std::int64_t bytes = 0;
    for (const Variable& variable : work.variables)
      bytes += product(shape_of(work, variable)) * type_bytes(variable.type) * (variable.record ? 2 : 1);
    simulate::WorkloadRequest request;
    request.name = name;
    request.ranks = 6;
    request.scale = 0.01;
    request.records = 2;
    const simulate::Workload simulated = simulate::make_workload(request);
    EXPECT_EQ(simulated.bytes(), bytes) << name;
    EXPECT_EQ(simulated.variables.size(), work.variables.size()) << name;
  }
}

TEST(Catalogue, KnowsItsPapersSizes) {
  EXPECT_EQ(describe({"jacobi", 8, 1, 0}).records, 10);
  EXPECT_EQ(describe({"cmaq-app", 8, 1, 0}).records, 24);
  EXPECT_EQ(describe({"licom", 8, 1, 0}).decompositions[0].shape, (Extents{55, 2302, 3600}));
  EXPECT_EQ(describe({"weak", 27, 1, 0}).decompositions[0].shape, (Extents{210, 180, 150}));
  EXPECT_EQ(balanced_factors(12, 2), (std::vector<int>{4, 3}));
  EXPECT_EQ(balanced_factors(64, 3), (std::vector<int>{4, 4, 4}));
  EXPECT_EQ(balanced_factors(7, 3), (std::vector<int>{7, 1, 1}));
}

TEST(Catalogue, RefusesWhatCannotBe) {
  EXPECT_THROW(describe({"weather", 4, 1, 0}), Error);
  EXPECT_THROW(describe({"weak", 0, 1, 0}), Error);
  EXPECT_THROW(describe({"weak", 4, 0, 0}), Error);
  EXPECT_THROW(describe({"weak", 4, 1, -1}), Error);
}

}  // namespace
}  // namespace weir::workloads
