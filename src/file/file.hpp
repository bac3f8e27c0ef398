// SPDX-License-Identifier: Apache-2.0
// One netCDF file, from its definitions to its close. The work is in four classes over one state (file/file_state.hpp):
// Definitions, Puts, Gets, Commits; read theirs next. weir.h states what a program may call.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "file/commits.hpp"
#include "file/definitions.hpp"
#include "file/file_state.hpp"
#include "file/gets.hpp"
#include "file/opening.hpp"
#include "file/puts.hpp"
#include "formats/field_sums.hpp"

namespace weir {

// A file that another library keeps.
struct Attached {
  std::string path;
  DefinedFile defined;
  std::map<std::string, std::string> hints;
  weir_fill_mode fill = WEIR_NOFILL;  // of elements of a put that no rank holds
};

// All methods throw Error. Collective methods give all ranks the same error.
// Thread: the thread of the rank's calls.
class File {
 public:
  // How many records of an existing file stay, or until which time; neither: all.
  struct Stays {
    std::optional<std::int64_t> records;
    std::optional<double> until_time;
    bool any() const noexcept { return records || until_time; }
  };
  // What close() still has to do: commit the file, or nothing, because its group has just committed it.
  enum class Ending { commits, is_committed };
  // What a file that was written gets once it is closed without an error: nothing, or a marker (file/done_file.hpp).
  enum class Afterwards { nothing, marker };

  // Creates a file in define mode. The file appears on disk at enddef, and under its name at the first commit (contract
  // 3). An older file of that name loses its marker.
  // Requires: `serial` and `path` are the same on all ranks, and no other file of the instance has `serial`.
  // Collective.
  // Errors: WEIR_EARGUMENT for `path` or `mode`. WEIR_EIO if the path cannot be written, or exists with WEIR_NOCLOBBER.
  // WEIR_EMISMATCH if `path` or `mode` differ between ranks.
  static std::unique_ptr<File> create(const Context& context, int serial, const std::string& path, int mode,
                                      Afterwards afterwards = Afterwards::nothing);
  // Opens an existing file, for writing where `mode` has WEIR_WRITE. An interrupted commit is rolled back or completed
  // first. The next commit takes records away that do not stay.
  // Requires: as create().
  // Collective.
  // Errors: WEIR_EIO if the file is not there or not readable. WEIR_EFORMAT if it is not a valid file. WEIR_EMISMATCH
  // as create(). WEIR_EARGUMENT for records that the file does not have, or without WEIR_WRITE; for a time if the file
  // has no coordinate variable of its records.
  static std::unique_ptr<File> open(const Context& context, int serial, const std::string& path, int mode,
                                    const Stays& stays = {}, Afterwards afterwards = Afterwards::nothing);
  // Attaches a file that another library has laid out as `defined` and keeps. Weir writes data at the offsets of
  // `defined`, and touches neither header nor record count. It fills only the holes of a put, as `attached.fill` says.
  // Requires: `attached` is the same on all ranks. `former_bytes`: what earlier attachments wrote. Later calls are
  // Puts::carry() and add(), Commits::flush_attached(), leave() and close() only.
  // Collective if the sink or the advice is, else Local.
  // Errors: the storage's, of this rank alone.
  static std::unique_ptr<File> attach(const Context& context, int serial, const Attached& attached,
                                      std::int64_t former_bytes);
  ~File();

  Definitions& definitions() noexcept { return definitions_; }
  Puts& puts() noexcept { return puts_; }
  Gets& gets() noexcept { return gets_; }
  Commits& commits() noexcept { return commits_; }
  const Commits& commits() const noexcept { return commits_; }

  // Lets `watch` see the program's puts; it outlives the file. Local.
  void set_watch(FileWatch& watch) noexcept { state_.watch = &watch; }
  FileWatch* watch() const noexcept { return state_.watch; }
  // As FileState::fail().
  std::string fail(Code code, const std::string& sentence) { return state_.fail(code, sentence); }
  // Commits the file (Commits::commit()). Collective.
  void sync();
  // Ends the output of a committed file, and puts the file into define mode.
  // Requires: all puts are committed.
  // Collective where closing the output is, else Local; all ranks call it.
  // Errors: WEIR_ESTATE if the file is not open for writing, has part files, or its sink keeps no file.
  void redef();
  // Closes the file. A file in define mode is made first; a file open for writing is committed, if `ending` says so.
  // Ensures: the file can be freed, unless an error ends the instance (base/error.hpp): a thread may then still be
  // writing it.
  // Collective.
  // Errors: the file's failure, or the commit's. The file is closed all the same, unless the error ends the instance.
  void close(Ending ending = Ending::commits);
  // Ends the file without flushing: data that were not flushed are dropped. A failed file that Weir made is discarded.
  // Requires: all ranks call it.
  // Local.
  void leave();

  const Schema& schema() const noexcept { return state_.file.schema; }
  // Variables of an opened file that Weir does not support.
  const LeftOut& left_out() const noexcept { return state_.found.left_out; }
  FilePhase phase() const noexcept { return state_.phase; }
  const OpenFile& open_file() const noexcept { return state_.file; }
  std::int64_t records() const noexcept { return state_.history.records(); }
  // Records that a commit has made visible, or that the file had before.
  std::int64_t committed_records() const noexcept { return state_.history.committed(); }
  // Throws Error(WEIR_EARGUMENT) if there is no variable of this number.
  const Variable& variable(int var) const;
  int format() const noexcept { return state_.geometry().format; }
  // Whether the file gets a marker when it is closed: one that was written, on storage, and has not failed. Local.
  bool leaves_marker() const noexcept;
  void leave_no_marker() noexcept { state_.leaves_marker = false; }
  // Returns what this rank alone reads of the file.
  // Requires: the file was opened to read.
  // Local.
  std::shared_ptr<const ReadableFile> readable();
  const std::string& path() const noexcept { return state_.file.path; }
  // Returns what the report says of the file; nullopt for a file that was only read.
  std::optional<FileSummary> summary() const;

 private:
  File(const Context& context, int serial, const std::string& path);
  void end_writing(Ending ending);
  void end_output(bool discards);

  FileState state_;
  const Context& context_;
  OpenFile& file_;
  Sources sources_;
  Definitions definitions_;
  Puts puts_;
  Gets gets_;
  Commits commits_;
  std::optional<FileSummary> last_summary_;  // of a closed or redefined file
  std::int64_t former_bytes_ = 0;            // written by outputs that have ended
  double former_compress_seconds_ = 0;       // of those outputs
};

// Returns why `variable` is left out, if the file has it and Weir does not support it; else "".
std::string why_left_out(const File& file, std::string_view variable);

}  // namespace weir
