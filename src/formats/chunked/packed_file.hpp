// SPDX-License-Identifier: Apache-2.0
// What files of packed chunks share (netcdf4/chunked_file.cpp, zarr/zarr_file.cpp): their grids of chunks, the
// description that rank 0 sends to the others, and the class PackedFile, from which both derive.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.hpp"
#include "base/text.hpp"
#include "formats/chunked/codec.hpp"
#include "formats/chunked/deferred_values.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/chunked/packer.hpp"
#include "formats/classic/visible.hpp"
#include "formats/definition.hpp"
#include "formats/output_file.hpp"
#include "mpi/agree.hpp"
#include "plan/chunk_grid.hpp"
#include "storage/identity.hpp"

namespace weir {

// Returns the chunks of a variable, or of a record of it. Pure.
ChunkGrid chunk_grid(const Schema& schema, int var);

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

// Rank 0 makes the file and sends its description; writers pack the chunks of their tiles; values that share a chunk
// with other records go to rank 0 (chunked/deferred_values.hpp). Methods keep the contracts of OutputFile.
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

  void put_again() final { ++generation_; }
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
  // Notes the memory that packing uses now: packed chunks, `batch` among them, stored values, and `notes_of_all`, those
  // of all ranks.
  void note_memory(const PackedBatch& batch, std::int64_t notes_of_all = 0) noexcept {
    const std::int64_t now = packer_.memory_bytes() + batch.memory_bytes() + notes_.bytes() + notes_of_all;
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

  std::shared_ptr<const Config> config_;
  const Comm& comm_;
  const Schema& schema_;
  WaitLimit wait_;
  Geometry places_;
  ChunkedFileInfo info_;
  // Used by the thread that writes:
  Packer packer_;
  CompressClock compressing_;
  DeferredValues notes_;  // since the last commit
  std::int64_t generation_ = 0;
  std::atomic<std::int64_t> packing_bytes_ = 0;
};

}  // namespace weir
