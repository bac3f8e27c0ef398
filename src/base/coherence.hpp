// SPDX-License-Identifier: Apache-2.0
// Whether writers preserve each other's bytes. Pure, Local.
#pragma once

namespace weir {

// Whether writers on so many hosts may write into one file, each its own bytes, by themselves. coherent: the file
// system keeps what several hosts write apart.
inline bool may_write_apart(int hosts, bool coherent) noexcept {
  return coherent || hosts == 1;
}

}  // namespace weir
