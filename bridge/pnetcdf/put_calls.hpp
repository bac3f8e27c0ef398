// SPDX-License-Identifier: Apache-2.0
// What a data call does, whatever its form and type: each exported function makes an Access of its arguments and a
// LibraryCall that passes the call to the underlying library. All of them run within the file's border
// (core/border.hpp).
#pragma once

#include <pnetcdf.h>

#include <span>

#include "core/library_call.hpp"
#include "pnetcdf/access.hpp"

namespace weir::bridge {

class BridgedFile;
// nullptr where the number is none of the bridge's. Local, a few nanoseconds.
BridgedFile* bridged(int ncid) noexcept;

// Of all ranks together. Several accesses are one call (mput).
int put_all(BridgedFile& file, std::span<const Access> accesses, LibraryCall original) noexcept;
int get_all(BridgedFile& file, LibraryCall original) noexcept;
// Of one rank; also what is only counted.
int put_alone(BridgedFile& file, std::span<const Access> accesses, LibraryCall original) noexcept;
int get_alone(BridgedFile& file, LibraryCall original) noexcept;
int post_get(BridgedFile& file, const Access& access, int* request, LibraryCall original) noexcept;
int post_put(BridgedFile& file, const Access& access, bool buffered, int* request, LibraryCall original) noexcept;

}  // namespace weir::bridge
