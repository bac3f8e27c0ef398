// SPDX-License-Identifier: Apache-2.0
// What files of packed chunks share (netcdf4/chunked_file.cpp, zarr/zarr_file.cpp): their grids of chunks, the
// description that rank 0 sends to the others, and the class PackedFile, from which both derive.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"
#include "base/text.hpp"
#include "formats/chunked/codec.hpp"
#include "formats/chunked/deferred_values.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/chunked/open_blocks.hpp"
#include "formats/chunked/packer.hpp"
#include "formats/classic/visible.hpp"
#include "formats/definition.hpp"
#include "formats/output_file.hpp"
#include "mpi/agree.hpp"
#include "plan/chunk_grid.hpp"
#include "storage/identity.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

// Returns the chunks of a variable, or of a record of it. Pure.
ChunkGrid chunk_grid(const Schema& schema, int var);

// Whether several records of a variable share a chunk, and are so small that rank 0 writes them. It quantizes nothing.
// Pure.
bool shares_small_chunks(const Schema& schema, int var);

// Returns where tiles of a variable in these chunks may be cut. Pure.
Granule granule_of(const ChunkGrid& grid, std::span<const FilterStep> filters);

// Returns offsets for a file that has none: by them, variables that would be neighbours in a classic file get one
// writer. Pure.
Geometry places_of_neighbours(const Schema& schema, int format);

// Rank 0's description of a netCDF-4 file or Zarr folder that it has made, for the other ranks.
struct ChunkedFileInfo {
  FileIdentity identity;
  SinkKind sink = SinkKind::direct;
  std::int64_t begin = 0;  // from which on chunks may be written
  std::string path, written_path, reason;
  std::vector<StoredVariable> variables;
};
void fields(auto& archive, Either<ChunkedFileInfo> auto& info) {
  archive(info.identity, info.sink, info.begin, info.path, info.written_path, info.reason, info.variables);
}

// Rank 0 makes the file and sends its description; writers pack the chunks of their tiles. Chunks of several records
// stay open until their records are there (chunked/open_blocks.hpp). Values in forms that writers do not pack go to
// rank 0 (chunked/deferred_values.hpp). Methods keep the contracts of OutputFile.
//
// A block of several records is packed
//  - by the writer that has all its pieces, in its write();
//  - else when the ranks meet (meet()): after the last record of a row of blocks, if its records had different holders.
//    Each rank knows the holders of every put (note_holders()), and they are the same on all ranks, so all know without
//    a message whether they meet (must_meet());
//  - at a commit, which writes all open blocks. A record that comes later then rewrites its block: with what the file
//    has of it, at a new place (netCDF-4) or under a pending name (Zarr).
//
// After put_again() only a meeting packs, since another rank may have a newer piece.
class PackedFile : public OutputFile {
 public:
  bool collective() const noexcept final { return false; }
  bool commits_together() const noexcept final { return true; }
  bool one_at_a_time() const noexcept final { return false; }  // packing takes longer than writing
  bool uses_storage() const noexcept final { return leaves_a_file(); }
  const Geometry& geometry() const noexcept final { return places_; }
  std::string sink_reason() const final { return info_.reason; }
  SinkKind sink_kind() const noexcept final { return info_.sink; }
  std::int64_t stripe_bytes() const noexcept final { return 0; }
  double compress_seconds() const noexcept final { return compressing_.processor_seconds(); }
  std::int64_t packing_bytes() const noexcept final { return packing_bytes_; }
  const FileIdentity& identity() const noexcept final { return info_.identity; }

  void put_again() final {
    ++generation_;
    again_ = true;
  }
  std::int64_t chunk_row(int var, std::int64_t record) const final;
  bool must_meet(int var, std::int64_t record) final;
  void note_holders(int var, std::size_t round, std::uint64_t holders) final;
  Status meet() final;
  void trace_by(TraceLane& lane) final { compressing_.trace_by(lane); }

  Status write(std::span<const Extent>) final {
    return {WEIR_ESTATE, formatted("{}: another library cannot write into a file of compressed chunks", info_.path)};
  }

  Status check_name() const final {
    if (comm_.rank() != 0 || !leaves_a_file()) return {};
    return check_same(info_.written_path, info_.identity);
  }

 protected:
  PackedFile(const OutputOptions& options, const Schema& schema, int format)
      : config_(options.config),
        comm_(options.comm),
        calls_(options.calls),
        schema_(schema),
        wait_{config_->timeout_seconds, options.watch},
        places_(places_of_neighbours(schema, format)) {}

  // Whether the configuration asks for a sink that leaves no file.
  bool keeps_nothing() const noexcept { return weir::keeps_nothing(config_->sink); }
  bool leaves_a_file() const noexcept { return !weir::keeps_nothing(info_.sink); }
  int element_bytes(int var) const { return type_bytes(schema_.variables()[static_cast<std::size_t>(var)].type); }

  // Sends rank 0's description to all ranks, after make() has filled it in on rank 0.
  // Collective.
  // Errors: what make() has thrown, on all ranks.
  template <class Make>
  void learn(const OutputOptions& options, Make make, std::string_view call) {
    const auto made = [&] {
      make();
      return info_;
    };
    info_ = made_by_0(comm_, made, wait_, call);
    info_.identity = info_.identity.among(options.hosts);
  }

  // Returns where a variable's tiles may be cut: at chunks of `grid`, or anywhere if its values go to rank 0.
  static Granule granule_of(const ChunkGrid& grid, bool kept, std::span<const FilterStep> filters) {
    return kept ? Granule{} : weir::granule_of(grid, filters);
  }

  std::byte* memory_of(const ReadyTile& tile, const Stretch& stretch) const {
    return tile.memory + stretch.at * element_bytes(tile.var);
  }
  void note(const ReadyTile& tile, const Stretch& stretch) {
    const std::int64_t size = element_bytes(tile.var);
    notes_.add({tile.var, tile.record, generation_, stretch.element * size, stretch.count * size},
               memory_of(tile, stretch));
  }
  // Notes the memory that packing uses now: packed chunks, `batch` among them, stored values, open blocks, and
  // `others`: the block that is being packed, or the values that all ranks have stored.
  void note_memory(const PackedBatch& batch, std::int64_t others = 0) noexcept {
    note_memory(batch.memory_bytes() + others);
  }
  void note_memory(std::int64_t others) noexcept {
    const std::int64_t now = packer_.memory_bytes() + notes_.bytes() + open_.bytes() + stored_block_.size() + others;
    packing_bytes_ = std::max(packing_bytes_.load(), now);
  }
  // Calls each(chunk, source) for the stretch's chunks, until one fails.
  template <class Each>
  Status pack(const ReadyTile& tile, const Stretch& stretch, const ChunkGrid& grid, std::span<const FilterStep> filters,
              Each each) {
    const struct Ending {  // where packing throws, too
      CompressClock& clock;
      ~Ending() { clock.end(); }
    } ending{compressing_};
    if (schema_.variable(tile.var).storage.quantization || !filters.empty()) compressing_.begin(tile.var);
    const Packer::Source source = packer_source(schema_, tile.var, stretch, memory_of(tile, stretch), filters);
    Status status;
    grid.visit(stretch.element, stretch.element + stretch.count, [&](const Chunk& chunk) {
      if (status.ok()) status = each(chunk, source);
    });
    return status;
  }

  // Blocks of several records, in a grid of blocks whose shape is the variable's without the record dimension.

  // Returns the records of a block; 1 if each record has its own. The same on all ranks.
  virtual std::int64_t block_records(int var) const = 0;
  // Returns the bytes of a record of a block, with what is beyond the edges of the variable.
  virtual std::int64_t piece_bytes(int var) const = 0;
  // Whether any variable has such blocks, once find_blocks() has looked.
  bool has_blocks() const noexcept { return most_block_records_ > 1; }
  void find_blocks();
  // Stores the stretch's pieces, and packs the blocks that are then whole.
  Status store(const ReadyTile& tile, const Stretch& stretch, const ChunkGrid& grid);
  // Writes all open blocks. `find_stored`: on rank 0, says what the file has of each.
  // Collective. Errors: this rank's, or all ranks' alike.
  using FindStored = std::function<void(std::span<BlockTask>)>;
  Status write_blocks(const FindStored& find_stored);
  // Reads what the file has of a block, as elements of whole records, to `to`; the fill value where it has nothing.
  // Errors: thrown.
  virtual void read_block(const BlockTask& block, std::span<std::byte> to) = 0;
  // Adds a block of these elements to the batch as one chunk, as Packer::pack(); overwrites them.
  std::int64_t pack_elements(int var, std::span<std::byte> elements, std::span<const FilterStep> filters,
                             PackedBatch& batch);
  // Packs a block of these elements, in external form, and writes it, or keeps it for end_blocks(); overwrites them.
  virtual Status write_block(const BlockKey& block, std::span<std::byte> elements) = 0;
  // Writes what was kept.
  virtual Status end_blocks() = 0;

  std::shared_ptr<const Config> config_;
  const Comm& comm_;
  StorageCalls& calls_;
  const Schema& schema_;
  WaitLimit wait_;
  Geometry places_;
  ChunkedFileInfo info_;
  // Used by the thread that writes:
  Packer packer_;
  CompressClock compressing_;
  DeferredValues notes_;  // since the last commit
  OpenBlocks open_;
  UninitializedBuffer stored_block_;
  std::int64_t generation_ = 0;
  std::atomic<std::int64_t> packing_bytes_ = 0;

 private:
  // Deals the open blocks out, and exchanges their pieces. Returns the tasks of all ranks. Collective.
  Status deal_and_exchange(const FindStored& find_stored, std::vector<BlockTask>& tasks);
  Status pack_block(const BlockTask& task);
  // Packs and writes those of this rank's tasks that `wanted` chooses.
  template <class Wanted>
  Status pack_blocks(std::vector<BlockTask> tasks, Wanted wanted);

  // The row of blocks of a variable's last put, and who held each round of its first record.
  struct Row {
    std::int64_t number;
    std::vector<std::uint64_t> holders;
  };

  std::int64_t most_block_records_ = 1;  // of any variable
  bool again_ = false;                   // a record was put again since the last commit
  std::map<int, Row> rows_;              // by variable, since the ranks met
  bool moved_ = false;                   // since then, a record had other holders than the first of its row
};

}  // namespace weir
