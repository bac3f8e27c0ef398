// SPDX-License-Identifier: Apache-2.0
// Counts a file's calls: how many Weir handled, and how many the underlying library did, by reason. Each rank counts
// its own calls; the report has those of the file's rank 0. Local, all of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weir::bridge {

// Why a call, or all calls of a file, went to the underlying library. Ranks agree on a reason by its number: the
// largest.
enum class Reason {
  none,
  rule,           // the configuration switches the bridge off for such files
  single,         // created without a communicator, and no rule says that all ranks make all calls of it
  configuration,  // the configuration is wrong, or not the same on all ranks
  library,        // not the library the bridge was built for
  format,         // a format that Weir does not write
  driver,         // the library writes such a file in a way of its own (burst buffer, subfiles)
  strategy,       // the strategy writes part files, which no rank could read under the file's name
  header,         // Weir cannot start, or cannot read the header that the library wrote
  read_only,      // the file is open for reading
  independent,    // in independent mode
  small,          // a get of so little that the library is faster
  reading,        // a get from a file that is being written
  filling,        // a record is filled by the library
  definition,     // the header is changed, or looked at, after data were put
  conversion,     // a value's type is converted in a way that Weir does otherwise
  unusual,        // the original refuses the call on some rank, or only it knows the answer
  differing,      // ranks have defined different files
  overlap,        // ranks put boxes that overlap in one call, and are not the same box
  datatype,       // an MPI datatype says where in the file the data belong, and Weir does not know, or not there
  packed,         // Weir makes the file in chunks, and cannot do this there: the call was refused
  kept,           // some rank has kept puts of the variable, which come first
  failed,         // Weir could not write it
  count
};
std::string_view in_words(Reason reason) noexcept;

struct Counts {
  std::string path;
  bool of_one_rank = false;  // of those who opened it
  std::int64_t taken_over = 0;
  std::int64_t bytes_taken_over = 0;  // in the file's types, of this rank
  std::array<std::int64_t, static_cast<std::size_t>(Reason::count)> passed{};

  void add(const Counts& other) noexcept;
  void pass(Reason reason) noexcept { ++passed[static_cast<std::size_t>(reason)]; }
};

// The counts of files, as the report's member "bridge": {"files": [{path, by, taken_over, passed_through}], "notes"}.
std::string to_json(const std::vector<Counts>& files, const std::vector<std::string>& notes, std::string_view bridge);

}  // namespace weir::bridge
