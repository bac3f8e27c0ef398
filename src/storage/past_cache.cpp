// SPDX-License-Identifier: Apache-2.0
#include "storage/past_cache.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/descriptor.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "storage/sink.hpp"

namespace weir {

bool is_in_memory(int descriptor) {
  struct statfs system {};
  return ::fstatfs(descriptor, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC);
}

// A page where the system does not say. New systems take O_DIRECT of files in memory, too, and copy nevertheless.
std::int64_t past_cache_align(int descriptor) {
  if (is_in_memory(descriptor) || ::sysconf(_SC_PAGESIZE) > block_bytes) return 0;
#ifdef STATX_DIOALIGN
  struct statx told {};
  if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_DIOALIGN, &told) == 0 && (told.stx_mask & STATX_DIOALIGN) != 0) {
    const std::int64_t place_align = told.stx_dio_offset_align;
    return place_align <= block_bytes ? told.stx_dio_mem_align : 0;
  }
#endif
  return block_bytes;
}

std::optional<std::string> PastCache::obstacle(const std::string& path) {
  const int descriptor = uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC); });
  if (descriptor < 0) return formatted("the file system refuses it ({})", std::strerror(errno));
  const bool takes = past_cache_align(descriptor) > 0;
  ::close(descriptor);
  return takes ? std::nullopt : std::optional<std::string>("the file system has no other way");
}

std::unique_ptr<PastCache> PastCache::open(const std::string& path) {
  const int descriptor = uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC); });
  if (descriptor < 0) return nullptr;
  std::unique_ptr<PastCache> opened(new PastCache(descriptor, past_cache_align(descriptor)));
  return opened->memory_align_ > 0 ? std::move(opened) : nullptr;
}

PastCache::~PastCache() {
  ::close(descriptor_);
}

std::optional<Blocks> PastCache::blocks_of(const Extent& extent, std::int64_t fewest) const noexcept {
  return whole_blocks(extent, fewest, memory_align_);
}

std::optional<Blocks> whole_blocks(const Extent& extent, std::int64_t fewest, std::int64_t memory_align) noexcept {
  const std::int64_t end = extent.offset + extent.bytes;
  const Blocks blocks{(extent.offset + block_bytes - 1) / block_bytes * block_bytes, end / block_bytes * block_bytes};
  if (blocks.bytes() < std::max(fewest, block_bytes)) return std::nullopt;
  const auto memory =
      reinterpret_cast<std::uintptr_t>(extent.data) + static_cast<std::uintptr_t>(blocks.begin - extent.offset);
  if (memory % static_cast<std::uintptr_t>(memory_align) != 0) return std::nullopt;
  return blocks;
}

}  // namespace weir
