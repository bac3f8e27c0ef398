// SPDX-License-Identifier: Apache-2.0
// Definitions as they come to light, put by put, and their way into a file of Weir's and out of one. Local.
#pragma once

#include <weir/weir.h>

#include "request.hpp"

namespace weir::cfio2 {

// Adds the put's variable, and what dimensions it lacks, to `schema`, or holds it to what is there. Returns its number.
// Throws Error(WEIR_EARGUMENT) where they contradict each other, and leaves `schema` as it was.
int define_from_put(Schema& schema, const Put& put);

// Whether the put is of this variable as it is. Allocates nothing: it is asked at every put.
bool agrees(const Schema& schema, int var, const Put& put);

// What `base` has, in its order, and what `more` has besides it; Error(WEIR_EARGUMENT) where they contradict each
// other.
Schema merged(const Schema& base, const Schema& more);

// A file's definitions, as Weir's C interface tells them.
Schema read_schema(const weir_file* file);

// Defines all of it in a new file; the numbers of dimensions and variables are the schema's.
void define_schema(weir_file* file, const Schema& schema);

}  // namespace weir::cfio2
