// SPDX-License-Identifier: Apache-2.0
// The state that the classes of one file share: Definitions, Puts, Gets and Commits. Each of them says in its header
// what it changes; questions that several of them ask are answered here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "base/trace.hpp"
#include "commit/done_marker.hpp"
#include "engine/pipeline.hpp"
#include "file/file_watch.hpp"
#include "file/put_history.hpp"
#include "formats/definition.hpp"
#include "formats/open_file.hpp"
#include "formats/stored_array.hpp"
#include "mpi/call_broadcast.hpp"
#include "plan/layout.hpp"

namespace weir {

// What all files of one instance share. All members outlive the files.
struct Context {
  const Comm& comm;
  Pipeline& pipeline;
  Layouts& layouts;
  Trace& trace;
  CallBroadcast& call_broadcast;

  // The configuration in force; `strategy: auto` may replace it at the end of a record.
  const Config& config() const noexcept { return *pipeline.rank().config; }
};

enum class FilePhase { defining, writing, reading, closed };

// What opening a file has found; the same on all ranks, except `opened`.
struct FoundFile {
  Geometry geometry;
  FileIdentity identity;
  struct Where {
    std::int64_t stripe_bytes = 0;
    std::int64_t on_one_host = 0;  // 1: no other host has this file system
  } where;
  std::optional<std::int64_t> goes_back_to;    // so many of its records, until its next commit
  std::shared_ptr<const StoredTables> tables;  // of a netCDF-4 or Zarr file that is not being written
  LeftOut left_out;                            // variables that Weir does not support
  std::optional<Descriptor> opened;            // on rank 0, for a file to read: the header was read through it
};

// Returns a mode of weir_create or weir_open as the end of a sentence; "" for a mode without flags.
std::string mode_in_words(int mode);

// The state of one file. All methods are Local, for the thread of the rank's calls.
struct FileState {
  FileState(const Context& shared, int serial, const std::string& path);
  FileState(const FileState&) = delete;
  FileState& operator=(const FileState&) = delete;

  // Returns the error for a path that ends with a slash and is no Zarr folder.
  Status folder_problem() const;
  // Resolves the path, so that it means the same file if the model changes its working directory.
  // Errors: returned; WEIR_EARGUMENT for an empty path, else the storage's.
  Status resolve();
  const Geometry& geometry() const noexcept;
  const FileIdentity& identity() const noexcept;
  // Which marker goes before the file changes: where it is to get one, no other program's stays either.
  MarkerOf whose_marker() const noexcept { return leaves_marker ? MarkerOf::anybody : MarkerOf::weir; }

  // These check this rank's call; the state is unchanged. check_failure() throws the failure of the file; the others
  // throw Error(WEIR_EARGUMENT).
  void check_failure() const;
  int check_var(int var) const;
  void check_types(int var, Type memory) const;
  // Throws Error(WEIR_EFORMAT) if an existing file's variable cannot be put.
  // Requires: the file is open for writing.
  void require_puttable(int var) const;
  // Throws Error(WEIR_ESTATE) if the file is not open for writing, and notes that as in fail(): other ranks may make
  // the call, and get the error from enddef() or close().
  void require_writing(const char* call);

  // Notes that this rank cannot make a call that other ranks make. While the file is being written, the rank falls out
  // of sync, and all files fail at the next agreement; before, enddef() or close() reports the error.
  // Ensures: returns the sentence that all ranks get: `sentence` with this rank's number, and the path if it lacks it.
  // Errors: throws the failure of the file if it has failed already.
  std::string fail(Code code, const std::string& sentence);
  // Throws `error`, with the sentence of fail().
  [[noreturn]] void fail_here(const Error& error);
  // As Commits::take_range().
  Status take_range() { return std::exchange(range, {}); }

  // These make parts of sentences.
  std::string record_in_words(std::int64_t record) const;
  std::string quoted(int var) const;
  // Returns "no variable" if there is none of this number.
  std::string quoted_if_known(int var) const;
  std::string put_of(int var) const;
  std::string this_rank() const;  // "rank 3: "

  Context context;
  OpenFile file;
  bool names_a_folder = false;  // the caller's path ends with a slash
  FilePhase phase = FilePhase::defining;
  weir_fill_mode fill = WEIR_FILL;
  bool visible = false;        // the file exists under its name, so it can be read
  bool leaves_marker = false;  // once it is closed, and was open for writing (file/done_file.hpp)
  FoundFile found;
  PutHistory history;
  FileWatch* watch = nullptr;  // follows the program's puts
  Status refused;              // the first refused call, for the next collective call of the file
  Status range;                // values that did not fit their type since the last commit
};

// Return the key of the plan that writes or reads a variable's record. write_key() also says what holes of the layout
// mean after the puts so far.
// Requires: for write_key(), the file is open for writing.
// Ensures: the same key on all ranks, if they made the same puts.
// Local.
PlanKey write_key(const FileState& state, int var, std::int64_t record, int layout);
PlanKey read_key(const FileState& state, int var, std::int64_t record, int layout);

}  // namespace weir
