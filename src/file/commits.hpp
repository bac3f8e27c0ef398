// SPDX-License-Identifier: Apache-2.0
// Commits of one file: missing elements are filled, all ranks bring their data to stable storage, and rank 0 makes the
// commit visible. The order is in flow/steps.hpp: commit_in_order(). Also flushes data into a file that another library
// keeps. Several files at once: file/commit_group.hpp.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "file/file_state.hpp"
#include "file/opening.hpp"

namespace weir {

class Commits {
 public:
  Commits(FileState& state, Sources& sources)
      : state_(state), context_(state.context), file_(state.file), sources_(sources) {}

  // Commits the file (contract 3).
  // Requires: the file is open for writing. `verb` names the call.
  // Ensures: all readers see what was put, durable as the configuration says.
  // Collective.
  // Errors: WEIR_ESTATE, on this rank alone, if the file is not open for writing. All others are alike on all ranks.
  // WEIR_ERANGE if values did not fit their type; the file is committed. Any other error fails the file, which keeps
  // the commit before (WEIR_ECOVER: a record of a file with WEIR_COVER was not put).
  void commit(std::string_view verb);
  // Writes what was put into an attached file. The record count and the fill values are the other library's.
  // Ensures: the data are in the file, and, if `durable`, on stable storage, whatever the configuration says. Later
  // puts of the same elements may be written without waiting for these.
  // Collective.
  // Errors: as commit(), but never WEIR_ECOVER or WEIR_ERANGE.
  void flush_attached(bool durable);

  // Whether a commit of several files includes this one: the file is open for writing, and it is not attached.
  bool takes_part() const noexcept { return state_.phase == FilePhase::writing && !file_.attached; }
  // The two halves of a commit, before and after rank 0 makes it visible. bring_to_storage() fills missing elements and
  // brings what this rank wrote to stable storage. end() notes that the commit is visible, and closes what was open for
  // reading.
  // Requires: all ranks call both.
  // Collective where the output commits together (CommittedOutput::commits_together()), else Local.
  // Errors: bring_to_storage() returns the failure of this rank, for the next agreement.
  Status bring_to_storage();
  void end();
  // Returns the values that did not fit their type since the last commit, as a status, and forgets them. Local.
  Status take_range() { return state_.take_range(); }
  bool has_range() const noexcept { return !state_.range.ok(); }
  // Fails the file, after all ranks have agreed on `status`.
  // Requires: all ranks call it while nothing of the file is written.
  // Local.
  void fail_with(const Status& status) { file_.failure.merge({status.code, status.message, Scope::of(file_.serial)}); }

 private:
  class OneFile;
  Status step(StorageCalls::Call step, const char* what, bool alone = false);
  void report_range(std::string_view call);

  FileState& state_;
  const Context& context_;
  OpenFile& file_;
  Sources& sources_;
};

}  // namespace weir
