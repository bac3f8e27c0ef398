// SPDX-License-Identifier: Apache-2.0
// Operations and their words.
#include "accumulate/operation.hpp"

#include <gtest/gtest.h>

#include "accumulate/accumulator.hpp"

namespace weir {
namespace {

TEST(OperationWords, AreThoseOfTheConfiguration) {
  for (const std::string_view word :
       {"instant", "mean", "minimum", "maximum", "sum", "rms", "variance", "standard_deviation", "count"}) {
    ASSERT_TRUE(operation_of(word)) << word;
    EXPECT_EQ(name(*operation_of(word)), word);
  }
  EXPECT_EQ(operation_of("rms"), Operation::rms);
  EXPECT_FALSE(operation_of("average"));
  EXPECT_FALSE(operation_of(""));
}

TEST(OperationWords, HaveCellMethods) {
  EXPECT_EQ(cell_method(Operation::instant), "point");
  EXPECT_EQ(cell_method(Operation::rms), "root_mean_square");
  EXPECT_EQ(cell_method(Operation::standard_deviation), "standard_deviation");
  EXPECT_EQ(cell_method(Operation::count), "");
}

TEST(OperationWords, NameTheArraysOfTheState) {
  EXPECT_TRUE(Accumulator::state_names(Operation::instant).empty());
  for (const Operation operation : {Operation::mean, Operation::minimum, Operation::rms, Operation::variance,
                                    Operation::standard_deviation, Operation::count})
    EXPECT_EQ(Accumulator::state_names(operation).back(), "weight");
}

}  // namespace
}  // namespace weir
