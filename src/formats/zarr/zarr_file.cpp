// SPDX-License-Identifier: Apache-2.0
// One Zarr folder that all writers share.
//
//  1. weir_enddef   Rank 0 makes the folder under a name of its own, with a folder for each array. All ranks know
//                   what a shard is (array.hpp): a granule, so it has one owner.
//  2. write         A writer packs the chunks of its shards and writes each shard as a file: under its own name where
//                   it lies beyond what is committed, so that no reader looks for it; besides that, under a pending
//                   name, where it takes the place of a committed one. Values of small records it notes.
//                   A shard of several records waits until they are there, or for the commit (packed_file.hpp).
//  3. commit        Each writer brings its files to stable storage. Notes and the names that wait go to rank 0, which
//                   writes the small records, renames, and replaces the texts that say how long the arrays are.
//
// A folder that was there (weir_open) begins with 2, in the form that its texts tell of (zarr/append.hpp); of these
// only lengths change. A shard or chunk that no rank put is not there, and reads as fill value.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "formats/chunked/packed_file.hpp"
#include "formats/classic/redefine.hpp"
#include "formats/zarr/append.hpp"
#include "formats/zarr/array.hpp"
#include "formats/zarr/documents.hpp"
#include "formats/zarr/folder.hpp"
#include "formats/zarr/shard_files.hpp"
#include "mpi/agree.hpp"
#include "mpi/exchange.hpp"
#include "plan/chunk_grid.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

namespace {

constexpr std::string_view commit_call = "a commit of Zarr";

// A shard that takes the place of a committed one. All of it words, so that it travels as such.
struct Rewritten {
  std::int64_t var, record, number;
  auto operator<=>(const Rewritten&) const = default;
};

class ZarrFile final : public PackedFile {
 public:
  ZarrFile(const OutputOptions& options, const Schema& schema, const StoredTables* existing)
      : PackedFile(options, schema, zarr_format) {
    if (existing) {
      places_.records = options.records.value_or(existing->records);
      shown_records_ = existing->records;
      arrays_ = goes_back() ? arrays_to_go_back(options.path, *existing, schema_, places_.records)
                            : arrays_to_append(*existing, schema_);
      appends_ = committed_ = true;
    } else {
      arrays_ = new_arrays(options, schema_, 0);
    }
    try {
      // Rank 0 makes the folder, or takes hold of that which is there.
      learn(
          options, [&] { take_hold(options, existing); }, existing ? "weir_open" : "weir_enddef");
      shards_.emplace(leaves_a_file(), config_->durability, compressing_);
      find_blocks();
    } catch (...) {
      discard();  // of a folder that no rank has nothing stays
      throw;
    }
  }

  std::string why_not_puttable(int var) const override { return array(var).obstacle; }
  Granule granule(int var) const override {
    return granule_of(array(var).shards(), array(var).kept, array(var).codecs);
  }
  std::int64_t block_records(int var) const override { return array(var).kept ? 1 : array(var).records; }
  std::int64_t bytes_written() const noexcept override { return shards_ ? shards_->bytes_written() : 0; }

  using PackedFile::write;
  Status write(std::span<const ReadyTile> tiles) override {
    Status status;
    for (const ReadyTile& tile : tiles)
      for (const Stretch& stretch : tile.tile->stretches)
        if (status.ok()) status = write_stretch(tile, stretch);
    note_memory(shards_->packed());
    return status;
  }

  Status fill(std::span<const MissingRecord>) override { return {}; }

  void prepare_commit() override {
    if (has_blocks()) write_open_blocks();
    const Deadline deadline = wait_.begin();
    notes_of_all_ = gather_to_0(comm_, notes_.take(), deadline, commit_call);
    note_memory(shards_->packed(), std::ssize(notes_of_all_));
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

  Status make_durable(Durability) override { return blocks_.ok() ? shards_->make_durable() : blocks_; }

  Status publish(std::int64_t records) override {
    if (folder_)
      if (Status status = show_folder(records); !status.ok()) return status;
    places_.records = shown_records_ = records;
    for (ZarrArray& array : arrays_) array.length = records;
    info_.written_path = info_.path;
    committed_ = true;
    return {};
  }

  void discard() noexcept override {
    if (folder_) folder_->discard();
  }

 private:
  // The folder still shows records that the next commit takes away.
  bool goes_back() const { return shown_records_ > places_.records; }
  const ZarrArray& array(int var) const { return arrays_[static_cast<std::size_t>(var)]; }

  void take_hold(const OutputOptions& options, const StoredTables* existing) {
    if (!existing) zarr_documents(schema_, arrays_, 0);  // throws what Zarr does not take
    info_.sink = sink_of_packed(*config_);
    info_.reason = keeps_nothing() ? "asked for" : "writers write the shards that they pack, a file each";
    info_.path = info_.written_path = options.path;
    if (keeps_nothing()) return;
    const std::vector<std::string> names = new_folders({}, schema_, 0);
    const auto tables = existing ? std::make_shared<const StoredTables>(*existing) : nullptr;
    const auto make = [path = options.path, names, tables, durability = config_->durability] {
      return tables ? ZarrFolder(path, *tables, durability) : ZarrFolder(path, names, durability);
    };
    folder_ = options.calls.get(make, (existing ? "opening " : "making ") + options.path);
    if (goes_back()) opened_as_ = tables;
    info_.identity = folder_->identity();
    info_.written_path = folder_->written_path();
  }

  Status write_stretch(const ReadyTile& tile, const Stretch& stretch) {
    const ZarrArray& of = array(tile.var);
    if (of.kept) return note(tile, stretch), Status{};
    if (of.records > 1) return store(tile, stretch, of.shards());
    return pack(tile, stretch, of.shards(), of.codecs,
                [&](const Chunk& shard, const Packer::Source& source) { return write_shard(tile, shard, source); });
  }

  Status write_shard(const ReadyTile& tile, const Chunk& shard, const Packer::Source& source) {
    const ZarrArray& of = array(tile.var);
    const bool again = committed_ && (!of.record || tile.record < shown_records_);
    if (again) rewritten_.push_back({tile.var, tile.record, shard.number});
    const std::string name = file_name(of, tile.record, shard.lo);
    const ChunkGrid chunks = chunk_grid(schema_, tile.var);
    Status status =
        shards_->begin(info_.written_path + "/" + schema_.variable(tile.var).name, again ? pending_name(name) : name,
                       of.indexed ? elements(of.file_lengths()) / chunks.chunk_elements() : 0);
    visit_chunks(of, shard, [&](std::int64_t number, const Chunk& chunk) {
      if (status.ok()) status = pack_chunk(chunks, {number, chunk.lo, chunk.hi}, source);
    });
    return status.ok() ? shards_->end() : status;
  }

  // Into the shard that was begun. chunk.number: in the shard.
  Status pack_chunk(const ChunkGrid& chunks, const Chunk& chunk, const Packer::Source& source) {
    if (packer_.pack(chunks, chunk, source, shards_->packed()) != 0)
      return {WEIR_EMEMORY, formatted("a chunk of {} could not be compressed: no memory is left", info_.path)};
    return shards_->take(chunk.number);
  }

  // Its file has a name that readers look for.
  bool is_committed(const BlockKey& block) const {
    return committed_ && block.row * array(static_cast<int>(block.var)).records < shown_records_;
  }

  std::string file_of(const BlockKey& block) const {
    const ZarrArray& of = array(static_cast<int>(block.var));
    return file_name(of, block.row * of.records, of.shards().first_index(block.number));
  }

  void read_block(const BlockTask& block, std::span<std::byte> to) override {
    const int var = static_cast<int>(block.key.var);
    KeptPart part(array(var), element_bytes(var));
    const std::string name = file_of(block.key);
    const bool pending = block.uncommitted != 0 && is_committed(block.key);
    if (block.stored_records > 0)
      part.read(info_.written_path + "/" + schema_.variable(var).name + "/" + (pending ? pending_name(name) : name),
                block.stored_records, unpacker_);
    std::copy(part.elements().begin(), part.elements().end(), to.begin());
  }

  Status write_block(const BlockKey& block, std::span<std::byte> elements) override {
    const int var = static_cast<int>(block.var);
    const bool again = is_committed(block);
    written_.push_back(block);
    if (again) rewritten_.push_back({block.var, block.row * array(var).records, block.number});
    const ZarrArray& of = array(var);
    const ChunkGrid chunks(of.file_lengths(), of.chunk_lengths());
    const int size = element_bytes(var);
    const Packer::Source source{elements.data(), 0, size, of.fill, of.codecs, of.little_endian && size > 1};
    const std::string name = file_of(block);
    if (!of.codecs.empty()) compressing_.begin(var);
    Status status = shards_->begin(info_.written_path + "/" + schema_.variable(var).name,
                                   again ? pending_name(name) : name, of.indexed ? chunks.chunks() : 0);
    chunks.visit(0, std::ssize(elements) / size, [&](const Chunk& chunk) {
      if (status.ok()) status = pack_chunk(chunks, chunk, source);
    });
    note_memory(shards_->packed(), std::ssize(elements));
    if (status.ok()) status = shards_->end();
    compressing_.end();
    return status;
  }

  Status end_blocks() override { return note_memory(shards_->packed()), Status{}; }

  std::int64_t piece_bytes(int var) const override { return array(var).shards().chunk_elements() * element_bytes(var); }

  // Shards that the folder has in which records that stay are followed by others; an equal share for each rank.
  std::vector<BlockKey> cut_shards() const {
    std::vector<BlockKey> blocks;
    std::int64_t seen = 0;
    for (int var = 0; var < static_cast<int>(arrays_.size()); ++var) {
      const std::int64_t row = places_.records / block_records(var);
      if (row * block_records(var) == places_.records) continue;
      const std::int64_t shards = array(var).shards().chunks();
      for (std::int64_t number = 0; number < shards; ++number) {
        const BlockKey block{var, row, number};
        if (seen++ % comm_.size() != comm_.rank()) continue;
        const std::string path = info_.written_path + "/" + schema_.variable(var).name + "/" + file_of(block);
        if (::access(path.c_str(), F_OK) == 0) blocks.push_back(block);
      }
    }
    return blocks;
  }

  // Shards of several records that are not whole, and those that a folder that goes back has to cut.
  void write_open_blocks() {
    if (goes_back() && leaves_a_file())
      for (const BlockKey& block :
           calls_.get([this] { return cut_shards(); }, formatted("looking for the shards of {}", info_.path)))
        open_.open(block);
    const std::vector<BlockKey> mine = std::exchange(written_, {});
    std::vector<BlockKey> all = gather_to_0(comm_, std::span(mine), wait_.begin(), commit_call);
    std::sort(all.begin(), all.end());
    blocks_ = write_blocks([&](std::span<BlockTask> tasks) {
      if (!leaves_a_file()) return;
      for (BlockTask& task : tasks) {
        const std::int64_t records = array(static_cast<int>(task.key.var)).records;
        task.uncommitted = std::binary_search(all.begin(), all.end(), task.key) ? 1 : 0;
        task.stored_records = task.uncommitted != 0
                                  ? records
                                  : std::clamp<std::int64_t>(places_.records - task.key.row * records, 0, records);
      }
    });
    written_.clear();
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

  Status show_folder(std::int64_t records) try {
    std::vector<ZarrFolder::Pending> files = std::exchange(pending_, {});
    KeptRecords kept(schema_, arrays_, folder_->written_path());
    const std::vector<std::byte> notes = std::exchange(notes_of_all_, {});
    if (goes_back()) kept.take_boundaries();
    Status status = kept.write(notes, config_->durability, files);
    if (!status.ok()) return status;
    if (goes_back()) return folder_->publish_back(files, *std::exchange(opened_as_, nullptr), places_.records, records);
    return folder_->publish(
        files, appends_ ? folder_->texts().with_records(records) : zarr_documents(schema_, arrays_, records));
  } catch (const std::exception&) {
    return caught();
  }

  std::vector<ZarrArray> arrays_;
  bool appends_ = false, committed_ = false;
  std::int64_t shown_records_ = 0;
  // Of the rank that writes:
  std::optional<ShardFiles> shards_;
  std::vector<Rewritten> rewritten_;
  std::vector<BlockKey> written_;  // blocks of several records, since the last commit
  Unpacker unpacker_;
  Status blocks_;  // what became of those that were open at the commit
  // Of rank 0:
  std::optional<ZarrFolder> folder_;
  std::shared_ptr<const StoredTables> opened_as_;  // of a folder that goes back
  std::vector<std::byte> notes_of_all_;
  std::vector<ZarrFolder::Pending> pending_;
};

}  // namespace

std::unique_ptr<OutputFile> make_zarr_file(const OutputOptions& options, const Schema& schema,
                                           const StoredTables* existing) {
  return std::make_unique<ZarrFile>(options, schema, existing);
}

void redefine_zarr(const Redefinition& wanted, const StoredTables& tables, const std::vector<ZarrArray>& arrays) {
  ZarrFolder folder(wanted.path, tables, wanted.durability);
  std::vector<ZarrDocument> documents =
      folder.texts().with_definitions(wanted.before, wanted.after, arrays, tables.records);
  const int first = static_cast<int>(wanted.before.variables().size());
  std::vector<std::string> folders = new_folders(wanted.before, wanted.after, first);
  // Groups that hold nothing, or nothing that Weir takes, are not in `before`.
  std::erase_if(folders, [&](const std::string& name) {
    return wanted.after.find_variable(name) < 0 && folder.texts().has_group(name);
  });
  folder.add_arrays(folders);
  folder.publish({}, std::move(documents)).raise();
}

}  // namespace weir
