// SPDX-License-Identifier: Apache-2.0
// One netCDF-4 file that all writers share.
//
//  1. weir_enddef   Rank 0 has the file defined (metadata.hpp) and makes it under a name of its own. All ranks learn
//  how
//                   each variable's chunks are packed.
//  2. write         A writer packs the chunks of its tiles, one by one, takes a place for them (file_space.hpp) and
//  writes
//                   them there. It notes what lies where. Nobody waits, and no other rank hears of it.
//  3. commit        All notes go to rank 0, whose HDF5 enters them into its tables; what has changed of the metadata is
//                   written into the file: before it gets its name, later under a journal (visible.hpp).
//
// A chunk that nobody put is in no table, and reads as fill value.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "base/spelling.hpp"
#include "mpi/agree.hpp"
#include "mpi/gather.hpp"
#include "write/netcdf4/append_form.hpp"
#include "write/netcdf4/file_space.hpp"
#include "write/netcdf4/metadata.hpp"
#include "write/output_file.hpp"
#include "write/packing/compress_clock.hpp"
#include "write/packing/kept_notes.hpp"
#include "write/packing/layout.hpp"
#include "write/packing/packer.hpp"
#include "write/packing/source.hpp"
#include "write/packing/told_words.hpp"
#include "write/storage_calls.hpp"
#include "write/visible.hpp"

namespace weir {

namespace {

constexpr std::int64_t batch_bytes = 1 << 20;   // of chunks that are written together: so many are still in a cache
constexpr std::int64_t most_growth_bytes = 64;  // of a chunk by all its check sums
constexpr std::size_t watched_bytes = 48;       // the superblock, where HDF5 notes any change of the file's length
constexpr std::string_view commit_call = "a commit of netCDF-4";

class ChunkedFile final : public OutputFile {
 public:
  ChunkedFile(const OutputOptions& options, const Schema& schema, const StoredTables* existing)
      : config_(options.config),
        comm_(options.comm),
        schema_(schema),
        path_(options.path),
        wait_{config_.timeout_seconds, options.watch},
        storage_(options.storage) {
    require(options.machine && options.host, WEIR_EINTERNAL, "a chunked file is to know where ranks are");
    places_ = places_of_neighbours(schema_, netcdf4_format);
    for (int var = 0; var < static_cast<int>(schema_.variables().size()); ++var)
      grids_.push_back(chunk_grid(schema_, var));
    if (existing) places_.records = records_ = existing->records;
    make_file(options, existing);
    open_sink(options);
    std::int64_t most = batch_bytes;
    for (int var = 0; var < static_cast<int>(grids_.size()); ++var) most = std::max(most, most_packed_bytes(var));
    space_.emplace(*options.machine, *options.host, comm_.rank(), FileSpace::Range{told_.begin, most}, wait_.begin());
  }

  bool collective() const noexcept override { return false; }
  bool commits_together() const noexcept override { return true; }
  bool one_at_a_time() const noexcept override { return false; }  // packing takes longer than writing
  bool stores() const noexcept override { return leaves_a_file(); }
  const Geometry& geometry() const noexcept override { return places_; }
  std::string put_obstacle(int var) const override { return stored(var).obstacle; }
  Granule granule(int var) const override {
    if (stored(var).kept) return {};
    Granule granule = grid(var).granule();
    granule.packed = squeezes(stored(var).filters);
    return granule;
  }
  std::string sink_reason() const override { return choice_.reason; }
  SinkKind sink_kind() const noexcept override { return choice_.kind; }
  std::int64_t stripe_bytes() const noexcept override { return 0; }
  std::int64_t bytes_written() const noexcept override { return bytes_written_; }
  double compress_seconds() const noexcept override { return compressing_.processor_seconds(); }
  const FileIdentity& identity() const noexcept override { return told_.identity; }

  void put_again() override { ++generation_; }
  void trace_by(TraceLane& lane) override { compressing_.trace_by(lane); }

  Status write(std::span<const ReadyTile> tiles) override {
    Status status;
    for (const ReadyTile& tile : tiles) {
      records_ = std::max(records_, schema_.is_record(tile.var) ? tile.record + 1 : 0);
      for (const Stretch& stretch : tile.plan->rounds[tile.round].stretches)
        if (status.ok()) status = write_stretch(tile, stretch);
    }
    if (status.ok()) status = write_batch();
    return status;
  }

  Status write(std::span<const Extent>) override {
    return {WEIR_ESTATE, path_ + ": a netCDF-4 file has no places for bytes of another library", -1};
  }

  // Chunks that were never written read as fill value. A scalar has its place.
  Status fill(std::span<const Unput> unput) override {
    for (const Unput& hole : unput) {
      if (schema_.is_record(hole.var)) records_ = std::max(records_, hole.record + 1);
      if (!schema_.variable(hole.var).dims.empty() || stored(hole.var).kept || comm_.rank() != 0) continue;
      const ExternalValue value = schema_.fill_value(hole.var);
      if (Status status = write_scalar(hole.var, value.data()); !status.ok()) return status;
    }
    return {};
  }

  // HDF5 is called here: by the rank's own thread, within the model's commit.
  void prepare_commit() override {
    std::vector<PlacedChunk> all = gather_chunks();
    const std::vector<std::byte> notes = gather_notes();
    std::int64_t words[] = {records_, told_.begin};
    allreduce_max(comm_, words, wait_.begin(), commit_call);
    records_ = words[0];
    if (comm_.rank() == 0) {
      keep_latest(all);
      if (placed_.ok()) placed_ = metadata_->place({all, notes, records_}, update_);
      if (placed_.ok()) words[1] = update_.file_bytes;
    }
    broadcast(comm_, std::span(words).last(1), 0, wait_.begin(), commit_call);
    told_.begin = words[1];
    space_->restart(told_.begin);
  }

  Status make_durable(Durability wanted) override {
    if (!placed_.ok()) return placed_;
    return wanted == Durability::storage ? sink_->make_durable() : Status{};
  }

  Status check_name() const override {
    if (comm_.rank() != 0 || !leaves_a_file()) return {};
    const auto trouble = other_file_trouble(told_.written_path, told_.identity);
    return trouble ? Status{WEIR_EIO, *trouble + "; nothing more is written", -1} : Status{};
  }

  Status publish(std::int64_t records) override {
    if (file_) {
      move_chunks();
      Status status = file_->publish(update_.changes, update_.file_bytes);
      update_ = {};
      if (!status.ok()) return status;
    }
    published(records);
    return {};
  }

  bool publishes_in_steps() const noexcept override { return true; }
  Status prepare_publish(std::int64_t, std::vector<PublishStep>& steps) override {
    if (!file_) return {};
    move_chunks();
    return file_->prepare(std::exchange(update_.changes, {}), update_.file_bytes, steps);
  }
  void published(std::int64_t records) override {
    if (file_) {
      file_->published();
      metadata_->written(
          [this](std::int64_t at, std::span<std::byte> to) { file_->contents().read(to.data(), std::ssize(to), at); });
    }
    places_.records = records;
    sink_->renamed(path_);
    told_.written_path = path_;
  }

  void prepare_end() noexcept override { metadata_.reset(); }

  void discard() noexcept override {
    sink_.reset();
    if (file_) file_->discard();
  }

 private:
  bool leaves_a_file() const { return choice_.kind == SinkKind::direct; }
  const ChunkGrid& grid(int var) const { return grids_[static_cast<std::size_t>(var)]; }
  const StoredVariable& stored(int var) const { return told_.variables[static_cast<std::size_t>(var)]; }
  int element_bytes(int var) const { return type_bytes(schema_.variables()[static_cast<std::size_t>(var)].type); }

  // Of one chunk.
  std::int64_t most_packed_bytes(int var) const {
    return grid(var).chunk_elements() * element_bytes(var) + most_growth_bytes;
  }

  // Rank 0 defines and makes the file; the others learn of it, or why there is none.
  void make_file(const OutputOptions& options, const StoredTables* existing) {
    const auto make = [&] {
      const auto inspect = [path = path_] { return inspect_file_system(path); };
      choose(options, options.calls.get(inspect, "asking for the file system of " + path_));
      existing ? reopen(options, *existing) : define(options);
      return serialize(told_);
    };
    told_ = deserialize_chunked(made_by_0(comm_, make, wait_, "weir_enddef"));
    if (options.hosts > 1) told_.identity.device = 0;
    path_ = told_.path;
    choice_ = {told_.sink, told_.reason, 0, false};
  }

  void define(const OutputOptions& options) {
    metadata_ = define_netcdf4(path_, schema_);
    told_.variables = metadata_->variables();
    for (const StoredVariable& variable : told_.variables)
      if (const std::string missing = missing_filter(variable.filters); !missing.empty())
        throw Error(WEIR_EARGUMENT, in_quotes(path_) + " cannot be written: " + missing);
    DefinedHeader header{places_, metadata_->image()};
    header.geometry.fixed_end = metadata_->end();
    take_hold(options, [path = path_, header, durability = config_.durability] {
      VisibleFile file(path, header, durability);
      file.watch(watched_bytes);
      return file;
    });
  }

  // What a killed run has left behind what the file has in use goes.
  void reopen(const OutputOptions& options, const StoredTables& existing) {
    const auto file = std::make_shared<Descriptor>(
        options.calls.get([path = path_] { return open_to_read(path); }, "opening " + path_));
    const auto read = [file](std::int64_t at, std::span<std::byte> to) { file->read(to.data(), std::ssize(to), at); };
    told_.variables = append_forms(existing);
    metadata_ = reopen_netcdf4(path_, schema_, {read, file->bytes(), existing.records, told_.variables});
    Geometry geometry = places_;
    geometry.records = 0;
    geometry.fixed_end = metadata_->end();
    geometry.header_bytes = watched_bytes;
    take_hold(options, [path = path_, geometry, durability = config_.durability, file] {
      VisibleFile visible(path, geometry, durability);
      require(!other_file_trouble(file->number(), path, visible.identity()), WEIR_EIO,
              in_quotes(path) + " was replaced while it was opened; open it again");
      return visible;
    });
  }

  template <class Make>
  void take_hold(const OutputOptions& options, Make make) {
    told_.begin = metadata_->end();
    told_.path = told_.written_path = path_;
    if (!leaves_a_file()) return;
    file_ = options.calls.get(make, (options.append ? "opening " : "making ") + path_);
    told_.identity = file_->identity();
    told_.written_path = file_->written_path();
  }

  // Each writer writes its own chunks, whatever the strategy: only a sink that keeps nothing may be instead.
  void choose(const OutputOptions& options, const FileSystem& system) {
    const bool safe = system.coherent || options.hosts == 1;
    choice_.kind = SinkKind::direct;
    choice_.reason = "writers write the chunks that they pack";
    if (config_.sink == SinkKind::null || config_.sink == SinkKind::memory) {
      choice_ = {config_.sink, "asked for", 0, false};
    } else if (!safe) {
      throw Error(WEIR_EIO, in_quotes(path_) + " cannot be written as netCDF-4: " + std::to_string(options.hosts) +
                                " hosts would write into it, and pwrite from several hosts is not coherent on " +
                                system.name + "; let one host write (strategy: serial), or take another file system");
    }
    told_.sink = choice_.kind;
    told_.reason = choice_.reason;
  }

  void open_sink(const OutputOptions& options) {
    SinkOptions how{told_.written_path, config_.durability, {}, storage_, told_.identity};
    how.wait = wait_;
    how.calls = &options.calls;
    sink_ = make_sink(choice_.kind, comm_, how);
  }

  Status write_stretch(const ReadyTile& tile, const Stretch& stretch) {
    std::byte* const memory = tile.memory + stretch.at * element_bytes(tile.var);
    const StoredVariable& form = stored(tile.var);
    if (form.kept) {
      const std::int64_t size = element_bytes(tile.var);
      notes_.add({tile.var, tile.record, generation_, stretch.element * size, stretch.count * size}, memory);
      return {};
    }
    if (schema_.variable(tile.var).dims.empty()) return write_scalar(tile.var, memory);
    if (schema_.variable(tile.var).storage.quantization || !form.filters.empty()) compressing_.begin(tile.var);
    const Packer::Source source = packer_source(schema_, tile.var, stretch, memory, form.filters);
    Status status;
    grid(tile.var).visit(stretch.element, stretch.element + stretch.count, [&](const Chunk& chunk) {
      if (status.ok() && batch_.bytes() + most_packed_bytes(tile.var) > batch_bytes) status = write_batch();
      if (!status.ok()) return;
      PlacedChunk placed{tile.var, tile.record, chunk.number, generation_, batch_.bytes(), 0, 0};
      placed.skipped = packer_.pack(grid(tile.var), chunk, source, batch_);
      placed.bytes = batch_.bytes() - placed.address;
      chunks_.push_back(placed);
    });
    compressing_.end();
    return status;
  }

  Status write_scalar(int var, const std::byte* external) {
    const int size = element_bytes(var);
    std::array<std::byte, 8> value{};
    std::copy_n(external, size, value.begin());
    if constexpr (std::endian::native == std::endian::little) std::reverse(value.begin(), value.begin() + size);
    const Extent extent{stored(var).begin, size, value.data()};
    bytes_written_ += size;
    return sink_->write(std::span(&extent, 1));
  }

  // The packed chunks go to one place, one after the other.
  Status write_batch() {
    if (batch_.bytes() == 0) return {};
    const std::int64_t place = space_->take(batch_.bytes());
    for (; noted_ < chunks_.size(); ++noted_) chunks_[noted_].address += place;
    bytes_written_ += batch_.bytes();
    const CompressClock::Pause pause(compressing_);
    Status status = sink_->write(batch_.extents(place));
    batch_.clear();
    return status;
  }

  // Those of all ranks, on rank 0; the others' are given up.
  std::vector<PlacedChunk> gather_chunks() {
    const std::vector<PlacedChunk> mine = std::exchange(chunks_, {});
    noted_ = 0;
    return gather_to_0(comm_, std::span(mine), wait_.begin(), commit_call);
  }

  // Of all ranks, on rank 0. No rank has any where no variable is kept.
  std::vector<std::byte> gather_notes() {
    const bool any = std::any_of(told_.variables.begin(), told_.variables.end(), [](const auto& v) { return v.kept; });
    return any ? gather_to_0(comm_, notes_.take(), wait_.begin(), commit_call) : std::vector<std::byte>();
  }

  // In the order of the tables, each chunk as it was written last.
  static void keep_latest(std::vector<PlacedChunk>& chunks) {
    const auto key = [](const PlacedChunk& c) { return std::tuple(c.var, c.record, c.number); };
    std::sort(chunks.begin(), chunks.end(), [&](const PlacedChunk& a, const PlacedChunk& b) {
      return key(a) != key(b) ? key(a) < key(b) : a.generation > b.generation;
    });
    chunks.erase(std::unique(chunks.begin(), chunks.end(),
                             [&](const PlacedChunk& a, const PlacedChunk& b) { return key(a) == key(b); }),
                 chunks.end());
  }

  // What HDF5 wants to have elsewhere becomes a change like those of its tables.
  void move_chunks() {
    for (const Move& move : std::exchange(update_.moves, {})) {
      Change change{move.to, std::vector<std::byte>(static_cast<std::size_t>(move.bytes))};
      file_->contents().read(change.bytes.data(), move.bytes, move.from);
      update_.changes.push_back(std::move(change));
    }
  }

  const Config& config_;
  const Comm& comm_;
  const Schema& schema_;
  std::string path_;
  WaitLimit wait_;
  const StorageClock* storage_;
  SinkChoice choice_;
  Geometry places_;
  std::vector<ChunkGrid> grids_;
  ToldChunked told_;
  std::optional<FileSpace> space_;
  std::unique_ptr<Sink> sink_;
  // Of whoever writes:
  Packer packer_;
  PackedBatch batch_;
  CompressClock compressing_;
  std::vector<PlacedChunk> chunks_;  // since the last commit
  KeptNotes notes_;                  // the same
  std::size_t noted_ = 0;            // of them, those that are in the file
  std::int64_t generation_ = 0;
  std::int64_t records_ = 0;
  std::atomic<std::int64_t> bytes_written_ = 0;
  // Of rank 0:
  std::optional<VisibleFile> file_;
  std::unique_ptr<Netcdf4Metadata> metadata_;  // reads the file
  Status placed_;
  MetadataUpdate update_;
};

}  // namespace

std::unique_ptr<OutputFile> make_chunked_file(const OutputOptions& options, const Schema& schema,
                                              const StoredTables* existing) {
  return std::make_unique<ChunkedFile>(options, schema, existing);
}

}  // namespace weir
