// SPDX-License-Identifier: Apache-2.0
// A file open for writing, as the pipeline sees it. Files are numbered alike on all ranks.
#pragma once

#include <memory>
#include <string>

#include "base/counting.hpp"
#include "base/error.hpp"
#include "formats/output_file.hpp"
#include "rearrange/copy.hpp"
#include "schema/schema.hpp"

namespace weir {

struct OpenFile {
  int serial = 0;
  std::string path;      // the caller's, for sentences
  std::string resolved;  // the same for the system, wherever the model goes
  Counting counting;     // the caller's, for sentences
  Schema schema;
  std::unique_ptr<OutputFile> output;       // null until the definitions have ended, and when opened to read
  bool attached = false;                    // another library's: a plan that cannot be is the caller's to deal with
  Infinities infinities = Infinities::fit;  // one of another real type
  Status failure;                           // of all ranks; once set, nothing of the file is written any more

  // What is put goes to storage past the page cache, so no rank reads its tiles again.
  bool past_page_cache() const noexcept { return output && output->past_page_cache(); }
};

// One file, as the report tells of it.
struct FileSummary {
  int serial = 0;
  std::string path;
  std::string sink;
  std::string reason;
  std::int64_t records = 0;
  std::int64_t bytes_written = 0;  // by this rank
  double compress_seconds = 0;     // of its processor
  std::int64_t packing_bytes = 0;  // of its memory, at most
  bool attachment = false;         // of another library's file, without an error: it may be attached again
};

}  // namespace weir
