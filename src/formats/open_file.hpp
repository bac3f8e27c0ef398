// SPDX-License-Identifier: Apache-2.0
// A file open for writing, as the pipeline sees it, and its line in the report. Its bytes are behind
// formats/output_file.hpp; file/file_state.hpp has the rest of its state.
#pragma once

#include <memory>
#include <string>

#include "base/counting.hpp"
#include "base/error.hpp"
#include "formats/output_file.hpp"
#include "rearrange/copy.hpp"
#include "schema/schema.hpp"

namespace weir {

// Serial numbers are the same on all ranks.
struct OpenFile {
  int serial = 0;
  std::string path;      // the caller's, for messages
  std::string resolved;  // the same file for the system, if the model changes its working directory
  Counting counting;     // the caller's, for messages
  Schema schema;
  std::unique_ptr<OutputFile> output;  // null until the definitions have ended, and for a file that is read
  bool attached = false;  // Another library keeps the file. If a plan cannot be made, the call fails, not the file.
  Infinities infinities = Infinities::fit;  // whether infinities fit another real type
  // The same on all ranks; once set, nothing more of the file is written.
  // Thread: the rank's own changes it, within Flow::pause() or while nothing of the file is pending; the writer thread
  // reads it (engine/background_threads.hpp).
  Status failure;

  // Whether tiles go past the page cache, so that no rank reads their memory again.
  bool past_page_cache() const noexcept { return output && output->past_page_cache(); }
};

// What the report says of one file.
struct FileSummary {
  int serial = 0;
  std::string path;
  std::string sink;
  std::string reason;
  std::int64_t records = 0;
  std::int64_t bytes_written = 0;  // by this rank
  double compress_seconds = 0;     // of this rank's processor
  std::int64_t packing_bytes = 0;  // of this rank's memory, at most
  bool attachment = false;         // to another library's file, without an error: it may be attached again
};

}  // namespace weir
