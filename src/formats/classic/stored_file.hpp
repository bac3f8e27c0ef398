// SPDX-License-Identifier: Apache-2.0
// A classic file as a source of tiles. Each rank that owns tiles of it opens it once, with its first tile.
// file/opening.hpp makes it. Local.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/config.hpp"
#include "base/descriptor.hpp"
#include "formats/definition.hpp"
#include "formats/tile_source.hpp"
#include "storage/identity.hpp"

namespace weir {

// Throws Error(WEIR_EIO) if the open file is not the one whose definitions were read, or is shorter than `least_bytes`.
void require_same_file(const Descriptor& file, const std::string& path, const FileIdentity& identity,
                       std::int64_t least_bytes);
// Asks the system to read these bytes ahead. Does not wait.
void ask_system_for(const Descriptor& file, std::int64_t offset, std::int64_t bytes) noexcept;

// Methods keep the contracts of TileSource.
class StoredFile final : public TileSource {
 public:
  struct Known {
    std::string path;
    FileIdentity identity;
    Geometry geometry;
    std::int64_t least_bytes;       // length of a file that is not truncated
    std::vector<int> next_alike;    // by variable: the next one of its shape and size; -1: none
    bool of_several_hosts = false;  // read by owners on several hosts
  };
  // `opened`: the file, if it was opened before to read its header.
  StoredFile(Known known, PageCacheKind page_cache, std::optional<Descriptor> opened = std::nullopt);
  void read(std::span<const TileToRead> tiles) override;
  void check() override;
  bool try_read_cached(const TileToRead& tile) noexcept override;
  bool is_whole() const noexcept override;
  void ask_for(std::span<const TileToRead> tiles) noexcept override;
  void read_ahead() noexcept override;
  bool can_read_ahead() const noexcept override;
  std::int64_t first_byte(int var, std::int64_t record) const noexcept override {
    return known_.geometry.first_byte(var, record);
  }
  ReadCount count() const noexcept override { return count_; }

 private:
  struct ByteRange {
    std::int64_t offset, bytes;
  };
  using Record = std::pair<int, std::int64_t>;  // variable, number
  // The last record that was read of a variable, and whether it followed the one before.
  struct Last {
    std::int64_t record = -1;
    bool in_turn = false;
    std::vector<ByteRange> parts;
  };

  // How far ahead storage is asked, since it serves many requests at a time.
  static constexpr std::int64_t on_their_way_bytes = 4 << 20;
  // The parts of one reading for which storage has been asked ahead.
  class OnTheirWay {
   public:
    OnTheirWay(const StoredFile& file, std::span<const TileToRead> tiles) : file_(file), tiles_(tiles) {}
    // Called before `bytes_now` bytes are read: asks storage for as many further on.
    void keep_up(std::int64_t bytes_now) noexcept;

   private:
    const StoredFile& file_;
    std::span<const TileToRead> tiles_;
    std::size_t tile_ = 0, stretch_ = 0;  // the first that has not been asked for,
    std::int64_t asked_ = 0;              // except for so many bytes of it
    std::int64_t room_ = on_their_way_bytes;
  };

  static constexpr int variables_ahead = 2;
  using NextVariables = std::array<int, variables_ahead>;  // -1: none

  void open();
  bool try_read_cached(std::byte* target, const ByteRange& range) noexcept;
  void remember(const TileToRead& tile);
  bool comes_next(int var, const Last& last) const noexcept;
  NextVariables variables_next(int var, const Last& last) const noexcept;
  void ask_for_next(const Last& last, std::int64_t distance) noexcept;
  ByteRange range_of(const TileToRead& tile, const Stretch& stretch) const noexcept;
  void read(std::byte* target, const ByteRange& range, bool past_cache);
  void read_past_cache(std::byte* target, std::int64_t bytes, std::int64_t offset);

  Known known_;
  bool past_cache_;                // whether it is wanted
  std::optional<bool> in_memory_;  // of the open file: its file system is in memory, and no call waits
  std::optional<Descriptor> file_;
  std::int64_t memory_align_ = 0;  // for reads past the cache; 0: none
  std::map<int, Last> last_;       // by variable
  std::set<Record> asked_;         // that were asked for ahead
  ReadCount count_;
};

}  // namespace weir
