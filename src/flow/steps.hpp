// SPDX-License-Identifier: Apache-2.0
// When a record is complete, and the order of the steps of a commit and of a collective read. One text each, for runs
// and for the simulator. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir {

// Returns whether every record variable has put a record. is_record(v), was_put(v): of variable number v. Starts at the
// last variable, since models put them in order.
template <class IsRecord, class WasPut>
bool record_is_complete(std::size_t variables, IsRecord is_record, WasPut was_put) {
  for (std::size_t v = variables; v-- > 0;)
    if (is_record(v) && !was_put(v)) return false;
  return true;
}

// The points of a commit at which all ranks agree.
enum class CommitPoint : std::uint8_t {
  together,   // no rank has failed or does something else; the next step waits for all
  durable,    // every rank's data are on stable storage
  published,  // rank 0 has made it visible
};

// Commits a file. Used for one file (file/commits.cpp), for a group of files (file/commit_group.cpp), and for a
// simulated file (simulate/simulated_file.hpp).
// Requires: what was put is written. `file` has these methods:
//   agrees_before()     whether ranks agree before anything is brought to storage
//   bring_to_storage()  fills what no rank put, and brings this rank's data to stable storage
//   publish()           makes the commit visible, on rank 0
//   agree_at(point)     agrees with all ranks; throws any rank's failure since the last agreement, alike on all ranks
//   end()               notes on this rank that the commit is visible
template <class File>
void commit_in_order(File& file) {
  if (file.agrees_before()) file.agree_at(CommitPoint::together);
  file.bring_to_storage();
  file.agree_at(CommitPoint::durable);
  file.publish();
  file.agree_at(CommitPoint::published);
  file.end();
}

// Reads in cycles: the next cycle is read while one is handed out. Used for a run (engine/collective_read.cpp) and for
// the simulator (simulate/reading.cpp).
// Requires: `rank` numbers its cycles from 0, uses two tile buffers in turn, and has these methods:
//   begin_reading(c)  begins to read what this rank owns of cycle c, if anything; does not wait
//   end_reading()     waits until that is read
//   agree_at(c)       waits until all ranks have read cycle c and copied cycle c - 1; throws any rank's failure, alike
//                     on all ranks
//   hand_out(c)       copies this rank's elements of cycle c
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
