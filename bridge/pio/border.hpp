// SPDX-License-Identifier: Apache-2.0
// The border between PIO's callers and Weir: no exception crosses it. What is thrown within a call is said on standard
// error, and the call returns the code that PnetCDF has for it, or ends the program, as PIO's error handling has it.
// Where the ranks of an I/O system have not all come in time, nobody waits for them again: later calls on its files
// give that code at once.
#pragma once

#include "base/error.hpp"
#include "core/again.hpp"

namespace weir::bridge {

struct System;

// The exception that is being handled. Local.
Status status_of_exception() noexcept;

// A call on a file, by PIO's number, or one that makes or opens a file of an I/O system. Within PIO's own calls, and
// where the number is none of the bridge's, `body` is all there is to it. As collective as that.
int at_file(int file, Again body) noexcept;
int at_system(int system, Again body) noexcept;

// What the program gets for a failure of Weir's: a code, or its end. Local.
int end_with(int code, int error_method) noexcept;

}  // namespace weir::bridge
