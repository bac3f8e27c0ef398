// SPDX-License-Identifier: Apache-2.0
// A file's commits: elements that no rank put are filled, all ranks bring their data to stable storage, and one makes
// the commit visible. Also the flush of data into a file that another library keeps. Throw Error, alike on all ranks.
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

  // For a call of this name. Collective.
  void commit(std::string_view verb);
  // What was put has reached the file, and, where `durable`, storage, whatever the configuration says. Collective.
  void flush_attached(bool durable);

  // Whether a commit of several files has something of it to publish: it is being written, and by Weir alone.
  bool takes_part() const noexcept { return state_.phase == FilePhase::writing && !file_.attached; }
  // A commit's two halves, around what makes it visible. The first fills what no rank put and brings what this rank
  // wrote to stable storage; collective where the file commits together. The second says that it is done. Alike on all
  // ranks.
  Status bring_to_storage();
  void end();
  // That something did not fit its type, in one place.
  Status take_range() { return state_.take_range(); }
  bool has_range() const noexcept { return !state_.range.ok(); }
  // All ranks fail the file. Local, called by all of them, while nothing of it is written.
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
