// SPDX-License-Identifier: Apache-2.0
// Hints to the system about mapped memory pages. Where the system ignores a hint, everything works without it. The
// contents of the memory stay. Local.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace weir {

// Asks for large pages: there are then fewer to make and to look up.
inline void ask_for_large_pages(void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t worth_it_bytes = 4U << 20;
  if (bytes >= worth_it_bytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
}

// Memory that begins where a large page may.
constexpr std::size_t large_page_bytes = 2U << 20;
struct FreeLarge {
  void operator()(std::byte* memory) const noexcept { ::operator delete (memory, std::align_val_t{large_page_bytes}); }
};
using LargeMemory = std::unique_ptr<std::byte[], FreeLarge>;
inline LargeMemory allocate_large(std::size_t bytes) {
  void* const memory = ::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{large_page_bytes});
  ask_for_large_pages(memory, bytes);
  return LargeMemory(static_cast<std::byte*>(memory));
}

// Makes the pages of [memory, memory + bytes) now (Linux 5.14).
inline void make_pages(std::byte* memory, std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(memory) % page;
  ::madvise(memory - past, bytes + past, MADV_POPULATE_WRITE);
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

}  // namespace weir
