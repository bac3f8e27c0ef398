// SPDX-License-Identifier: Apache-2.0
// The order of a commit: what each rank does, what rank 0 does alone, and where all of them meet. One text for a file
// (file/commits.cpp), for files that are committed as one (file/commit_group.cpp) and for a simulated file
// (simulate/file_calls.cpp). Pure.
//
// What it asks of `file`, once all that was put is written:
//   meets_before()      ranks are to meet before anything is brought to storage
//   bring_to_storage()  what nobody put is filled, and what this rank wrote is brought to stable storage
//   publish()           rank 0 makes it visible
//   meet(meeting)       all ranks meet: it throws what any of them has found wrong since the meeting before, alike on
//   all end()               this rank knows that it is visible
#pragma once

#include <cstdint>

namespace weir {

enum class CommitMeeting : std::uint8_t {
  together,   // nobody has failed or does something else: what comes next waits for all
  durable,    // what every rank wrote is on stable storage
  published,  // rank 0 has made it visible
};

template <class File>
void commit_in_order(File& file) {
  if (file.meets_before()) file.meet(CommitMeeting::together);
  file.bring_to_storage();
  file.meet(CommitMeeting::durable);
  file.publish();
  file.meet(CommitMeeting::published);
  file.end();
}

}  // namespace weir
