// SPDX-License-Identifier: Apache-2.0
// What a data call does, whatever its form and type: each exported function makes an Access of its arguments and says
// how the library behind is asked the same.
#pragma once

#include <pnetcdf.h>

#include <span>

#include "core/again.hpp"
#include "pnetcdf/access.hpp"

namespace weir::bridge {

class BridgedFile;
// nullptr where the number is none of the bridge's. Local, a few nanoseconds.
BridgedFile* bridged(int ncid) noexcept;

// Of all ranks together. Several accesses are one call (mput).
int put_all(BridgedFile& file, std::span<const Access> accesses, Again original);
int get_all(BridgedFile& file, Again original);
// Of one rank; also what is only counted.
int pass_through(BridgedFile& file, Again original);
int put_alone(BridgedFile& file, std::span<const Access> accesses, Again original);
int get_alone(BridgedFile& file, Again original);
int post_get(BridgedFile& file, const Access& access, int* request, Again original);
int post_put(BridgedFile& file, const Access& access, bool buffered, int* request, Again original);

}  // namespace weir::bridge
