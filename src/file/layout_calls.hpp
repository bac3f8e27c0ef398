// SPDX-License-Identifier: Apache-2.0
// Adds and frees layouts of an instance (plan/layout.hpp), alike on all ranks.
#pragma once

#include "file/file_state.hpp"

namespace weir {

// Adds this rank's layout and returns its number, the same on all ranks. A layout that is flat on one rank is flat on
// all, so that one planner serves them. `status`: why this rank could not make its layout, or none.
// Collective.
// Errors: what `status` of any rank says; WEIR_EMISMATCH if shapes differ. Alike on all ranks; no file fails.
int add_layout(const Context& context, IndexView shape, Layout layout, Status status);
// Removes a layout; what was put by it is written first. Collective.
// Errors: WEIR_EARGUMENT if there is no such layout.
void free_layout(const Context& context, int layout);

}  // namespace weir
