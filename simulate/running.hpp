// SPDX-License-Identifier: Apache-2.0
// What simulations of writing and of reading have in common: all ranks live, and what was spent is added up. Local.
#pragma once

#include <functional>

#include "simulate/job.hpp"

namespace weir::simulate {

// Of this process, so far.
double processor_seconds();
// Until nothing is left to happen. Throws Error(WEIR_EINTERNAL) where a rank is not done then, and what a rank threw.
void run_all(Job& job, const std::function<void(int)>& live);
// What the ranks and the machine have done, whose timeline it takes.
void sum_up(Job& job, Result& result);

}  // namespace weir::simulate
