// SPDX-License-Identifier: Apache-2.0
// Tiles, and single chunks, of a file whose variables lie in chunks or in one piece each. A chunk is read and unpacked
// once a call, for however many tiles and records; chunks that are close to each other in the file are read together.
// The store knows where and how chunks are kept (chunk_store.hpp).
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

class ChunkedSource final : public TileSource {
 public:
  // kept_bytes: of chunks that may be wanted again.
  ChunkedSource(std::unique_ptr<ChunkStore> store, const Schema& schema, std::int64_t kept_bytes);

  // Throws Error(WEIR_EFORMAT) too: a chunk does not unpack.
  void read(std::span<const TileToRead> tiles) override;
  void ask_for(std::span<const TileToRead> tiles) noexcept override;
  void read_ahead() noexcept override;
  bool can_read_ahead() const noexcept override;
  std::int64_t first_byte(int, std::int64_t) const noexcept override { return 0; }
  ReadCount count() const noexcept override { return store_->count(); }

  const StoredArray& array(int var) const { return store_->array(var); }
  // A whole chunk in external form, until the next call; empty where no rank wrote it. As read().
  std::span<const std::byte> chunk(int var, std::int64_t number);
  // Elements of an array in one piece. As read().
  void read_piece(int var, std::int64_t element, std::int64_t count, std::byte* to);

 private:
  struct Known {
    std::string name;
    int element_bytes;
    std::int64_t record_elements;  // 0 of a fixed variable
    ExternalValue beyond;          // what elements are that the array in the file is too short for
    std::optional<ChunkMap> map;   // of an array in chunks
  };
  // A chunk that a tile wants.
  struct Use {
    int var;
    std::int64_t number;
    const TileToRead* tile;
  };
  // One that is to be read, for all these.
  struct Job {
    ChunkPlace place;
    std::span<const Use> uses;
  };
  // What was read of a variable: a record's chunks, and whether it came after the one before it.
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
