// SPDX-License-Identifier: Apache-2.0
// What a policy (schedule/policy.hpp) is told: the paper's states, which are what is cached and how many writers are in
// use, and what tells machines and jobs apart, so that one policy can serve many. Training and use ask the same
// function. Pure, Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/profile.hpp"

namespace weir::simulate {

struct PolicyState {
  int ranks = 1;
  int ranks_per_node = 1;      // 0: as many as the profile has cores
  double variable_bytes = 1;   // of all ranks
  double compute_seconds = 0;  // between the beginnings of two records
  int variables = 1;           // of a record
  int place = 0;               // of the next variable in its record
  int puts_left = 1;           // until the run's end
  int cached = 0;              // variables
  int writers_in_use = 0;      // that hold them
};

const std::vector<std::string>& policy_input_names();
// As many as there are names, in their order.
std::vector<double> policy_inputs(const Profile& profile, const PolicyState& state);

}  // namespace weir::simulate
