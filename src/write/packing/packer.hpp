// SPDX-License-Identifier: Apache-2.0
// One chunk, from tile memory to the bytes that the file holds: gathered from the tile's rows, filled up beyond the
// edges of the variable, in this machine's byte order, and through the variable's filters. By the writers, in whatever
// thread writes their tiles. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/chunk_grid.hpp"
#include "schema/types.hpp"
#include "write/packing/filter.hpp"
#include "write/packing/squeezer.hpp"

namespace weir {

// Why this build cannot pack by these filters; empty where it can.
std::string missing_filter(std::span<const FilterStep> filters);

// HDF5's check sum.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

// All first bytes of the elements, then all second ones, ...; then the bytes that make no element. `turned`: each
// element is in the other byte order.
void shuffle(std::span<const std::byte> from, int element_bytes, bool turned, std::byte* to);

// What packs: the libraries' workspaces and two buffers, kept from chunk to chunk. For one thread at a time.
class Packer {
 public:
  struct Source {
    const std::byte* tile;  // of the element that comes `first` in the variable
    std::int64_t first;
    int element_bytes;
    ExternalValue fill;
    std::span<const FilterStep> filters;
  };
  // Appends the chunk to `packed`. Returns which filters it did not go through, a bit each: where deflate or zstd would
  // make it larger.
  std::int64_t pack(const ChunkGrid& grid, const Chunk& chunk, const Source& source, std::vector<std::byte>& packed);

 private:
  void gather(const ChunkGrid& grid, const Chunk& chunk, const Source& source);
  bool squeeze(const FilterStep& filter);
  bool encode(const FilterStep& codec, int element_bytes);

  std::vector<std::byte> bytes_, other_;
  Squeezer squeezer_;
};

}  // namespace weir
