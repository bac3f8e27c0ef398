// SPDX-License-Identifier: Apache-2.0
// Packs a chunk: quantized, byte-swapped, through its filters (chunked/filter.hpp), into a batch
// (chunked/packed_batch.hpp). Writers use it, in the thread that writes their tiles. Local.
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

// Quantizes values: makes the bits of floating-point values that do not count equal, bit for bit as netCDF-C does. Bit
// groom: Zender 2016, https://doi.org/10.5194/gmd-9-3199-2016. Granular bit round: Delaunay et al. 2019,
// https://doi.org/10.5194/gmd-12-4099-2019. Bit round: Kouznetsov 2021, https://doi.org/10.5194/gmd-14-377-2021. Pure.
//
// `values`: floats or doubles (by `element_bytes`) in native byte order. `first`: the position of the first in its
// record, since bit groom treats even and odd positions differently. A value stays as it is if it is `fill` (external
// form), a zero or not finite, or if more digits are asked for than the type has
// (docs/decisions/107-what-quantizing-leaves.md).
void quantize(const Quantization& how, std::span<std::byte> values, int element_bytes, std::int64_t first,
              const ExternalValue& fill);

// Returns why this build cannot pack by these filters; "" if it can.
std::string missing_filter(std::span<const FilterStep> filters);

// Returns HDF5's check sum.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

constexpr int checksum_bytes = 4;

// Turns tile memory into the bytes of the file: gathers a chunk from the tile's rows, fills it up beyond the edges of
// the variable, swaps it to native byte order, and applies the variable's filters. A chunk that is contiguous in the
// tile is not gathered: its bytes are swapped there, and written from there if no filter changes them. Keeps workspaces
// and two buffers from chunk to chunk.
// Thread: one at a time.
class Packer {
 public:
  struct Source {
    std::byte* tile;  // of the element `first` of the variable; packing overwrites it
    std::int64_t first;
    int element_bytes;
    ExternalValue fill;
    std::span<const FilterStep> filters;
    bool turned;  // elements, and `fill`, are to be swapped to native byte order
  };
  // Adds the chunk to the batch. Returns the filters that it skipped, a bit each: deflate or zstd would have made it
  // larger, or a codec of Zarr has failed.
  std::int64_t pack(const ChunkGrid& grid, const Chunk& chunk, const Source& source, PackedBatch& batch);
  // Bytes of its two buffers.
  std::int64_t memory_bytes() const noexcept { return scratch_[0].size() + scratch_[1].size(); }

 private:
  // Where a chunk is on its way from the tile to the batch.
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

// Copies the chunk's elements from the tile to `target`, row by row, and fills it up beyond the edges of the variable.
// Requires: `target` has room for a whole chunk.
void gather(const ChunkGrid& grid, const Chunk& chunk, const Packer::Source& source, std::byte* target);

// Returns the source for a stretch of a tile, and quantizes its values if the variable is to be. `memory`: of the tile,
// where the stretch begins.
Packer::Source packer_source(const Schema& schema, int var, const Stretch& stretch, std::byte* memory,
                             std::span<const FilterStep> filters);

}  // namespace weir
