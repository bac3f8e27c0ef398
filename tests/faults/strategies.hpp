// SPDX-License-Identifier: Apache-2.0
// A fault test under a strategy that is its parameter. Under `servers` the last rank is one.
#pragma once

#include "faults/faults.hpp"

namespace faults {

class StrategyTest : public FaultTest, public testing::WithParamInterface<const char*> {
 protected:
  // False on a rank that has served.
  bool begin_strategy(const std::string& more = "timeout: 60\n") {
    if (servers()) MPI_Comm_split(MPI_COMM_WORLD, rank_ == ranks_ - 1 ? 1 : 0, rank_, &team_);
    if (servers()) --ranks_;
    start(more + "strategy: " + GetParam() + "\n");
    return weir_ != nullptr;
  }
  void TearDown() override {
    if (team_ != MPI_COMM_WORLD) {
      end();
      MPI_Comm_free(&team_);
    }
    team_ = MPI_COMM_WORLD;
    FaultTest::TearDown();
  }
  bool too_few() const { return ranks_ == 1 && servers(); }
  bool is_last() const { return rank_ == ranks_ - 1; }

 private:
  static bool servers() { return std::string(GetParam()) == "servers"; }
};

inline std::string strategy_name(const testing::TestParamInfo<const char*>& tested) {
  return tested.param;
}

}  // namespace faults
