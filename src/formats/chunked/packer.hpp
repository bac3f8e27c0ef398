// SPDX-License-Identifier: Apache-2.0
// A chunk on its way into a file: quantized, byte-swapped, through its filters. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "formats/chunked/codec.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/chunked/packed_batch.hpp"
#include "plan/chunk_grid.hpp"
#include "plan/plan.hpp"
#include "schema/schema.hpp"
#include "schema/storage.hpp"
#include "schema/types.hpp"

namespace weir {

// Lossy, before a filter packs: bits of floating-point values that do not count are made alike, to netCDF-C's bits. Bit
// groom: Zender 2016, https://doi.org/10.5194/gmd-9-3199-2016. Granular bit round: Delaunay et al. 2019,
// https://doi.org/10.5194/gmd-12-4099-2019. Bit round: Kouznetsov 2021, https://doi.org/10.5194/gmd-14-377-2021.
// Local, pure.

// `values`: floats or doubles (by `element_bytes`) in this machine's byte order, of which the first has the place
// `first` in its record: bit groom does one thing at even places and another at odd ones. What is `fill` (external
// form), zero of either sign, or not finite stays as it is, and so does every value where more digits are asked for
// than the type has (docs/decisions/107-what-quantizing-leaves.md).
void quantize(const Quantization& how, std::span<std::byte> values, int element_bytes, std::int64_t first,
              const ExternalValue& fill);

// One chunk, from tile memory to the bytes that the file holds: gathered from the tile's rows, filled up beyond the
// edges of the variable, in this machine's byte order, and through the variable's filters. If it is contiguous in the
// tile, nothing is gathered: bytes are swapped there, and written from there if no filter changes them. Used by the
// writers, in the thread that writes their tiles. Local.

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

// A stretch of a tile, as input of the packer. Local.

// `memory`: the tile's, where the stretch begins. Its values are quantized there, where the variable is to be.
Packer::Source packer_source(const Schema& schema, int var, const Stretch& stretch, std::byte* memory,
                             std::span<const FilterStep> filters);

}  // namespace weir
