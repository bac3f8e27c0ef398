// SPDX-License-Identifier: Apache-2.0
// A netCDF classic file as a source of tiles: opened once, by each rank that owns tiles of it, with its first tile.
// Local.
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

// What is read is the file whose definitions were read, and whole, whatever has happened to it or to its name
// meanwhile: throws Error(WEIR_EIO).
void require_same_file(const Descriptor& file, const std::string& path, const FileIdentity& identity,
                       std::int64_t least_bytes);
// The system may have these bytes at hand when they are read.
void ask_system_for(const Descriptor& file, std::int64_t offset, std::int64_t bytes) noexcept;

class StoredFile final : public TileSource {
 public:
  struct Known {
    std::string path;
    FileIdentity identity;
    Geometry geometry;
    std::int64_t least_bytes;       // that the file has while no rank cuts it off
    std::vector<int> next_alike;    // of each variable, the next one of its shape and size; -1: none
    bool of_several_hosts = false;  // read by owners on several of them
  };
  // `opened`: by whom it was opened before, to read its header.
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
  // What was read of a variable's last record, and whether that came after the one before it.
  struct Last {
    std::int64_t record = -1;
    bool in_turn = false;
    std::vector<ByteRange> parts;
  };

  // Storage does many things at a time, and each takes its time.
  static constexpr std::int64_t on_their_way_bytes = 4 << 20;
  // What of one reading storage has been asked for before it is read.
  class OnTheirWay {
   public:
    OnTheirWay(const StoredFile& file, std::span<const TileToRead> tiles) : file_(file), tiles_(tiles) {}
    // So many bytes are read next: storage is asked for as many further on.
    void keep_up(std::int64_t bytes_now) noexcept;

   private:
    const StoredFile& file_;
    std::span<const TileToRead> tiles_;
    std::size_t tile_ = 0, stretch_ = 0;  // the first that has not been asked for,
    std::int64_t asked_ = 0;              // but for so many bytes of it
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
  bool past_cache_;                // is wanted
  std::optional<bool> in_memory_;  // of the open file: the file system is: no call to it waits
  std::optional<Descriptor> file_;
  std::int64_t memory_align_ = 0;  // for what goes past the cache; 0: nothing does
  std::map<int, Last> last_;       // by variable
  std::set<Record> asked_;         // ahead: in the page cache, or on their way there
  ReadCount count_;
};

}  // namespace weir
