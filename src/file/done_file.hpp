// SPDX-License-Identifier: Apache-2.0
// What follows the last commit of a file that is to get a marker (commit/done_marker.hpp): the ranks read the file
// back, a share each, and rank 0 writes the marker. So the marker tells of what is in the file, whoever put it, and the
// file is known to be readable. FileTable::close() calls it.
#pragma once

#include "file/file_state.hpp"

namespace weir {

// Writes the marker of a file.
// Requires: the file is closed, its last commit is durable as the configuration says, and it has no marker. `serial` is
// the number of no file of the instance.
// Collective. Thread: the thread of the rank's calls.
// Errors: the storage's, alike on all ranks; the file has no marker then.
void mark_done(const Context& context, int serial, const OpenFile& closed);

}  // namespace weir
