// SPDX-License-Identifier: Apache-2.0
// A file that Weir writes in place of the underlying library, as all classes that deal with it know it: its path, its
// definitions in that library, and the instance that writes its data. Owned by its FileWriter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/rank_group.hpp"
#include "core/shares.hpp"
#include "file/file.hpp"
#include "formats/definition.hpp"

namespace weir::bridge {

struct Outcome {
  Reason reason =
      Reason::none;  // none: Weir has written; else the underlying library has to make the call, on all ranks
  std::int64_t out_of_range = 0;  // values of this rank that did not fit; the fill value stands in their place
  Status problem;                 // the file (or Weir) has failed: nothing of it can be written any more
};

// How the program calls a file, where it is, and what MPI-IO is told of it.
struct FileName {
  std::string given, path;
  std::map<std::string, std::string> hints;
  weir_fill_mode fill = WEIR_NOFILL;  // of what no rank holds of a record that is put
  // Weir makes the file, in the format that the configuration says, or else `mode`. The underlying library has a
  // definition shadow at this path, or of this name in memory: its definitions, and no data.
  std::string shadow = {};
  int mode = 0;                                // as weir_create takes it
  bool is_there = false;                       // Weir opens it
  Infinities infinities = Infinities::misfit;  // PnetCDF's rule; netCDF-C stores them
  bool made() const noexcept { return !shadow.empty(); }
};

struct WriterState {
  std::shared_ptr<RankGroup> group;
  RankGroup::Decision decision;
  FileName name;
  DefinedFile defined = {};         // by the library, as it last reported
  Running* running = nullptr;       // nullptr: no instance was needed yet
  File* file = nullptr;             // the instance's; nullptr while the file is the library's alone
  std::int64_t records = 0;         // put so far, or told by the library; alike on all ranks
  bool has_unflushed_puts = false;  // puts wait in Weir, or are on their way
  Counts counts = {};
  std::vector<std::byte> room = {};  // for values that do not lie together
  std::string overlap = {};          // which ranks put which boxes that overlapped last

  // While there is an instance.
  Instance& weir() const noexcept { return *running->weir; }
  LayoutBook& layouts() const noexcept { return running->layouts; }
  const Comm& comm() const noexcept { return weir().comm(); }
  Deadline deadline() const { return weir().pipeline().deadline(); }

  // What a wait is for.
  std::string put_words() const { return formatted("put into {}", name.path); }
  // Runs `body` as one call of Weir, which is started where it is not running yet. Collective.
  Status guarded(const std::function<void()>& body);
  // One line on standard error, of the group's rank 0 alone.
  void complain(const std::string& sentence) const;
  void learn_records(std::int64_t more) noexcept { records = std::max(records, more); }
  // Puts what all ranks hold by this layout; `share`: this rank's, nullptr: nothing. False where ranks hold the same
  // elements; no rank has put anything then. Collective.
  bool try_carry(const Key& key, int layout, const Share* share, Outcome& outcome);
  // Notes which ranks put boxes that overlap and are other boxes, where each rank has one. Collective.
  void note_overlap(const Key& key, const Share* share);
  // For sentences.
  std::string overlap_in_words() const;
};

}  // namespace weir::bridge
