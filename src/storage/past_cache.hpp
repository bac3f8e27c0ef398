// SPDX-License-Identifier: Apache-2.0
// Direct I/O (O_DIRECT) of whole blocks of a file. It makes no copy in the page cache, and takes no processor time from
// a model that computes on the same cores. A block is a page, so direct I/O shares no page with cached writes.
// storage/direct_sink.cpp uses it. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weir {

struct Extent;

// The whole blocks of an extent, as offsets in the file.
struct Blocks {
  std::int64_t begin, end;
  std::int64_t bytes() const noexcept { return end - begin; }
};

// Whether an open file is on a file system in memory (tmpfs, ramfs).
bool is_in_memory(int descriptor);
// Returns the alignment of memory that an open file needs for direct I/O; 0 if it takes none.
std::int64_t past_cache_align(int descriptor);

// Returns the whole blocks of an extent; nullopt if they have fewer than `fewest` bytes, or their memory is not
// aligned.
std::optional<Blocks> whole_blocks(const Extent& extent, std::int64_t fewest, std::int64_t memory_align) noexcept;

// A file opened for direct I/O; closes it.
class PastCache {
 public:
  // Returns, for the report, why the existing file `path` takes no direct I/O; nullopt if it does.
  static std::optional<std::string> obstacle(const std::string& path);

  // Opens a file; nullptr if it takes no direct I/O.
  static std::unique_ptr<PastCache> open(const std::string& path);
  ~PastCache();
  PastCache(const PastCache&) = delete;
  PastCache& operator=(const PastCache&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  // As whole_blocks(), for this file.
  std::optional<Blocks> blocks_of(const Extent& extent, std::int64_t fewest) const noexcept;

 private:
  PastCache(int descriptor, std::int64_t memory_align) : descriptor_(descriptor), memory_align_(memory_align) {}

  int descriptor_;
  std::int64_t memory_align_;
};

}  // namespace weir
