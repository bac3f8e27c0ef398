// SPDX-License-Identifier: Apache-2.0
// The files of one instance: open ones by serial number, and a summary of closed ones for the report. Files that the
// configuration puts into one group are committed as one (file/commit_group.hpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "file/commit_group.hpp"
#include "file/file.hpp"
#include "file/put_history.hpp"
#include "file/trace_file.hpp"

namespace weir {

// Methods are Collective if File's are, and throw Error as File's do. Thread: the thread of the rank's calls.
class FileTable {
 public:
  // `asked`: the user's configuration. All arguments outlive this.
  FileTable(const Context& context, const Config& asked);

  // Who may hear of the puts into a file that the program creates: returns nullptr where nobody does. Local.
  using FindWatch = std::function<FileWatch*(const std::string& path)>;
  void set_watch(FindWatch find) { find_watch_ = std::move(find); }

  // `whose`: a stream's own file feeds no stream.
  enum class Whose { programs, streams };
  // `done_marker`: whether the file is to get a marker once it is finished; nullopt: as the configuration says.
  // Errors: also WEIR_ECONFIG for a marker of part files.
  File& create(const std::string& path, int mode, Whose whose = Whose::programs, std::optional<bool> done_marker = {});
  File& open(const std::string& path, int mode, std::optional<std::int64_t> records = {},
             std::optional<bool> done_marker = {});
  // Attaches to a file of another library (File::attach()). If it was attached before, the report adds to its former
  // line.
  File& attach(const Attached& attached);
  // Ends the attachment (File::leave()). Ensures: `file` is freed.
  void leave(File& file);
  // Commits the file, or the group to which the configuration assigns it.
  void sync(File& file);
  // Commits as sync(), then puts the file into define mode.
  void redef(File& file);
  // Commits all files that are being written, as one, but for those that were committed alone just now.
  void sync_all(std::span<const File* const> committed = {});
  // Commits as sync(), and closes the file. Then writes its marker, if it is to get one.
  // Ensures: `file` is freed, unless an error ends the instance.
  // Errors: if the group cannot be committed as one, the file is committed alone, and the error is thrown.
  void close(File& file);
  // Sends servers the definitions of files in define mode, which close_all() makes. Local.
  void tell_definitions();
  // Closes the files that have a watch. As close_all().
  void close_watched(Status& status);
  // Closes all files. `status` gets the first error. Throws an error that ends the instance.
  void close_all(Status& status);

  // nullptr: no open file has this number.
  File* find(int serial) const;
  // How many files have been opened.
  int opened() const noexcept { return next_; }
  const std::map<int, std::unique_ptr<File>>& open_files() const noexcept { return files_; }
  // Returns the summaries of all files, also of open ones.
  FileHistory history() const;
  // Returns the names of all files, if the instance writes a trace.
  std::map<int, TracedFile> traced_files() const;

 private:
  template <class Belongs>
  std::vector<File*> writing(Belongs belongs) const;
  std::vector<File*> group_of(const File& file) const;
  Config config_for(const std::string& path) const;
  File::Stays by_configuration(const std::string& path) const;
  File::Afterwards afterwards(const std::string& path, std::optional<bool> done_marker) const;
  void close_in_group(File& file);
  void close(File& file, File::Ending ending);
  void forget(File& file);

  Context context_;
  const Config& asked_;
  CommitGroup group_;
  FindWatch find_watch_;
  int next_ = 0;
  std::map<int, std::unique_ptr<File>> files_;
  std::set<std::string> own_;         // paths that the configuration would take back, and whose records are this run's
  FileHistory history_;               // of closed files
  std::map<int, TracedFile> traced_;  // of closed files
};

}  // namespace weir
