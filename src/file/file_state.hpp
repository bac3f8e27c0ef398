// SPDX-License-Identifier: Apache-2.0
// The state that the parts of one file share: its definitions (file/definitions.hpp), puts, gets and commits. These
// classes say who may change what; questions that any of them asks are answered here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "base/trace.hpp"
#include "engine/pipeline.hpp"
#include "file/put_history.hpp"
#include "formats/definition.hpp"
#include "formats/open_file.hpp"
#include "formats/stored_array.hpp"
#include "mpi/call_broadcast.hpp"
#include "plan/layout.hpp"

namespace weir {

// What all files of one instance share.
struct Context {
  const Comm& comm;
  Pipeline& pipeline;
  Layouts& layouts;
  Trace& trace;
  CallBroadcast& call_broadcast;

  // That holds now; with `strategy: auto` another one may take its place at the end of a record.
  const Config& config() const noexcept { return *pipeline.rank().config; }
};

enum class FilePhase { defining, writing, reading, closed };

// Of a file that was opened: what was found there, the same on all ranks but for `opened`.
struct FoundFile {
  Geometry geometry;
  FileIdentity identity;
  struct Where {
    std::int64_t stripe_bytes = 0;
    std::int64_t on_one_host = 0;  // 1: no other host has this file system
  } where;
  std::shared_ptr<const StoredTables> tables;  // of a netCDF-4 or Zarr file
  LeftOut left_out;                            // of its tables, which go where the file is written
  std::optional<Descriptor> opened;            // on rank 0, of a file to read: by it the header was read
};

// A mode of weir_create or weir_open in a sentence.
std::string mode_in_words(int mode);

struct FileState {
  FileState(const Context& shared, int serial, const std::string& path);
  FileState(const FileState&) = delete;
  FileState& operator=(const FileState&) = delete;

  // Of a path with a slash at its end, where no Zarr folder is meant.
  Status folder_problem() const;
  // From now on the path means one file, wherever the model goes.
  Status resolve();
  const Geometry& geometry() const noexcept;
  const FileIdentity& identity() const noexcept;

  // These throw, of what is wrong on this rank. Local.
  void check_failure() const;
  int check_var(int var) const;
  void check_types(int var, Type memory) const;
  // Of a file that is being written.
  void require_puttable(int var) const;
  // A put that is refused is lost, and a commit that is refused commits nothing: the file has failed by it.
  void require_writing(const char* call);

  // This rank cannot make a put that others make. Returns what all ranks get where they meet next: `sentence`, with
  // this rank's number and, where it does not hold it, the file's path. Local.
  std::string fail(Code code, const std::string& sentence);
  [[noreturn]] void fail_here(const Error& error);
  // That something did not fit its type, in one place.
  Status take_range() { return std::exchange(range, {}); }

  // For sentences.
  std::string record_in_words(std::int64_t record) const;
  std::string quoted(int var) const;
  // "no variable" where there is none of this number.
  std::string quoted_if_known(int var) const;
  std::string put_of(int var) const;
  std::string this_rank() const;  // "rank 3: "

  Context context;
  OpenFile file;
  bool names_a_folder = false;  // the caller's path has a slash at its end
  FilePhase phase = FilePhase::defining;
  weir_fill_mode fill = WEIR_FILL;
  bool visible = false;  // the file exists under its name, so it can be read
  FoundFile found;
  PutHistory history;
  Status refused;  // the first call that no other rank need have made
  Status range;    // what did not fit its type since the last commit
};

// The key of the plan by which a variable's record is written or read. Local, alike on all ranks.

// Of a put, whose holes mean what was put before says.
PlanKey write_key(const FileState& state, int var, std::int64_t record, int layout);
PlanKey read_key(const FileState& state, int var, std::int64_t record, int layout);

}  // namespace weir
