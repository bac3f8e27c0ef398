// SPDX-License-Identifier: Apache-2.0
// The order of a commit: what each rank does, what rank 0 does alone, and where all of them agree. One text for a file
// (file/commits.cpp), for files that are committed as one (file/commit_group.cpp) and for a simulated file
// (simulate/file_calls.cpp). Pure.
//
// What it asks of `file`, once all that was put is written:
//   agrees_before() ranks are to agree before anything is brought to storage
//   bring_to_storage()  what no rank put is filled, and what this rank wrote is brought to stable storage
//   publish()           rank 0 makes it visible
//   agree_at(point) all ranks agree: it throws any rank's failure since the agreement before, alike on all end()               this rank knows that it is visible
#pragma once

#include <cstdint>

namespace weir {

enum class CommitPoint : std::uint8_t {
  together,   // no rank has failed or does something else: what comes next waits for all
  durable,    // what every rank wrote is on stable storage
  published,  // rank 0 has made it visible
};

template <class File>
void commit_in_order(File& file) {
  if (file.agrees_before()) file.agree_at(CommitPoint::together);
  file.bring_to_storage();
  file.agree_at(CommitPoint::durable);
  file.publish();
  file.agree_at(CommitPoint::published);
  file.end();
}

}  // namespace weir
