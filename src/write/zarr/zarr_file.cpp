// SPDX-License-Identifier: Apache-2.0
// One Zarr folder that all writers share.
//
//  1. weir_enddef   Rank 0 makes the folder under a name of its own, with a folder for each array. All ranks know what
//  a
//                   shard is (array.hpp): a granule, so it has one owner.
//  2. write         A writer packs the chunks of its shards and writes each shard as a file: under its own name where
//  it
//                   lies beyond what is committed, so that no reader looks for it; beside that, under a pending name,
//                   where it takes the place of a committed one. Values of small records it notes.
//  3. commit        Each writer brings its files to stable storage. Notes and the names that wait go to rank 0, which
//                   writes the small records, renames, and replaces the texts that say how long the arrays are.
//
// A folder that was there (weir_open) begins with 2, in the form that its texts tell of (append_form.hpp); of these
// only lengths change. A shard or chunk that nobody put is not there, and reads as fill value.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/spelling.hpp"
#include "mpi/agree.hpp"
#include "mpi/gather.hpp"
#include "write/output_file.hpp"
#include "write/packing/compress_clock.hpp"
#include "write/packing/layout.hpp"
#include "write/packing/packer.hpp"
#include "write/packing/source.hpp"
#include "write/packing/told_words.hpp"
#include "write/storage_calls.hpp"
#include "write/zarr/append_form.hpp"
#include "write/zarr/folder.hpp"
#include "write/zarr/kept_records.hpp"
#include "write/zarr/new_arrays.hpp"
#include "write/zarr/shard_files.hpp"

namespace weir {

namespace {

constexpr std::string_view commit_call = "a commit of Zarr";

// A shard that takes the place of a committed one. All of it words, so that it travels as such.
struct Rewritten {
  std::int64_t var, record, number;
  auto operator<=>(const Rewritten&) const = default;
};

class ZarrFile final : public OutputFile {
 public:
  ZarrFile(const OutputOptions& options, const Schema& schema, const StoredTables* existing)
      : config_(options.config),
        comm_(options.comm),
        schema_(schema),
        wait_{config_.timeout_seconds, options.watch},
        places_(places_of_neighbours(schema, zarr_format)) {
    if (existing) {
      arrays_ = arrays_to_append(*existing);
      places_.records = existing->records;
      appends_ = committed_ = true;
    } else {
      arrays_ = new_arrays(options, schema_, 0);
    }
    make_folder(options, existing);
    shards_.emplace(leaves_a_file(), config_.durability, options.storage, compressing_);
  }

  bool collective() const noexcept override { return false; }
  bool commits_together() const noexcept override { return true; }
  bool one_at_a_time() const noexcept override { return false; }  // packing takes longer than writing
  bool stores() const noexcept override { return leaves_a_file(); }
  const Geometry& geometry() const noexcept override { return places_; }
  std::string put_obstacle(int var) const override { return array(var).obstacle; }
  Granule granule(int var) const override {
    if (array(var).kept) return {};
    Granule granule = array(var).shards().granule();
    granule.packed = squeezes(array(var).codecs);
    return granule;
  }
  std::string sink_reason() const override { return told_.reason; }
  SinkKind sink_kind() const noexcept override { return told_.sink; }
  std::int64_t stripe_bytes() const noexcept override { return 0; }
  std::int64_t bytes_written() const noexcept override { return shards_ ? shards_->bytes_written() : 0; }
  double compress_seconds() const noexcept override { return compressing_.processor_seconds(); }
  const FileIdentity& identity() const noexcept override { return told_.identity; }

  void put_again() override { ++generation_; }
  void trace_by(TraceLane& lane) override { compressing_.trace_by(lane); }

  Status write(std::span<const ReadyTile> tiles) override {
    Status status;
    for (const ReadyTile& tile : tiles)
      for (const Stretch& stretch : tile.plan->rounds[tile.round].stretches)
        if (status.ok()) status = write_stretch(tile, stretch);
    return status;
  }

  Status write(std::span<const Extent>) override {
    return {WEIR_ESTATE, told_.path + ": a Zarr folder has no places for bytes of another library", -1};
  }

  Status fill(std::span<const Unput>) override { return {}; }

  void prepare_commit() override {
    const Deadline deadline = wait_.begin();
    notes_of_all_ = gather_to_0(comm_, notes_.take(), deadline, commit_call);
    const std::vector<Rewritten> mine = std::exchange(rewritten_, {});
    std::vector<Rewritten> all = gather_to_0(comm_, std::span(mine), deadline, commit_call);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    pending_.clear();
    for (const Rewritten& shard : all) {
      const int var = static_cast<int>(shard.var);
      const std::string name = file_name(array(var), shard.record, array(var).shards().first_index(shard.number));
      pending_.push_back({schema_.variable(var).name, name});
    }
  }

  Status make_durable(Durability) override { return shards_->make_durable(); }

  Status check_name() const override {
    if (comm_.rank() != 0 || !leaves_a_file()) return {};
    const auto trouble = other_file_trouble(told_.written_path, told_.identity);
    return trouble ? Status{WEIR_EIO, *trouble + "; nothing more is written", -1} : Status{};
  }

  Status publish(std::int64_t records) override {
    if (folder_)
      if (Status status = show_folder(records); !status.ok()) return status;
    places_.records = records;
    for (ZarrArray& array : arrays_) array.length = records;
    told_.written_path = told_.path;
    committed_ = true;
    return {};
  }

  void discard() noexcept override {
    if (folder_) folder_->discard();
  }

 private:
  bool leaves_a_file() const { return told_.sink == SinkKind::direct; }
  const ZarrArray& array(int var) const { return arrays_[static_cast<std::size_t>(var)]; }
  int element_bytes(int var) const { return type_bytes(schema_.variables()[static_cast<std::size_t>(var)].type); }

  // Rank 0 makes the folder, or takes hold of that which is there; the others learn of it, or why there is none.
  void make_folder(const OutputOptions& options, const StoredTables* existing) {
    const auto make = [&] {
      take_hold(options, existing);
      return serialize(told_);
    };
    told_ = deserialize_chunked(made_by_0(comm_, make, wait_, existing ? "weir_open" : "weir_enddef"));
    if (options.hosts > 1) told_.identity.device = 0;
  }

  void take_hold(const OutputOptions& options, const StoredTables* existing) {
    if (!existing) zarr_documents(schema_, arrays_, 0);  // throws what Zarr does not take
    const bool kept = config_.sink != SinkKind::null && config_.sink != SinkKind::memory;
    told_.sink = kept ? SinkKind::direct : config_.sink;
    told_.reason = kept ? "writers write the shards that they pack, a file each" : "asked for";
    told_.path = told_.written_path = options.path;
    if (!kept) return;
    std::vector<std::string> names;
    for (const Variable& variable : schema_.variables()) names.push_back(variable.name);
    const auto tables = existing ? std::make_shared<const StoredTables>(*existing) : nullptr;
    const auto make = [path = options.path, names, tables, durability = config_.durability] {
      return tables ? ZarrFolder(path, *tables, durability) : ZarrFolder(path, names, durability);
    };
    folder_ = options.calls.get(make, (existing ? "opening " : "making ") + options.path);
    told_.identity = folder_->identity();
    told_.written_path = folder_->written_path();
  }

  Status write_stretch(const ReadyTile& tile, const Stretch& stretch) {
    const int size = element_bytes(tile.var);
    std::byte* const memory = tile.memory + stretch.at * size;
    if (array(tile.var).kept) {
      notes_.add({tile.var, tile.record, generation_, stretch.element * size, stretch.count * size}, memory);
      return {};
    }
    if (schema_.variable(tile.var).storage.quantization || !array(tile.var).codecs.empty())
      compressing_.begin(tile.var);
    const Packer::Source source = packer_source(schema_, tile.var, stretch, memory, array(tile.var).codecs);
    const ChunkGrid grid = array(tile.var).shards();
    Status status;
    grid.visit(stretch.element, stretch.element + stretch.count, [&](const Chunk& shard) {
      if (status.ok()) status = write_shard(tile, shard, source);
    });
    compressing_.end();
    return status;
  }

  Status write_shard(const ReadyTile& tile, const Chunk& shard, const Packer::Source& source) {
    const ZarrArray& of = array(tile.var);
    const bool again = committed_ && (!of.record || tile.record < places_.records);
    if (again) rewritten_.push_back({tile.var, tile.record, shard.number});
    const std::string name = file_name(of, tile.record, shard.lo);
    const ChunkGrid chunks = chunk_grid(schema_, tile.var);
    Status status =
        shards_->begin(told_.written_path + "/" + schema_.variable(tile.var).name, again ? pending_name(name) : name,
                       of.indexed ? elements(of.file_lengths()) / chunks.chunk_elements() : 0);
    visit_chunks(of, shard, [&](std::int64_t number, const Chunk& chunk) {
      if (!status.ok()) return;
      if (packer_.pack(chunks, chunk, source, shards_->packed()) != 0)
        status = {WEIR_EMEMORY, "a chunk of " + told_.path + " could not be compressed: no memory is left", -1};
      else
        status = shards_->take(number);
    });
    return status.ok() ? shards_->end() : status;
  }

  // Those that hold something of the variable, with their number in the shard.
  template <class Visit>
  static void visit_chunks(const ZarrArray& of, const Chunk& shard, Visit visit) {
    const Shape chunk = of.chunk.empty() ? Shape{1} : of.chunk;
    Chunk each{0, shard.lo, shard.lo};
    for (;;) {
      std::int64_t number = 0;
      for (std::size_t d = 0; d < chunk.size(); ++d) {
        const std::int64_t whole = of.shard.empty() ? 1 : of.shard[d];
        number = number * (whole / chunk[d]) + (each.lo[d] - shard.lo[d]) / chunk[d];
        each.hi[d] = std::min(each.lo[d] + chunk[d], shard.hi[d]);
      }
      visit(number, each);
      std::int64_t d = std::ssize(chunk) - 1;
      for (; d >= 0; --d) {
        const auto k = static_cast<std::size_t>(d);
        if ((each.lo[k] += chunk[k]) < shard.hi[k]) break;
        each.lo[k] = shard.lo[k];
      }
      if (d < 0) return;
    }
  }

  Status show_folder(std::int64_t records) {
    std::vector<ZarrFolder::Pending> files = std::exchange(pending_, {});
    KeptRecords kept(schema_, arrays_, folder_->written_path());
    const std::vector<std::byte> notes = std::exchange(notes_of_all_, {});
    Status status = kept.write(notes, config_.durability, files);
    if (!status.ok()) return status;
    return folder_->publish(
        files, appends_ ? folder_->texts().with_records(records) : zarr_documents(schema_, arrays_, records));
  }

  const Config& config_;
  const Comm& comm_;
  const Schema& schema_;
  WaitLimit wait_;
  Geometry places_;
  std::vector<ZarrArray> arrays_;
  ToldChunked told_;
  bool appends_ = false, committed_ = false;
  // Of whoever writes:
  Packer packer_;
  CompressClock compressing_;
  std::optional<ShardFiles> shards_;
  KeptNotes notes_;
  std::vector<Rewritten> rewritten_;
  std::int64_t generation_ = 0;
  // Of rank 0:
  std::optional<ZarrFolder> folder_;
  std::vector<std::byte> notes_of_all_;
  std::vector<ZarrFolder::Pending> pending_;
};

}  // namespace

std::unique_ptr<OutputFile> make_zarr_file(const OutputOptions& options, const Schema& schema,
                                           const StoredTables* existing) {
  return std::make_unique<ZarrFile>(options, schema, existing);
}

}  // namespace weir
