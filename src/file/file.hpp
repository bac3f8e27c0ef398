// SPDX-License-Identifier: Apache-2.0
// One netCDF file, from its definitions to its close, as an instance offers it. Its parts are in classes of their own:
// definitions, puts, gets, commits, over one state (file/file_state.hpp). Methods follow weir.h, which states their
// contracts; they throw Error. Collective ones give all ranks the same error.
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

namespace weir {

// A file of another library.
struct Attached {
  std::string path;
  DefinedFile defined;
  std::map<std::string, std::string> hints;
  weir_fill_mode fill = WEIR_NOFILL;  // of elements of a put that no rank holds
};

class File {
 public:
  // What is left to do of a file that is closed: its commit, or nothing, since its group has just committed it.
  enum class Ending { commits, is_committed };

  static std::unique_ptr<File> create(const Context& context, int serial, const std::string& path, int mode);
  static std::unique_ptr<File> open(const Context& context, int serial, const std::string& path, int mode);
  // A file that another library has laid out, as `defined`, and keeps: its header and record count stay as that library
  // leaves them, what is not put is not filled, and data go to the places of `defined`, the same on all ranks. Only
  // Puts::carry() and add(), Commits::flush_attached(), leave() and close() are for it. `former_bytes`: what was
  // written while it was attached before. No ranks agree, unless the sink or the advice wants it.
  static std::unique_ptr<File> attach(const Context& context, int serial, const Attached& attached,
                                      std::int64_t former_bytes);
  ~File();

  Definitions& definitions() noexcept { return definitions_; }
  Puts& puts() noexcept { return puts_; }
  Gets& gets() noexcept { return gets_; }
  Commits& commits() noexcept { return commits_; }
  const Commits& commits() const noexcept { return commits_; }

  // As FileState::fail.
  std::string fail(Code code, const std::string& sentence) { return state_.fail(code, sentence); }
  void sync();
  // Ends the output of a file that is committed, so that it can be defined again.
  void redef();
  // The end of the file: it may go afterwards, unless the error ends the instance (base/error.hpp): then a thread may
  // still be writing it.
  void close(Ending ending = Ending::commits);
  // Ends the attachment; what is not flushed is given up. Local, called by all ranks.
  void leave();

  const Schema& schema() const noexcept { return state_.file.schema; }
  // Of a file that was opened.
  const LeftOut& left_out() const noexcept { return state_.found.left_out; }
  FilePhase phase() const noexcept { return state_.phase; }
  const OpenFile& open_file() const noexcept { return state_.file; }
  std::int64_t records() const noexcept { return state_.history.records(); }
  // Of them, those that a commit has made visible, or the file had before.
  std::int64_t committed_records() const noexcept { return state_.history.committed(); }
  // Throws Error(WEIR_EARGUMENT) where there is none of this number.
  const Variable& variable(int var) const;
  int format() const noexcept { return state_.geometry().format; }
  const std::string& path() const noexcept { return state_.file.path; }
  // nullopt of a file that was only read.
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
  std::optional<FileSummary> last_summary_;  // of a closed file
  std::int64_t former_bytes_ = 0;            // written by outputs that have ended
  double former_compress_seconds_ = 0;       // the same of a processor
};

// Why there is no variable of this name, where the file has one that Weir does not take; else empty.
std::string why_left_out(const File& file, std::string_view variable);

}  // namespace weir
