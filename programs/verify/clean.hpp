// SPDX-License-Identifier: Apache-2.0
// Takes away what an ended run has left. A file that another program of this host has open is left as it is: the system
// says so where its file system knows leases (local ones do). What other hosts have open cannot be seen. Local.
#pragma once

#include <string>

#include "verdict.hpp"

namespace weir::verify {

// Cuts what stands behind the last record of the file that the verdict is about. Throws Error(WEIR_EIO) where it is in
// use, has changed since, or cannot be written.
void cut(const std::string& path, const Verdict& verdict);

// Removes an unfinished file. Throws Error(WEIR_EIO) where it is in use or the folder cannot be written.
void remove_unfinished(const std::string& path);

}  // namespace weir::verify
