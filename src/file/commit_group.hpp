// SPDX-License-Identifier: Apache-2.0
// Files that are committed as one: after a kill at any moment, and the next opening of one of them, all of them show
// the commit, or none does. What a file's own commit is stays with file/commits.cpp and the formats; here is their
// order:
//
//  1. All files are flushed, filled, and brought to stable storage by the ranks that wrote them. All ranks agree.
//  2. Rank 0 has each file prepare the steps that publish it (commit/publish_step.hpp),
//     and writes the record of all of them (commit/group_record.hpp):
//     now the commit counts.
//  3. It does the steps, all files one after the other, and makes the record void. All ranks agree.
//
// A file that fails fails all: each stays at what was committed before, or, where it failed in step 3, the next run
// finishes what counts. Collective, and alike on all ranks.
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

class CommitGroup {
 public:
  CommitGroup(Durability durability, const Comm& comm, Pipeline& pipeline, Trace& trace)
      : durability_(durability), comm_(comm), pipeline_(pipeline), trace_(trace) {}

  // Two files or more that take part. Throws Error; where the files cannot be committed as one at all (two file
  // systems, files in parts), nothing was done and no file has failed.
  void commit(std::span<File* const> files, std::string_view verb);
  // The file is closed. Local.
  void leave(const File& file);

 private:
  class AllFiles;
  Status obstacle(std::span<File* const> files) const;
  Status publish(std::span<File* const> files);

  Durability durability_;
  const Comm& comm_;
  Pipeline& pipeline_;
  Trace& trace_;
  std::shared_ptr<GroupRecord> record_;  // of rank 0
};

}  // namespace weir
