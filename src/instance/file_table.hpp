// SPDX-License-Identifier: Apache-2.0
// The files of one instance: the open ones, by numbers that are alike on all ranks, and what the report needs of closed
// ones. Files that the configuration puts into one group are committed as one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "file/commit_group.hpp"
#include "file/file.hpp"
#include "file/put_history.hpp"
#include "instance/trace_file.hpp"

namespace weir {

class FileTable {
 public:
  // `asked`: the user's configuration. All that is referred to outlives it. Collective.
  FileTable(const Context& context, const Config& asked);

  File& create(const std::string& path, int mode);
  File& open(const std::string& path, int mode);
  // Carries data into a file of another library (File::attach); of one that was closed here lately it goes on counting.
  File& attach(const Attached& attached);
  // Ends the attachment (File::leave); afterwards there is no such file.
  void leave(File& file);
  // Commits the file, or the group that the configuration puts it into.
  void sync(File& file);
  // Commits it, and it can be defined again.
  void redef(File& file);
  // Commits all files that are being written, as one.
  void sync_all();
  // Closes it; afterwards there is no such file, also where the close has failed.
  void close(File& file);
  // All of them; `status` gets the first error. Throws one that ends the instance.
  void close_all(Status& status);

  // nullptr: no such file is open.
  File* find(int serial) const;
  // Opened until now.
  int opened() const noexcept { return next_; }
  const std::map<int, std::unique_ptr<File>>& open_files() const noexcept { return files_; }
  // Of all files, open ones included.
  FileHistory history() const;
  // While there is a trace.
  std::map<int, TracedFile> traced_files() const;

 private:
  template <class Belongs>
  std::vector<File*> writing(Belongs belongs) const;
  std::vector<File*> group_of(const File& file) const;
  void close(File& file, File::Ending ending);
  void forget(File& file);

  Context context_;
  const Config& asked_;
  CommitGroup group_;
  int next_ = 0;
  std::map<int, std::unique_ptr<File>> files_;
  FileHistory history_;               // of closed ones
  std::map<int, TracedFile> traced_;  // the same
};

}  // namespace weir
