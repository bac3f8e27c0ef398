// SPDX-License-Identifier: Apache-2.0
// Trials made smaller, step by step: who looks for why one failed leaves out all that the failure does not need. What a
// step leaves is a trial again, which the library is to pass as it is to pass those that are drawn.
#pragma once

#include <string>
#include <vector>

#include "draw.hpp"

namespace sim {

// What may be left out of it, large parts first, each in a few words.
std::vector<std::string> steps_down(const Trial& trial);
// Without that. Throws std::invalid_argument where it is no step down from this trial.
Trial smaller(Trial trial, const std::string& step);
// The steps in their order, between semicolons.
Trial smaller_by(Trial trial, const std::string& steps);

// Some steps that the seed chooses.
std::string some_steps(Trial trial);

// "2 ranks on 1 host, 1 file, 3 puts, 1 record, 1 fault"
std::string size_of(const Trial& trial);
// What kind of failure a sentence tells of; of the next run's, the same.
std::string kind_of(const std::string& wrong);

}  // namespace sim
