// SPDX-License-Identifier: Apache-2.0
// One file of an array that rank 0 keeps, unpacked: all its elements, of all its records, in external form and the
// order of the file's lengths. Local.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "write/packing/packer.hpp"
#include "write/packing/unpacker.hpp"
#include "write/zarr/array.hpp"

namespace weir {

class KeptPart {
 public:
  // Of an array of this element size; fill value throughout.
  KeptPart(const ZarrArray& array, int element_bytes);

  // As the file `path` has it, if it is there, but for records from `length` on, which were never committed. Throws
  // Error: WEIR_EIO, WEIR_EFORMAT (it is damaged).
  void read(const std::string& path, std::int64_t first_record, Unpacker& unpacker);
  std::span<std::byte> elements() noexcept { return elements_; }
  // The bytes of the file; what is in elements() is lost. Throws Error(WEIR_EMEMORY).
  std::vector<std::byte> packed(Packer& packer);

 private:
  void read_chunk(const Descriptor& file, const Chunk& chunk, std::span<const std::uint64_t> place, Unpacker& unpacker);
  void spread(const Chunk& chunk, std::span<const std::byte> values);
  void fill(std::span<std::byte> elements) const;

  const ZarrArray& array_;
  int element_bytes_;
  ChunkGrid grid_;  // of the file
  std::vector<std::byte> elements_;
};

}  // namespace weir
