// SPDX-License-Identifier: Apache-2.0
// How the ranks of a simulated model compute between their outputs: as bench/compute.hpp does, steps that begin with an
// exchange of halos; and ranks differ in speed as the machine's do. Pure, Local.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/job.hpp"

namespace weir::simulate {

class Model {
 public:
  Model(Job& job, std::uint64_t seed);
  // The rank computes its phase before a record.
  void compute(int rank, std::int64_t phase);

 private:
  void find_neighbours(int rank);
  void exchange(int rank, int step);
  void work(RankState& state, double seconds);
  double seconds(int rank, std::int64_t phase) const;

  Job& job_;
  std::vector<double> speed_;  // factor of each rank's time
  std::vector<std::vector<int>> neighbours_;
  std::vector<int> step_;     // that each rank has come to
  std::vector<int> came_;     // by step, where all agree
  std::deque<Signal> moved_;  // told when the rank comes to a step
};

}  // namespace weir::simulate
