// SPDX-License-Identifier: Apache-2.0
// Hints to the system about the pages of memory that it has mapped: where it takes none, all goes on as without. What
// the memory holds stays. Local.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace weir {

// Large pages where there are any to be had: fewer of them to make, and to look up.
inline void ask_for_large_pages(void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t worth_it_bytes = 4U << 20;
  if (bytes >= worth_it_bytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
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
