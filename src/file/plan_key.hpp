// SPDX-License-Identifier: Apache-2.0
// By which plan a variable's record is written or read: what it is found by among the plans that are kept. Local, alike
// on all ranks.
#pragma once

#include "file/file_state.hpp"

namespace weir {

// Of a put, whose holes mean what was put before says.
PlanKey write_key(const FileState& state, int var, std::int64_t record, int layout);
PlanKey read_key(const FileState& state, int var, std::int64_t record, int layout);

}  // namespace weir
