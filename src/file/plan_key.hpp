// SPDX-License-Identifier: Apache-2.0
// The key of the plan by which a variable's record is written or read. Local, alike on all ranks.
#pragma once

#include "file/file_state.hpp"

namespace weir {

// Of a put, whose holes mean what was put before says.
PlanKey write_key(const FileState& state, int var, std::int64_t record, int layout);
PlanKey read_key(const FileState& state, int var, std::int64_t record, int layout);

}  // namespace weir
