// SPDX-License-Identifier: Apache-2.0
// Independent reading: one rank reads any box or layout, at any number of ranks. It reads the stretches that it needs
// in bounded memory, joins those with small gaps between them (data sieving: Thakur et al. 1999), and decodes them into
// the caller's buffer. file/gets.cpp calls it. Local, no MPI.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "formats/chunked/chunked_source.hpp"
#include "plan/layout.hpp"
#include "rearrange/copy.hpp"
#include "storage/identity.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

class StorageCalls;

// A variable's record (or a fixed variable) in a file.
struct Source {
  std::string path;
  std::int64_t first_byte;
  Type type;
  FileIdentity identity = {};  // of the file that must have the path
};

// Returns elements in external form; they stay until the next call.
using ReadStretch = std::function<const std::byte*(std::int64_t element, std::int64_t count)>;

// Reads the layout's elements into `values`, from wherever `read` gets them, at most 4 MiB at a time. Returns the
// values that did not fit `memory_type`.
RangeFailure read_layout(const ReadStretch& read, Type type, const Layout& layout, void* values, Type memory_type);

// Reads the layout's elements of a file into `values`; elements of the buffer that the layout does not name stay as
// they were. Returns the values that did not fit `memory_type`.
// Thread: `calls` makes the storage calls; nullptr: the caller's thread.
// Errors: WEIR_EIO; the buffer is filled in part.
RangeFailure read_layout(const Source& source, const Layout& layout, void* values, Type memory_type,
                         StorageCalls* calls = nullptr);

// A box of a variable that is stored in chunks; records are a dimension like the others.
struct StoredBox {
  int var;
  IndexView start, count;  // over all dimensions
  Type type;
  ExternalValue beyond;  // the value where the array in the file is too short
};

// Reads the box chunk by chunk, each unpacked once, into `values`. Returns the values that did not fit `memory_type`.
// Thread: `calls` makes the storage calls.
// Errors: as ChunkedSource; the buffer is filled in part.
RangeFailure read_box(const std::shared_ptr<ChunkedSource>& source, const StoredBox& box, void* values,
                      Type memory_type, StorageCalls& calls);

}  // namespace weir
