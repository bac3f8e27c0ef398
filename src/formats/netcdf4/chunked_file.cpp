// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "base/config.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/chunked/packed_file.hpp"
#include "formats/chunked/unpacker.hpp"
#include "formats/netcdf4/file_space.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "formats/netcdf4/module.hpp"
#include "formats/netcdf4/netcdf4_store.hpp"
#include "mpi/agree.hpp"
#include "mpi/exchange.hpp"
#include "plan/chunk_grid.hpp"
#include "rearrange/copy.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

// One netCDF-4 file that all writers share.
//
//  1. weir_enddef   Rank 0 has the file defined (metadata.hpp) and makes it under a name of its own. All ranks learn
//                   how each variable's chunks are packed.
//  2. write         A writer packs the chunks of its tiles, one by one, takes a place for them (file_space.hpp) and
//                   writes them there. It notes what lies where. No rank waits, and no other rank hears of it. Where
//                   several hosts write, it keeps chunks of less than batch_bytes until there are more.
//  3. commit        Rank 0 finds places for what writers have kept. All notes go to rank 0, whose HDF5 enters them into
//                   its tables; what has changed of the metadata is written into the file: before it gets its name,
//                   later under a journal (visible.hpp).
//
// A chunk that no rank put is in no table, and reads as fill value.

namespace {

constexpr std::int64_t batch_bytes = packed_batch_bytes(FormatKind::netcdf4);
constexpr std::int64_t most_growth_bytes = 64;  // of a chunk by all its check sums
constexpr std::string_view commit_call = "a commit of netCDF-4";

// A chunk that a rank keeps until a commit.
struct KeptChunk {
  std::int64_t rank, bytes;
};
// Where a rank's next chunks go that it has kept.
struct KeptRun {
  std::int64_t rank, begin, chunks;
};
// Where all ranks' go, and where hosts take space afterwards.
struct Places {
  std::vector<KeptRun> runs;
  std::vector<FileRange> lent;
  std::int64_t end = 0;
};
void fields(auto& archive, Either<Places> auto& places) {
  archive(places.runs, places.lent, places.end);
}

class ChunkedFile final : public PackedFile {
 public:
  ChunkedFile(const OutputOptions& options, const Schema& schema, const StoredTables* existing)
      : PackedFile(options, schema, netcdf4_format), path_(options.path) {
    require(options.machine && options.host, WEIR_EINTERNAL, "a chunked file is to know where ranks are");
    for (int var = 0; var < static_cast<int>(schema_.variables().size()); ++var)
      grids_.push_back(chunk_grid(schema_, var));
    if (existing) places_.records = records_ = options.records.value_or(existing->records);
    try {
      begin(options, existing);
    } catch (...) {
      discard();  // of a file that no rank has nothing stays
      throw;
    }
  }

  std::string why_not_puttable(int var) const override { return stored(var).obstacle; }
  Granule granule(int var) const override { return granule_of(grid(var), stored(var).kept, stored(var).filters); }
  std::int64_t bytes_written() const noexcept override { return bytes_written_; }
  std::int64_t block_records(int var) const override { return block_records_[static_cast<std::size_t>(var)]; }

  using PackedFile::write;
  Status write(std::span<const ReadyTile> tiles) override {
    if (std::exchange(writing_, true)) {  // an earlier write has failed, and left what lies in no tile any more
      batch_.clear();
      chunks_.resize(noted_);
    }
    Status status;
    for (const ReadyTile& tile : tiles) {
      records_ = std::max(records_, schema_.is_record(tile.var) ? tile.record + 1 : 0);
      for (const Stretch& stretch : tile.tile->stretches)
        if (status.ok()) status = write_stretch(tile, stretch);
    }
    if (status.ok()) status = end_batch();
    writing_ = !status.ok();
    note_memory(batch_);
    return status;
  }

  // Chunks that were never written read as fill value. A scalar has its place.
  Status fill(std::span<const MissingRecord> missing_records) override {
    for (const MissingRecord& hole : missing_records) {
      if (schema_.is_record(hole.var)) records_ = std::max(records_, hole.record + 1);
      if (!schema_.variable(hole.var).dims.empty() || stored(hole.var).kept || comm_.rank() != 0) continue;
      const ExternalValue value = schema_.fill_value(hole.var);
      if (Status status = write_scalar(hole.var, value.data()); !status.ok()) return status;
    }
    return {};
  }

  void prepare_commit() override {
    last_written_ = {};
    std::vector<PlacedChunk> all = gather_chunks();
    if (has_blocks()) write_open_blocks(all);
    std::vector<std::byte> notes = gather_notes();
    note_memory(batch_, std::ssize(notes));
    std::int64_t words[] = {records_, info_.begin};
    allreduce_max(comm_, words, wait_.begin(), commit_call);
    records_ = words[0];
    if (comm_.rank() == 0) {
      keep_latest(all);
      if (placed_.ok() && last_written_.ok()) placed_ = place(std::move(all), std::move(notes));
      if (placed_.ok() && last_written_.ok()) words[1] = update_.file_bytes;
    }
    broadcast(comm_, std::span(words).last(1), 0, wait_.begin(), commit_call);
    info_.begin = words[1];
    space_->restart(info_.begin);
    free_.set_end(info_.begin);
  }

  Status make_durable(Durability wanted) override {
    if (!last_written_.ok()) return last_written_;
    if (!placed_.ok()) return placed_;
    return wanted == Durability::storage ? sink_->make_durable() : Status{};
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
    info_.written_path = path_;
  }

  void discard() noexcept override {
    metadata_.reset();  // it reads the file
    sink_.reset();
    if (file_) file_->discard();
  }

 private:
  const ChunkGrid& grid(int var) const { return grids_[static_cast<std::size_t>(var)]; }
  const StoredVariable& stored(int var) const { return info_.variables[static_cast<std::size_t>(var)]; }

  std::int64_t piece_bytes(int var) const override { return grid(var).chunk_elements() * element_bytes(var); }
  // Of one chunk.
  std::int64_t chunk_bytes(int var) const { return block_records(var) * piece_bytes(var); }
  std::int64_t most_packed_bytes(int var) const {
    return chunk_bytes(var) + (stored(var).filters.empty() ? 0 : most_growth_bytes);
  }

  // Ranks of a host meet behind this, in shared memory: no rank is to be missing there.
  void begin(const OutputOptions& options, const StoredTables* existing) {
    const auto make = [&] {
      make_file(options, existing);
      open_sink(options);
      return Status();
    };
    agree(comm_, {AgreementPoint::chunks_begun, 0, "weir_enddef", nullptr}, outcome_to_agree_on(make), wait_.begin())
        .raise();
    FileSpace::Range range{info_.begin, 1, 1};
    for (int var = 0; var < static_cast<int>(grids_.size()); ++var) {
      block_records_.push_back(schema_.is_record(var) && !stored(var).kept ? schema_.chunk(var).front() : 1);
      range.chunk = std::max(range.chunk, chunk_bytes(var));
      range.most = std::max(range.most, most_packed_bytes(var));
    }
    find_blocks();
    const int host = options.machine->host_of[static_cast<std::size_t>(comm_.rank())];
    space_.emplace(options.packing_hosts, host, *options.host, range, wait_.begin());
    free_.set_end(info_.begin);
  }

  // Rank 0 defines and makes the file; the others learn of it, or why there is none.
  void make_file(const OutputOptions& options, const StoredTables* existing) {
    const auto make = [&] {
      const auto inspect = [path = path_] { return inspect_file_system(path); };
      choose(options, options.calls.get(inspect, formatted("querying the file system of {}", path_)));
      existing ? reopen(options, *existing) : define(options);
    };
    learn(options, make, "weir_enddef");
    path_ = info_.path;
  }

  void define(const OutputOptions& options) {
    load_netcdf4(path_, Netcdf4Use::make);
    const auto make_metadata = [path = path_, schema = schema_] { return define_netcdf4(path, schema); };
    metadata_ = calls_.get(make_metadata, formatted("defining {}", path_));
    info_.variables = metadata_->variables();
    for (const StoredVariable& variable : info_.variables)
      if (const std::string missing = missing_filter(variable.filters); !missing.empty())
        throw Error(WEIR_EARGUMENT, "\"{}\" cannot be written: {}", path_, missing);
    for (int var = 0; var < static_cast<int>(info_.variables.size()); ++var)
      info_.variables[static_cast<std::size_t>(var)].kept = shares_small_chunks(schema_, var);
    DefinedHeader header{places_, metadata_->image()};
    header.geometry.fixed_end = metadata_->end();
    take_hold(options, [path = path_, header, durability = config_->durability] {
      VisibleFile file(path, header, durability);
      file.watch(superblock_bytes);
      return file;
    });
  }

  // What a killed run has left behind what the file has in use goes.
  void reopen(const OutputOptions& options, const StoredTables& existing) {
    const auto file = std::make_shared<Descriptor>(
        options.calls.get([path = path_] { return open_to_read(path); }, formatted("opening {}", path_)));
    const auto read = [file](std::int64_t at, std::span<std::byte> to) { file->read(to.data(), std::ssize(to), at); };
    info_.variables = append_forms(existing);
    load_netcdf4(path_, Netcdf4Use::append);
    Netcdf4Existing there{read, file->bytes(), existing.records, info_.variables, places_.records, {}};
    for (const auto& [name, why] : existing.left_out) there.left_out.push_back(name);
    metadata_ = calls_.get([path = path_, schema = schema_, there] { return reopen_netcdf4(path, schema, there); },
                           formatted("reading the tables of {}", path_));
    Geometry geometry = places_;
    geometry.records = 0;
    geometry.fixed_end = metadata_->end();
    geometry.header_bytes = superblock_bytes;
    take_hold(options, [path = path_, geometry, durability = config_->durability, file] {
      VisibleFile visible(path, geometry, durability);
      require(!other_file_problem(file->number(), path, visible.identity()), WEIR_EIO,
              "\"{}\" was replaced while it was opened; open it again", path);
      return visible;
    });
  }

  template <class Make>
  void take_hold(const OutputOptions& options, Make make) {
    info_.begin = metadata_->end();
    info_.path = info_.written_path = path_;
    if (!leaves_a_file()) return;
    file_ = options.calls.get(make, (options.append ? "opening " : "making ") + path_);
    info_.identity = file_->identity();
    info_.written_path = file_->written_path();
  }

  // Each writer writes its own chunks, whatever the strategy, and rank 0 the tables. Only a sink that keeps nothing may
  // be instead.
  void choose(const OutputOptions& options, const FileSystem& system) {
    const bool from_one = options.packing_hosts == std::vector{options.machine->host_of.front()};
    info_.sink = sink_of_packed(*config_);
    info_.reason = keeps_nothing() ? "asked for" : "writers write the chunks that they pack";
    if (may_write_apart(from_one ? 1 : options.hosts, system.coherent) || keeps_nothing()) return;
    throw Error(WEIR_EIO,
                "\"{}\" cannot be written as netCDF-4: {} hosts would write into it, but pwrite from several hosts is "
                "not coherent on {}; let one host write (strategy: serial), or use another file system",
                path_, options.hosts, system.name);
  }

  void open_sink(const OutputOptions& options) {
    SinkOptions how{info_.written_path, config_->durability, {}, info_.identity};
    how.wait = wait_;
    how.calls = &options.calls;
    sink_ = make_sink(info_.sink, comm_, how);
  }

  Status write_stretch(const ReadyTile& tile, const Stretch& stretch) {
    const StoredVariable& form = stored(tile.var);
    if (form.kept) return note(tile, stretch), Status{};
    if (schema_.variable(tile.var).dims.empty()) return write_scalar(tile.var, memory_of(tile, stretch));
    if (block_records(tile.var) > 1) return store(tile, stretch, grid(tile.var));
    return pack(tile, stretch, grid(tile.var), form.filters, [&](const Chunk& chunk, const Packer::Source& source) {
      if (batch_.bytes() + most_packed_bytes(tile.var) > batch_bytes)
        if (Status status = write_batch(); !status.ok()) return status;
      PlacedChunk placed{tile.var, tile.record, chunk.number, generation_, batch_.bytes(), 0, 0};
      placed.skipped = packer_.pack(grid(tile.var), chunk, source, batch_);
      placed.bytes = batch_.bytes() - placed.address;
      chunks_.push_back(placed);
      return Status{};
    });
  }

  Status write_block(const BlockKey& block, std::span<std::byte> elements) override {
    const int var = static_cast<int>(block.var);
    const StoredVariable& form = stored(var);
    if (batch_.bytes() + most_packed_bytes(var) > batch_bytes)
      if (Status status = write_batch(); !status.ok()) return status;
    PlacedChunk placed{var, block.row * block_records(var), block.number, generation_, batch_.bytes(), 0, 0};
    placed.skipped = pack_elements(var, elements, form.filters, batch_);
    placed.bytes = batch_.bytes() - placed.address;
    chunks_.push_back(placed);
    note_memory(batch_, std::ssize(elements));
    return batch_.ends_elsewhere() ? write_batch() : Status{};  // the next block takes their memory
  }

  Status end_blocks() override {
    note_memory(batch_);
    return end_batch();
  }

  void read_block(const BlockTask& block, std::span<std::byte> to) override {
    const int var = static_cast<int>(block.key.var), size = element_bytes(var);
    const std::int64_t known = block.stored_records * (std::ssize(to) / block_records(var));
    if (known > 0) {
      std::vector<std::byte> packed(static_cast<std::size_t>(block.bytes));
      open_to_read(info_.written_path).read(packed.data(), block.bytes, block.address);
      StoredArray form;
      form.filters = stored(var).filters;
      form.little_endian = std::endian::native == std::endian::little;
      const std::string problem = unpacker_.unpack(packed, form, static_cast<std::uint32_t>(block.skipped), size, to);
      require(problem.empty(), WEIR_EFORMAT, R"("{}" is damaged: a chunk of "{}" {}; restore it)", path_,
              schema_.variable(var).name, problem);
    }
    fill_elements(to.data() + known, (std::ssize(to) - known) / size, schema_.fill_value(var), size);
  }

  // Chunks of several records that are not whole. `all`: on rank 0, the chunks that were written since the last commit.
  void write_open_blocks(std::vector<PlacedChunk>& all) {
    const auto find_stored = [&](std::span<BlockTask> tasks) {
      keep_latest(all);
      calls_
          .run([this, tasks, &all] { return find_chunks(tasks, all), Status(); },
               formatted("looking for the chunks of {}", path_))
          .raise();
    };
    last_written_.merge(write_blocks(find_stored));
    const std::vector<PlacedChunk> more = gather_chunks();
    all.insert(all.end(), more.begin(), more.end());
  }

  void find_chunks(std::span<BlockTask> tasks, const std::vector<PlacedChunk>& written) {
    if (!leaves_a_file()) return;
    for (BlockTask& task : tasks) {
      const int var = static_cast<int>(task.key.var);
      const std::int64_t records = block_records(var), first = task.key.row * records;
      const auto key = std::tuple(task.key.var, first, task.key.number);
      const auto found =
          std::lower_bound(written.begin(), written.end(), key, [](const PlacedChunk& chunk, const auto& k) {
            return std::tuple(chunk.var, chunk.record, chunk.number) < k;
          });
      if (found != written.end() && std::tuple(found->var, found->record, found->number) == key) {
        task.stored_records = records;
        task.address = found->address, task.bytes = found->bytes, task.skipped = found->skipped;
        continue;
      }
      const std::int64_t committed = std::clamp<std::int64_t>(places_.records - first, 0, records);
      if (committed == 0) continue;
      const Netcdf4Metadata::Place place = metadata_->find(var, first, task.key.number);
      if (place.address == Netcdf4Metadata::Place::nowhere) continue;
      task.stored_records = committed;
      task.address = place.address, task.bytes = place.bytes, task.skipped = place.skipped;
    }
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

  // Writes the packed chunks, or keeps them where places of few bytes would leave gaps.
  Status end_batch() {
    if (!space_->has_blocks() || batch_.bytes() >= batch_bytes) return write_batch();
    batch_.keep();
    return {};
  }

  Status write_batch() {
    std::vector<std::int64_t> lengths;
    for (std::size_t chunk = noted_; chunk < chunks_.size(); ++chunk) lengths.push_back(chunks_[chunk].bytes);
    Status status;
    for (std::size_t written = 0; written < lengths.size() && status.ok();) {
      const ChunkRun run = space_->take(std::span(lengths).subspan(written));
      status = write_run(written, run);
      written += run.chunks;
    }
    batch_.clear();
    chunks_.resize(noted_);
    return status;
  }

  // `first`: of the batch.
  Status write_run(std::size_t first, const ChunkRun& run) {
    std::int64_t end = run.begin;
    for (const std::size_t last = noted_ + run.chunks; noted_ < last; ++noted_) {
      chunks_[noted_].address = end;
      end += chunks_[noted_].bytes;
    }
    if (space_->has_blocks()) taken_.push_back({run.begin, end});
    bytes_written_ += end - run.begin;
    const CompressClock::Pause pause(compressing_);
    return sink_->write(batch_.extents(run.begin, first, run.chunks));
  }

  // Writes what ranks have kept, in gaps if it fits. Collective.
  void write_kept() {
    if (!space_->has_blocks()) return;
    std::vector<KeptChunk> kept;
    for (std::size_t chunk = noted_; chunk < chunks_.size(); ++chunk)
      kept.push_back({comm_.rank(), chunks_[chunk].bytes});
    kept = gather_to_0(comm_, std::span(std::as_const(kept)), wait_.begin(), commit_call);
    std::vector<FileRange> taken = gather_to_0(comm_, std::span(std::as_const(taken_)), wait_.begin(), commit_call);
    Places places;
    if (comm_.rank() == 0) places = find_places(kept, std::move(taken));
    places = broadcast_value(comm_, places, 0, wait_.begin(), commit_call);
    space_->borrow(places.lent);
    space_->restart(places.end);
    const auto write = [this, runs = std::move(places.runs)] {
      Status status;
      std::size_t written = 0;
      for (const KeptRun& run : runs) {
        if (run.rank != comm_.rank() || !status.ok()) continue;
        const auto count = static_cast<std::size_t>(run.chunks);
        status = write_run(written, {run.begin, count});
        written += count;
      }
      return status;
    };
    if (batch_.bytes() > 0) last_written_.merge(calls_.run(write, formatted("writing chunks of {}", path_)));
    batch_.clear();
    taken_.clear();  // rank 0 knows
  }

  // On rank 0. `kept` is in the order of the ranks.
  Places find_places(std::span<const KeptChunk> kept, std::vector<FileRange> taken) {
    Places places;
    free_.note_taken(std::move(taken));
    std::vector<std::int64_t> lengths;
    for (std::size_t first = 0; first < kept.size();) {
      const std::int64_t rank = kept[first].rank;
      lengths.clear();
      for (std::size_t chunk = first; chunk < kept.size() && kept[chunk].rank == rank; ++chunk)
        lengths.push_back(kept[chunk].bytes);
      const ChunkRun run = free_.take(lengths);
      places.runs.push_back({rank, run.begin, static_cast<std::int64_t>(run.chunks)});
      first += run.chunks;
    }
    places.lent = free_.lend(space_->hosts());
    places.end = free_.end();
    return places;
  }

  // Those of all ranks, on rank 0; the others' are given up.
  std::vector<PlacedChunk> gather_chunks() {
    write_kept();
    const std::vector<PlacedChunk> mine = std::exchange(chunks_, {});
    noted_ = 0;
    return gather_to_0(comm_, std::span(mine), wait_.begin(), commit_call);
  }

  // Of all ranks, on rank 0. No rank has any where no variable is kept.
  std::vector<std::byte> gather_notes() {
    const bool any = std::any_of(info_.variables.begin(), info_.variables.end(), [](const auto& v) { return v.kept; });
    return any ? gather_to_0(comm_, notes_.take(), wait_.begin(), commit_call) : std::vector<std::byte>();
  }

  // HDF5's tables get them; where it has read those from the file before, it may read them again.
  Status place(std::vector<PlacedChunk> chunks, std::vector<std::byte> notes) {
    return outcome_to_agree_on([&] {
      auto enter = [this, chunks = std::move(chunks), notes = std::move(notes)] {
        return metadata_->place({chunks, notes, records_}, update_);
      };
      return calls_.run(std::move(enter), formatted("entering the chunks of {}", path_));
    });
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

  std::string path_;
  std::vector<ChunkGrid> grids_;
  std::vector<std::int64_t> block_records_;
  std::optional<FileSpace> space_;
  std::unique_ptr<Sink> sink_;
  // Of the rank that writes:
  PackedBatch batch_;
  std::vector<PlacedChunk> chunks_;  // since the last commit
  std::size_t noted_ = 0;            // of them, those that are in the file
  std::vector<FileRange> taken_;     // since the last commit, where several hosts write
  bool writing_ = false;             // a write has begun, and not ended well
  std::int64_t records_ = 0;
  Unpacker unpacker_;
  Status last_written_;  // what became of what the commit has written
  std::atomic<std::int64_t> bytes_written_ = 0;
  // Of rank 0:
  std::optional<VisibleFile> file_;
  std::unique_ptr<Netcdf4Metadata> metadata_;  // reads the file
  Status placed_;
  MetadataUpdate update_;
  FreeSpace free_;
};

}  // namespace

std::unique_ptr<OutputFile> make_chunked_file(const OutputOptions& options, const Schema& schema,
                                              const StoredTables* existing) {
  return std::make_unique<ChunkedFile>(options, schema, existing);
}

}  // namespace weir
