// SPDX-License-Identifier: Apache-2.0
// The source of tiles, and of single chunks, of a netCDF-4 or Zarr file. A call reads and unpacks a chunk once, for all
// its tiles and records; chunks that are close in the file are read together. chunked/chunk_store.hpp has the places,
// chunked/unpacker.hpp unpacks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/chunked/chunk_map.hpp"
#include "formats/chunked/chunk_store.hpp"
#include "formats/chunked/unpacker.hpp"
#include "formats/tile_source.hpp"

namespace weir {

// Methods keep the contracts of TileSource. Errors: read() throws WEIR_EFORMAT too, if a chunk does not unpack.
class ChunkedSource final : public TileSource {
 public:
  // `kept_bytes`: of unpacked chunks that may be needed again.
  ChunkedSource(std::unique_ptr<ChunkStore> store, const Schema& schema, std::int64_t kept_bytes);

  void read(std::span<const TileToRead> tiles) override;
  void ask_for(std::span<const TileToRead> tiles) noexcept override;
  void read_ahead() noexcept override;
  bool can_read_ahead() const noexcept override;
  std::int64_t first_byte(int, std::int64_t) const noexcept override { return 0; }
  ReadCount count() const noexcept override { return store_->count(); }

  const StoredArray& array(int var) const { return store_->array(var); }
  // Returns a whole chunk in external form, valid until the next call; empty if no rank wrote it. Errors as read().
  std::span<const std::byte> chunk(int var, std::int64_t number);
  // Reads elements of an array in one piece. Errors as read().
  void read_piece(int var, std::int64_t element, std::int64_t count, std::byte* to);

 private:
  struct Known {
    std::string name;
    int element_bytes;
    std::int64_t record_elements;  // 0 for a fixed variable
    ExternalValue beyond;          // value of elements for which the array in the file is too short
    std::optional<ChunkMap> map;   // of an array in chunks
  };
  // A chunk that a tile needs.
  struct Use {
    int var;
    std::int64_t number;
    const TileToRead* tile;
  };
  // A chunk to read, with all its uses.
  struct Job {
    ChunkPlace place;
    std::span<const Use> uses;
  };
  // The last record that was read of a variable: its chunks, and whether it followed the one before.
  struct Last {
    std::int64_t record = -1;
    bool in_turn = false, asked = false;
    std::vector<std::int64_t> numbers;
  };

  const Known& known(int var) const { return variables_[static_cast<std::size_t>(var)]; }
  std::int64_t chunk_bytes(int var) const { return known(var).map->chunk_elements() * known(var).element_bytes; }
  void read_in_one_piece(const TileToRead& tile);
  std::vector<std::int64_t> chunks_of(const TileToRead& tile) const;
  void ask_for(const TileToRead& tile);
  void add_uses(const TileToRead& tile, std::vector<Use>& uses);
  void remember(const TileToRead& tile, std::span<const std::int64_t> numbers);
  void read_together(std::span<const Job> jobs);
  void unpack(const Job& job, std::span<const std::byte> packed);
  void unpack(const Use& use, const ChunkPlace& place, std::span<const std::byte> packed, std::span<std::byte> to);
  std::byte* place_in_tile(std::span<const Use> uses) const;
  std::int64_t hand_out(std::span<const Use> uses, const std::byte* chunk) const;
  bool comes_next(int var) const;

  std::unique_ptr<ChunkStore> store_;
  std::vector<Known> variables_;
  std::vector<Last> last_;
  ChunkCache cache_;
  Unpacker unpacker_;
  std::vector<std::byte> packed_;
  ChunkCache::Bytes unpacked_;
};

}  // namespace weir
