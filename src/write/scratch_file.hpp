// SPDX-License-Identifier: Apache-2.0
// A nameless file in memory that has a path all the same, for as long as the object lives. PnetCDF makes and reads
// headers in it, so that no MPI-IO driver touches the real file: its errors stay ours to tell (MPI-IO prints or gives
// no reason), a ':' in a path stays a letter (MPI-IO takes what stands before it for a driver's name), and no file
// system's striping sways the layout. Local. Throws Error: WEIR_EMEMORY, or WEIR_EIO where it holds less than is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"

namespace weir {

class ScratchFile {
 public:
  ScratchFile();
  explicit ScratchFile(std::span<const std::byte> contents);

  std::string path() const;
  // Tries whether `bytes` bytes have room: 0, or the errno that says why not. MPI-IO would tell "unknown error".
  int reserve(std::int64_t bytes) const;
  // The first `bytes` bytes, which must be there.
  std::vector<std::byte> read(std::int64_t bytes) const;

 private:
  Descriptor file_;
};

}  // namespace weir
