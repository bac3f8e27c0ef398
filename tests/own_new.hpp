// SPDX-License-Identifier: Apache-2.0
// operator new and delete of the whole program, the library included, for one source of it: that source is asked before
// every allocation.
#pragma once

#include <cstdlib>
#include <new>

namespace own_new {

// Of that source; by any thread. False: there is no memory for it. `caller`: where the allocation is.
bool granted(std::size_t bytes, const void* caller) noexcept;

inline void* take(std::size_t bytes, const void* caller) noexcept {
  return granted(bytes, caller) ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;
}

inline void* take_or_throw(std::size_t bytes, const void* caller) {
  if (void* memory = take(bytes, caller)) return memory;
  throw std::bad_alloc();
}

}  // namespace own_new

// Not inlined: the compiler would take what free() gets for what its own operator new gave.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return own_new::take_or_throw(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) {
  return own_new::take_or_throw(bytes, __builtin_return_address(0));
}
// std::stable_sort and the like take these.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return own_new::take(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return own_new::take(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
