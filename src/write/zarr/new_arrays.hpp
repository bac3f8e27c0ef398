// SPDX-License-Identifier: Apache-2.0
// How a Zarr folder stores the variables that a run defines. Pure, Local, alike on all ranks.
#pragma once

#include <vector>

#include "write/output_file.hpp"
#include "write/zarr/array.hpp"

namespace weir {

// Of the variables from this number on; those before it stay empty. Throws Error(WEIR_EARGUMENT) on what Zarr, or this
// build, does not take.
std::vector<ZarrArray> new_arrays(const OutputOptions& options, const Schema& schema, int first);

}  // namespace weir
