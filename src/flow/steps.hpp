// SPDX-License-Identifier: Apache-2.0
// When a record is complete, and the order of a commit and of a read by all ranks. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

// Whether all of a record is put: by every one of so many variables that has records. is_record(v), was_put(v): of that
// number. Models put them in order, so the last tells most.
template <class IsRecord, class WasPut>
bool record_is_complete(std::size_t variables, IsRecord is_record, WasPut was_put) {
  for (std::size_t v = variables; v-- > 0;)
    if (is_record(v) && !was_put(v)) return false;
  return true;
}

// The order of a commit: what each rank does, what rank 0 does alone, and where all of them agree. One text for a file
// (file/commits.cpp), for files that are committed as one (file/commit_group.cpp) and for a simulated file
// (simulate/simulated_file.hpp). Pure.
//
// What it asks of `file`, once all that was put is written:
//   agrees_before()     ranks are to agree before anything is brought to storage
//   bring_to_storage()  what no rank put is filled, and what this rank wrote is brought to stable storage
//   publish()           rank 0 makes it visible
//   agree_at(point)     all ranks agree: it throws any rank's failure since the agreement before, alike on all
//   end()               this rank knows that it is visible

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

// The steps of a collective read, cycle after cycle: while one cycle is handed out the next one is read. One text for a
// run (engine/collective_read.cpp) and for a simulated one (simulate/reading.cpp). Pure.
//
// What it asks of `rank`, whose cycles are numbered from 0 and take the two tile buffers in turn:
//   begin_reading(c)  begins to read what this rank owns of the cycle, where that is anything, and comes back
//   end_reading()     what was begun last is read
//   agree_at(c)       all ranks have read the cycle, and taken what they want of the one before it; throws what any of
//                     them has found wrong, alike on all
//   hand_out(c)       each rank gets what it wants of the cycle

template <class Rank>
void read_in_cycles(Rank& rank, std::size_t cycles) {
  if (cycles > 0) rank.begin_reading(0);
  for (std::size_t c = 0; c < cycles; ++c) {
    rank.end_reading();
    rank.agree_at(c);
    if (c + 1 < cycles) rank.begin_reading(c + 1);
    rank.hand_out(c);
  }
}

}  // namespace weir
