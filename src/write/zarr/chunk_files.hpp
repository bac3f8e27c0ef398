// SPDX-License-Identifier: Apache-2.0
// Which files of a Zarr folder hold the chunks of an array, and where in them: each chunk is a file, or many lie in one
// with an index (a shard). Source: the Zarr core specification, version 3.1, its chunk key encodings and its codec
// sharding_indexed. Local.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "plan/box.hpp"

namespace weir {

struct ChunkKeys {
  std::string prefix = "c";
  char separator = '.';
};

// The file at this place in the grid of files: "c.12.0.3".
std::string chunk_key(const ChunkKeys& keys, IndexView place);
// The place of the file with this name; nullopt where it is the name of none.
std::optional<Shape> place_of_key(const ChunkKeys& keys, std::string_view name);

struct ShardIndexForm {
  bool at_end = true;
  bool little_endian = std::endian::native == std::endian::little;
  bool summed = true;  // by crc32c
};

// The index of so many chunks.
std::int64_t index_bytes(const ShardIndexForm& form, std::int64_t chunks) noexcept;

// Of each chunk, the last dimension of the shard fastest: where it begins, and its length.
struct ShardIndex {
  static constexpr std::uint64_t no_chunk = ~std::uint64_t{0};  // both words: no rank wrote it

  std::vector<std::uint64_t> words;
  std::string problem;  // why the file is no whole shard, as a sentence; empty where it is one
};

// As Weir writes it: ShardIndexForm(), in this machine's byte order.
std::vector<std::byte> pack_index(std::span<const std::uint64_t> words);
// Throws Error(WEIR_EIO) where the file does not read.
ShardIndex read_index(const Descriptor& file, const ShardIndexForm& form, std::int64_t chunks);

// The files of an array.
struct ChunkFiles {
  std::string folder;  // within the file's own
  ChunkKeys keys;
  Shape part;                           // of the array, that a file holds; of a scalar empty
  std::optional<ShardIndexForm> index;  // nullopt: a file is a chunk
};

}  // namespace weir
