// SPDX-License-Identifier: Apache-2.0
// Direct I/O (O_DIRECT) of whole blocks of a file: no copy into the page cache, and no processor time for its pages,
// which a model that computes on the same cores would have to wait for. A block is a page: direct I/O then shares no
// page with what goes through the cache. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weir {

struct Extent;

// Of an extent in whole blocks, as places in the file.
struct Blocks {
  std::int64_t begin, end;
  std::int64_t bytes() const noexcept { return end - begin; }
};

// Whether an open file lies in memory alone: its system has no other storage.
bool is_in_memory(int descriptor);
// To what memory must be aligned for an open file; 0 where the file does not take it.
std::int64_t past_cache_align(int descriptor);

// The whole blocks of an extent; nothing where they are fewer bytes than `fewest`, or do not lie at `memory_align`.
std::optional<Blocks> whole_blocks(const Extent& extent, std::int64_t fewest, std::int64_t memory_align) noexcept;

// An open file that takes it.
class PastCache {
 public:
  // What does not take it, by trying: in words for the report; nullopt where `path`, an existing file, does.
  static std::optional<std::string> obstacle(const std::string& path);

  // nullptr where it does not take it.
  static std::unique_ptr<PastCache> open(const std::string& path);
  ~PastCache();
  PastCache(const PastCache&) = delete;
  PastCache& operator=(const PastCache&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  // The whole blocks of an extent; nothing where they are fewer bytes than `fewest`, or lie in memory where the file
  // system does not take them from.
  std::optional<Blocks> blocks_of(const Extent& extent, std::int64_t fewest) const noexcept;

 private:
  PastCache(int descriptor, std::int64_t memory_align) : descriptor_(descriptor), memory_align_(memory_align) {}

  int descriptor_;
  std::int64_t memory_align_;
};

}  // namespace weir
