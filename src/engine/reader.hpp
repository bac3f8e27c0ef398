// SPDX-License-Identifier: Apache-2.0
// Independent reading: any rank, any box or layout, at any rank count. Each rank reads the stretches it needs, together
// where the gaps between them are small (data sieving: Thakur et al. 1999), in bounded memory, and decodes them
// straight into its buffer. Local.
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
  FileIdentity identity = {};  // what is read under the path is this file
};

// Gives elements in external form, which stay until the next call.
using ReadStretch = std::function<const std::byte*(std::int64_t element, std::int64_t count)>;

// Reads the layout's elements into the model's buffer, wherever they come from; at most 4 MiB at a time.
RangeFailure read_layout(const ReadStretch& read, Type type, const Layout& layout, void* values, Type memory_type);

// Reads the layout's elements into the model's buffer; what is absent from the layout stays as it was. Returns what did
// not fit the memory type. `calls` makes the calls to the storage; nullptr: this thread. Throws Error: WEIR_EIO, or
// what `calls` throws of its own.
RangeFailure read_layout(const Source& source, const Layout& layout, void* values, Type memory_type,
                         StorageCalls* calls = nullptr);

// A box of a variable in chunks, read by one rank alone: chunk by chunk, each unpacked once, straight into the model's
// buffer; records are a dimension like the others. Local.

struct StoredBox {
  int var;
  IndexView start, count;  // over all its dimensions
  Type type;
  ExternalValue beyond;  // what the variable has where the array in the file is too short
};

// Returns what did not fit the memory type. Throws Error as ChunkedSource does, or what `calls` throws of its own.
RangeFailure read_box(const std::shared_ptr<ChunkedSource>& source, const StoredBox& box, void* values,
                      Type memory_type, StorageCalls& calls);

}  // namespace weir
