// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/packed_file.hpp"

#include <bit>

#include "mpi/exchange.hpp"
#include "rearrange/byteswap.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

ChunkGrid chunk_grid(const Schema& schema, int var) {
  Shape chunk = schema.chunk(var);
  if (schema.is_record(var)) chunk.erase(chunk.begin());
  return {schema.shape(var), chunk};
}

bool shares_small_chunks(const Schema& schema, int var) {
  return schema.is_record(var) && schema.chunk(var).front() > 1 && is_a_few_bytes(variable_bytes(schema, var)) &&
         !schema.variable(var).storage.quantization;
}

Granule granule_of(const ChunkGrid& grid, std::span<const FilterStep> filters) {
  Granule granule = grid.granule();
  granule.packed = squeezes(filters);
  return granule;
}

Geometry places_of_neighbours(const Schema& schema, int format) {
  const FileOffsets places = place_variables(schema, 5);
  Geometry geometry;
  geometry.format = format;
  geometry.begin = places.begin;
  geometry.record_bytes = places.record_bytes;
  geometry.fixed_end = geometry.record_begin = places.fixed_end;
  return geometry;
}

namespace {

constexpr std::string_view meeting_call = "chunks of several records";

}  // namespace

void PackedFile::find_blocks() {
  for (int var = 0; var < static_cast<int>(schema_.variables().size()); ++var)
    most_block_records_ = std::max(most_block_records_, block_records(var));
}

Status PackedFile::store(const ReadyTile& tile, const Stretch& stretch, const ChunkGrid& grid) {
  const std::int64_t records = block_records(tile.var), bytes = piece_bytes(tile.var);
  std::vector<BlockKey> whole;
  Status status = pack(tile, stretch, grid, {}, [&](const Chunk& chunk, const Packer::Source& source) {
    const BlockKey block{tile.var, tile.record / records, chunk.number};
    std::byte* const to = open_.place(block, {records, bytes}, tile.record % records, generation_);
    if (to == nullptr) return Status{};
    gather(grid, chunk, source, to);
    if (source.turned != (std::endian::native == std::endian::little))  // quantizing has turned them
      byteswap_in_place({to, static_cast<std::size_t>(bytes)}, source.element_bytes);
    if (!again_ && open_.records(block) == records) whole.push_back(block);
    return Status{};
  });
  for (const BlockKey& block : whole)
    if (status.ok()) status = pack_block({.key = block});
  return status;
}

Status PackedFile::pack_block(const BlockTask& task) {
  const int var = static_cast<int>(task.key.var);
  const std::int64_t records = block_records(var), piece = piece_bytes(var), bytes = records * piece;
  OpenBlock block = open_.take(task.key);
  const std::span<std::byte> elements = block.values.at_least(bytes).first(static_cast<std::size_t>(bytes));
  if (std::ssize(block.generations) < records) {
    const std::span<std::byte> stored = stored_block_.at_least(bytes).first(static_cast<std::size_t>(bytes));
    read_block(task, stored);
    for (std::int64_t record = 0; record < records; ++record)
      if (!block.generations.contains(record)) std::copy_n(&stored[record * piece], piece, &elements[record * piece]);
  }
  return write_block(task.key, elements);
}

std::int64_t PackedFile::pack_elements(int var, std::span<std::byte> elements, std::span<const FilterStep> filters,
                                       PackedBatch& batch) {
  const int size = element_bytes(var);
  const Shape all{std::ssize(elements) / size};
  const Packer::Source source{elements.data(),         0,       size,
                              schema_.fill_value(var), filters, std::endian::native == std::endian::little};
  if (!filters.empty()) compressing_.begin(var);
  const std::int64_t skipped = packer_.pack(ChunkGrid(all, all), {0, {0}, all}, source, batch);
  compressing_.end();
  return skipped;
}

// A variable without blocks may be put first in a cycle that has some: a time.
std::int64_t PackedFile::chunk_row(int var, std::int64_t record) const {
  if (!has_blocks() || !schema_.is_record(var)) return 0;
  const std::int64_t records = block_records(var);
  return 1 + record / (records > 1 ? records : most_block_records_);
}

bool PackedFile::must_meet(int var, std::int64_t record) {
  const std::int64_t records = block_records(var);
  if (records == 1) return false;
  const auto row = rows_.find(var);
  if (row != rows_.end() && row->second.number == record / records) return false;
  const bool meets = (moved_ || again_) && row != rows_.end();
  if (meets) {
    // A row of another length counts as new: its pieces of before and after come together at the next commit.
    rows_.clear();
    moved_ = false;
  }
  rows_[var] = {record / records, {}};
  return meets;
}

void PackedFile::note_holders(int var, std::size_t round, std::uint64_t holders) {
  if (block_records(var) == 1) return;
  std::vector<std::uint64_t>& first = rows_.at(var).holders;
  if (round < first.size()) {
    moved_ = moved_ || first[round] != holders;
  } else {
    first.push_back(holders);
  }
}

Status PackedFile::deal_and_exchange(const FindStored& find_stored, std::vector<BlockTask>& tasks) {
  const std::vector<BlockHead> mine = open_.heads(comm_.rank());
  std::vector<BlockHead> all = gather_to_0(comm_, std::span(mine), wait_.begin(), meeting_call);
  std::vector<std::byte> bytes;
  Status status;
  if (comm_.rank() == 0)
    status = outcome_of([&] {
      tasks = deal_blocks(std::move(all), comm_.size());
      if (find_stored) find_stored(tasks);
      bytes = serialize(tasks);
      return Status();
    });
  broadcast_from_0(comm_, status, bytes, wait_.begin(), meeting_call);
  if (!status.ok()) return status;
  tasks = deserialize<std::vector<BlockTask>>(bytes);
  open_.exchange(comm_, tasks, wait_);
  note_memory(0);
  return {};
}

template <class Wanted>
Status PackedFile::pack_blocks(std::vector<BlockTask> tasks, Wanted wanted) {
  const auto pack_all = [this, tasks = std::move(tasks), wanted] {
    Status status;
    for (const BlockTask& task : tasks)
      if (status.ok() && task.rank == comm_.rank() && wanted(task)) status = pack_block(task);
    status.merge(end_blocks());
    return status;
  };
  return calls_.run(pack_all, formatted("packing chunks of {}", info_.path));
}

Status PackedFile::meet() {
  std::vector<BlockTask> tasks;
  if (Status status = deal_and_exchange({}, tasks); !status.ok()) return status;
  const auto is_whole = [this](const BlockTask& task) {
    return open_.records(task.key) == block_records(static_cast<int>(task.key.var));
  };
  return pack_blocks(std::move(tasks), is_whole);
}

Status PackedFile::write_blocks(const FindStored& find_stored) {
  rows_.clear();
  moved_ = false;
  std::vector<BlockTask> tasks;
  if (Status status = deal_and_exchange(find_stored, tasks); !status.ok()) return status;
  again_ = false;
  return pack_blocks(std::move(tasks), [](const BlockTask&) { return true; });
}

}  // namespace weir
