// SPDX-License-Identifier: Apache-2.0
// One chunk, from tile memory to the bytes that the file holds: gathered from the tile's rows, filled up beyond the
// edges of the variable, in this machine's byte order, and through the variable's filters. If it is contiguous in the tile, nothing is gathered: bytes are swapped there, and written from there if no filter changes them. Used by the writers, in the thread that writes their tiles. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "plan/chunk_grid.hpp"
#include "schema/types.hpp"
#include "write/packing/filter.hpp"
#include "write/packing/uninitialized_buffer.hpp"
#include "write/packing/packed_batch.hpp"
#include "write/packing/compressor.hpp"

namespace weir {

// Why this build cannot pack by these filters; empty where it can.
std::string missing_filter(std::span<const FilterStep> filters);

// HDF5's check sum.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

constexpr int checksum_bytes = 4;

// What packs: the libraries' workspaces and two buffers, kept from chunk to chunk. For one thread at a time.
class Packer {
 public:
  struct Source {
    std::byte* tile;  // of the element that comes `first` in the variable; what is packed of it is lost
    std::int64_t first;
    int element_bytes;
    ExternalValue fill;
    std::span<const FilterStep> filters;
    bool turned;  // elements are to be swapped into this machine's byte order, and `fill` with them
  };
  // Adds the chunk to the batch. Returns which filters it did not go through, a bit each: where deflate or zstd would
  // make it larger, or where a codec of Zarr fails.
  std::int64_t pack(const ChunkGrid& grid, const Chunk& chunk, const Source& source, PackedBatch& batch);
  // Of its two buffers.
  std::int64_t memory_bytes() const noexcept { return scratch_[0].size() + scratch_[1].size(); }

 private:
  // Where a chunk is on its way from the tile to the room of the batch.
  enum class Place { tile, scratch, room };
  struct Form {
    std::span<std::byte> bytes;
    Place place;
  };
  Form first_form(const ChunkGrid& grid, const Chunk& chunk, const Source& source, PackedBatch& batch);
  UninitializedBuffer& scratch_beside(const Form& form) noexcept;
  void add_sum(Form& form, std::uint32_t sum);
  bool compress(const FilterStep& filter, int element_bytes, Form& form, PackedBatch& batch);

  UninitializedBuffer scratch_[2];
  Compressor compressor_;
};

}  // namespace weir
