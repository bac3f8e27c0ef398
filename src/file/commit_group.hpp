// SPDX-License-Identifier: Apache-2.0
// Commits several files as one: after a kill at any moment, the next run that opens one of them finds all of them with
// the commit, or none (contract 3). The commit of one file is in file/commits.cpp, the record on disk in
// commit/group_record.hpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/config.hpp"
#include "base/trace.hpp"
#include "commit/group_record.hpp"
#include "engine/pipeline.hpp"
#include "file/file.hpp"
#include "mpi/comm.hpp"

namespace weir {

// The order of a commit of several files:
//
//  1. All ranks flush and fill the files, and bring what they wrote to stable storage. All ranks agree.
//  2. Rank 0 collects the steps that publish each file (commit/publish_step.hpp) and writes the record of all steps
//     (commit/group_record.hpp). From now on the commit counts.
//  3. Rank 0 carries out the steps and makes the record void. All ranks agree.
//
// If one file fails, all files of the group fail. They keep the state of the commit before; if step 3 failed, the next
// run completes the commit.
class CommitGroup {
 public:
  CommitGroup(Durability durability, const Comm& comm, Pipeline& pipeline, Trace& trace)
      : durability_(durability), comm_(comm), pipeline_(pipeline), trace_(trace) {}

  // Commits the files.
  // Requires: two files or more for which Commits::takes_part() holds, the same on all ranks. `verb` names the call.
  // Ensures: the records of all files are visible, and durable as the configuration says.
  // Collective.
  // Errors: WEIR_ECONFIG if the files cannot be committed as one (several file systems, part files, Zarr); their data
  // are then flushed, and no file has failed. WEIR_ERANGE if values did not fit their type; the files are committed.
  // Any other error fails all files. All ranks get the same error.
  void commit(std::span<File* const> files, std::string_view verb);
  // Removes the closed file's link to the record; the last file removes the record. Local.
  void leave(const File& file);

 private:
  class AllFiles;
  Status obstacle(std::span<File* const> files) const;
  Status publish(std::span<File* const> files);

  Durability durability_;
  const Comm& comm_;
  Pipeline& pipeline_;
  Trace& trace_;
  std::shared_ptr<GroupRecord> record_;  // on rank 0
};

}  // namespace weir
