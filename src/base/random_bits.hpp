// SPDX-License-Identifier: Apache-2.0
// 32 random bits for names of files. std::random_device first queries the processor, which takes tens of microseconds
// in a virtual machine. Local.
#pragma once

#include <sys/random.h>

#include <cstdint>
#include <random>

namespace weir {

inline std::uint32_t random_bits() {
  std::uint32_t bits;
  return ::getrandom(&bits, sizeof bits, 0) == static_cast<ssize_t>(sizeof bits) ? bits : std::random_device()();
}

}  // namespace weir
