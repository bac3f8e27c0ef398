// SPDX-License-Identifier: Apache-2.0
// The chunks of a Zarr folder, in files or in shards (zarr/shard_files.hpp). Each rank that reads from a file opens it
// with the first chunk that it needs; the most recently used files stay open, with their indices. A missing file means
// that no rank wrote it, as long as the folder is the one that was opened.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "formats/chunked/chunk_store.hpp"
#include "storage/identity.hpp"

namespace weir {

// Methods keep the contracts of ChunkStore. find() throws WEIR_EIO also for a damaged shard.
class ZarrStore final : public ChunkStore {
 public:
  struct Known {
    std::string path;
    FileIdentity identity;
    std::shared_ptr<const StoredTables> tables;
  };
  explicit ZarrStore(Known known);

  const StoredArray& array(int var) const override { return known_.tables->arrays[static_cast<std::size_t>(var)]; }
  std::optional<ChunkPlace> find(int var, std::int64_t number) override;
  void check() override;
  void read(std::int64_t file, std::int64_t address, std::span<std::byte> to) override;
  void ask_for(const ChunkPlace& place) noexcept override;
  std::string path(std::int64_t file) const override { return known_.path + "/" + key(file); }
  ReadCount count() const noexcept override { return count_; }

 private:
  // The files of an array, numbered from `first` on, array after array.
  struct Grid {
    std::int64_t first;
    Shape files, chunks, within;  // along each dimension: files, chunks, and chunks of a file
  };
  // An open file.
  struct Kept {
    std::int64_t file;
    std::optional<Descriptor> opened;  // nullopt: there is no file
    std::vector<std::uint64_t> index;  // as in ShardIndex; for a file of one chunk, that chunk
  };

  int var_of(std::int64_t file) const;
  std::string key(std::int64_t file) const;
  Kept& keep(std::int64_t file);
  std::optional<Descriptor> open(std::int64_t file);
  std::vector<std::uint64_t> index_of(const Descriptor& file, int var);
  void forget_oldest();

  Known known_;
  std::vector<Grid> grids_;
  std::optional<Descriptor> folder_;
  std::list<Kept> kept_;  // the most recently used first
  std::map<std::int64_t, std::list<Kept>::iterator> places_;
  std::size_t index_words_ = 0;  // of those
  ReadCount count_;
};

}  // namespace weir
