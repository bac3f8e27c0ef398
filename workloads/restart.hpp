// SPDX-License-Identifier: Apache-2.0
// The state that a run reads when it begins: fields of (z, y, x) in double, a mask of (y, x) in int and the two axes.
// The ranks are a grid over (y, x), each wants all levels of its columns with one of the neighbours' on each side, and
// both axes whole: ranks want elements in common, as none that is written has them. Pure, Local.
#pragma once

#include "workloads/catalogue.hpp"

namespace weir::workloads {

inline constexpr const char* restart_name = "restart";

// Variables field0, field1, ..., mask, y, x; decompositions: of a field, of the mask, of each axis.
// Throws Error(WEIR_EARGUMENT) as describe() does; of the request `ranks` and `scale` count.
Description describe_restart(const Request& request);

}  // namespace weir::workloads
