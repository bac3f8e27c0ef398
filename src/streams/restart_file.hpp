// SPDX-License-Identifier: Apache-2.0
// The file of the key `restart`: the accumulators of intervals that were not finished at a time, and where each stream
// was in its files. It is a classic netCDF file: a text attribute in JSON, and a variable of doubles for each array of
// an accumulator's state, over the elements that its stream keeps. So any ranks with any decomposition read it back to
// the bit.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "streams/stream.hpp"

namespace weir {

using StreamList = std::span<const std::unique_ptr<Stream>>;

// Writes the state at `time` into a new file, which is left open, to be committed with others. `last`: the time of each
// field's last sample.
// Collective.
// Errors: as FileTable::create() and Puts::put().
File& write_restart(const StreamContext& shared, const std::string& path, Instant time, std::span<const Instant> last,
                    StreamList streams);

// What a restart file says before its arrays are read.
struct RestartHead {
  std::string units, calendar;
  Instant begun = 0;                    // when the first run began
  Instant time = 0;                     // of the state
  std::map<std::string, Instant> last;  // of each field's samples

  static RestartHead of(const File& file);
};

// Gives the streams the state that the file has: their files are opened at their records, and accumulators go on to the
// bit. A stream that the file does not have begins anew. Returns what the user should know.
// Collective.
// Errors: WEIR_ECONFIG for a stream that was defined otherwise when its file began; WEIR_EFORMAT for a file that is no
// restart file of streams; as FileTable::open() and Gets::get().
std::vector<std::string> read_restart(const StreamContext& shared, File& file, StreamList streams);

}  // namespace weir
