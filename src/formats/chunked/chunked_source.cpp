// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/chunked_source.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "plan/file_runs.hpp"
#include "rearrange/byteswap.hpp"
#include "rearrange/copy.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_together = 4 << 20;  // of chunks that are read by one call

// Calls take(place in the tile, element of the chunk, count) for all that the tile wants of a row.
template <class Take>
void each_wanted(const TileToRead& tile, const ChunkMap::Row& row, Take take) {
  const auto before = [](const Stretch& stretch, std::int64_t element) {
    return stretch.element + stretch.count <= element;
  };
  auto stretch = std::lower_bound(tile.stretches.begin(), tile.stretches.end(), row.element, before);
  for (; stretch != tile.stretches.end() && stretch->element < row.element + row.count; ++stretch) {
    const std::int64_t first = std::max(stretch->element, row.element);
    const std::int64_t last = std::min(stretch->element + stretch->count, row.element + row.count);
    std::byte* const to = tile.memory + (stretch->at + first - stretch->element) * tile.element_bytes;
    take(to, row.in_chunk + first - row.element, last - first);
  }
}

}  // namespace

ChunkedSource::ChunkedSource(std::unique_ptr<ChunkStore> store, const Schema& schema, std::int64_t kept_bytes)
    : store_(std::move(store)), last_(schema.variables().size()), cache_(kept_bytes) {
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    const Variable& variable = schema.variable(var);
    const std::int64_t in_record = schema.is_record(var) ? schema.elements(var) : 0;
    variables_.push_back({variable.name, type_bytes(variable.type), in_record, schema.fill_value(var), {}});
    const StoredArray& array = store_->array(var);
    if (array.obstacle.empty() && !array.chunk.empty())
      variables_.back().map.emplace(array, schema.shape(var), schema.is_record(var));
  }
}

void ChunkedSource::read(std::span<const TileToRead> tiles) {
  if (tiles.empty()) return;
  store_->check();
  std::vector<Use> uses;
  for (const TileToRead& tile : tiles) known(tile.var).map ? add_uses(tile, uses) : read_in_one_piece(tile);
  std::stable_sort(uses.begin(), uses.end(),
                   [](const Use& a, const Use& b) { return std::tie(a.var, a.number) < std::tie(b.var, b.number); });
  std::vector<Job> jobs;
  for (std::size_t first = 0; first < uses.size();) {
    std::size_t end = first + 1;
    while (end < uses.size() && uses[end].var == uses[first].var && uses[end].number == uses[first].number) ++end;
    const std::span<const Use> alike = std::span<const Use>(uses).subspan(first, end - first);
    first = end;
    if (const auto place = store_->find(alike[0].var, alike[0].number); !place)
      hand_out(alike, nullptr);
    else if (const ChunkCache::Bytes* kept = cache_.find(alike[0].var, alike[0].number))
      hand_out(alike, kept->data());
    else
      jobs.push_back({*place, alike});
  }
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
    return std::tie(a.place.file, a.place.address) < std::tie(b.place.file, b.place.address);
  });
  for (std::size_t first = 0; first < jobs.size();) {
    std::size_t end = first + 1;
    for (; end < jobs.size() && jobs[end].place.file == jobs[first].place.file; ++end) {
      const ChunkPlace &last = jobs[end - 1].place, &next = jobs[end].place;
      if (next.address - last.address - last.bytes > read_over_bytes) break;
      if (next.address + next.bytes - jobs[first].place.address > most_together) break;
    }
    read_together(std::span<const Job>(jobs).subspan(first, end - first));
    first = end;
  }
}

void ChunkedSource::read_in_one_piece(const TileToRead& tile) {
  const std::int64_t before = tile.record * known(tile.var).record_elements;
  for (const Stretch& stretch : tile.stretches)
    read_piece(tile.var, before + stretch.element, stretch.count, tile.memory + stretch.at * tile.element_bytes);
}

void ChunkedSource::read_piece(int var, std::int64_t element, std::int64_t count, std::byte* to) {
  const StoredArray& array = store_->array(var);
  const int size = known(var).element_bytes;
  const std::span<std::byte> room(to, static_cast<std::size_t>(count * size));
  if (!array.contents.empty()) {
    std::memcpy(to, array.contents.data() + element * size, room.size());
  } else if (array.address == StoredPiece::nowhere) {
    return fill_elements(to, count, array.fill, size);
  } else {
    store_->check();
    store_->read(0, array.address + element * size, room);
  }
  if (array.little_endian) byteswap_in_place(room, size);
}

// By their numbers, ascending.
std::vector<std::int64_t> ChunkedSource::chunks_of(const TileToRead& tile) const {
  std::vector<std::int64_t> numbers;
  for (const Stretch& stretch : tile.stretches)
    known(tile.var).map->find(tile.record, stretch.element, stretch.element + stretch.count, numbers);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

void ChunkedSource::ask_for(std::span<const TileToRead> tiles) noexcept try {
  if (tiles.empty()) return;
  store_->check();
  for (const TileToRead& tile : tiles) ask_for(tile);
} catch (const Error&) {  // who reads it is told
}

void ChunkedSource::ask_for(const TileToRead& tile) {
  if (known(tile.var).map) {
    for (const std::int64_t number : chunks_of(tile))
      if (const auto place = store_->find(tile.var, number)) store_->ask_for(*place);
    return;
  }
  const StoredArray& array = store_->array(tile.var);
  if (!array.contents.empty() || array.address == StoredPiece::nowhere) return;
  for (const Stretch& stretch : tile.stretches)
    store_->ask_for({0, array.address + stretch.element * tile.element_bytes, stretch.count * tile.element_bytes, 0});
}

// What no chunk can hold is filled at once.
void ChunkedSource::add_uses(const TileToRead& tile, std::vector<Use>& uses) {
  const Known& variable = known(tile.var);
  if (variable.map->falls_short(tile.record))
    for (const Stretch& stretch : tile.stretches)
      fill_elements(tile.memory + stretch.at * tile.element_bytes, stretch.count, variable.beyond, tile.element_bytes);
  const std::vector<std::int64_t> numbers = chunks_of(tile);
  for (const std::int64_t number : numbers) uses.push_back({tile.var, number, &tile});
  remember(tile, numbers);
}

void ChunkedSource::read_together(std::span<const Job> jobs) {
  const std::int64_t begin = jobs.front().place.address;
  const auto bytes = static_cast<std::size_t>(jobs.back().place.address + jobs.back().place.bytes - begin);
  if (packed_.size() < bytes) packed_.resize(bytes);
  const std::span<std::byte> all = std::span(packed_).first(bytes);
  store_->read(jobs.front().place.file, begin, all);
  for (const Job& job : jobs)
    unpack(job,
           all.subspan(static_cast<std::size_t>(job.place.address - begin), static_cast<std::size_t>(job.place.bytes)));
}

void ChunkedSource::unpack(const Use& use, const ChunkPlace& place, std::span<const std::byte> packed,
                           std::span<std::byte> to) {
  const std::string problem =
      unpacker_.unpack(packed, store_->array(use.var), place.skipped, known(use.var).element_bytes, to);
  if (!problem.empty())
    throw Error(WEIR_EFORMAT, R"("{}" is damaged: chunk {} of "{}", at byte {}, {}; restore the file)",
                store_->path(place.file), use.number, known(use.var).name, place.address, problem);
}

void ChunkedSource::unpack(const Job& job, std::span<const std::byte> packed) {
  const Use& use = job.uses[0];
  const auto bytes = static_cast<std::size_t>(chunk_bytes(use.var));
  if (std::byte* const there = place_in_tile(job.uses)) return unpack(use, job.place, packed, {there, bytes});
  unpacked_.resize(bytes);
  unpack(use, job.place, packed, unpacked_);
  const std::int64_t wanted = hand_out(job.uses, unpacked_.data());
  if (wanted < known(use.var).map->chunk_elements()) cache_.keep(use.var, use.number, std::exchange(unpacked_, {}));
}

// Where a chunk that one tile wants all of lies there in one piece; else nullptr.
std::byte* ChunkedSource::place_in_tile(std::span<const Use> uses) const {
  const Use& use = uses[0];
  const ChunkMap& map = *known(use.var).map;
  if (uses.size() > 1) return nullptr;
  const ChunkMap::Part part = map.part(use.number, use.tile->record);
  if (!map.is_one_row(part)) return nullptr;
  std::byte* there = nullptr;
  each_wanted(*use.tile, map.rows(part).front(), [&](std::byte* to, std::int64_t, std::int64_t count) {
    if (count == map.chunk_elements()) there = to;
  });
  return there;
}

// To all tiles that want some of it: so many elements. chunk: nullptr where no rank wrote it.
std::int64_t ChunkedSource::hand_out(std::span<const Use> uses, const std::byte* chunk) const {
  std::int64_t elements = 0;
  for (const Use& use : uses) {
    const ChunkMap& map = *known(use.var).map;
    const int size = use.tile->element_bytes;
    for (const ChunkMap::Row& row : map.rows(map.part(use.number, use.tile->record)))
      each_wanted(*use.tile, row, [&](std::byte* to, std::int64_t in_chunk, std::int64_t count) {
        elements += count;
        if (chunk)
          std::memcpy(to, chunk + in_chunk * size, static_cast<std::size_t>(count * size));
        else
          fill_elements(to, count, store_->array(use.var).fill, size);
      });
  }
  return elements;
}

std::span<const std::byte> ChunkedSource::chunk(int var, std::int64_t number) {
  store_->check();
  const auto place = store_->find(var, number);
  if (!place) return {};
  if (const ChunkCache::Bytes* kept = cache_.find(var, number)) return *kept;
  packed_.resize(std::max(packed_.size(), static_cast<std::size_t>(place->bytes)));
  const std::span<std::byte> packed = std::span(packed_).first(static_cast<std::size_t>(place->bytes));
  store_->read(place->file, place->address, packed);
  ChunkCache::Bytes bytes(static_cast<std::size_t>(chunk_bytes(var)));
  unpack({var, number, nullptr}, *place, packed, bytes);
  return cache_.keep(var, number, std::move(bytes));
}

void ChunkedSource::remember(const TileToRead& tile, std::span<const std::int64_t> numbers) {
  Last& last = last_[static_cast<std::size_t>(tile.var)];
  if (last.record != tile.record) last = {tile.record, last.record >= 0 && last.record + 1 == tile.record, false, {}};
  last.numbers.insert(last.numbers.end(), numbers.begin(), numbers.end());
}

// Whether the record after a variable's last one is there, in other chunks, and likely to be read.
bool ChunkedSource::comes_next(int var) const {
  const Last& last = last_[static_cast<std::size_t>(var)];
  return last.in_turn && !last.asked && !last.numbers.empty() && known(var).map->next_row(last.record) > 0;
}

bool ChunkedSource::can_read_ahead() const noexcept {
  for (int var = 0; var < static_cast<int>(last_.size()); ++var)
    if (comes_next(var)) return true;
  return false;
}

void ChunkedSource::read_ahead() noexcept try {
  for (int var = 0; var < static_cast<int>(last_.size()); ++var) {
    if (!comes_next(var)) continue;
    Last& last = last_[static_cast<std::size_t>(var)];
    last.asked = true;
    for (const std::int64_t number : last.numbers)
      if (const auto place = store_->find(var, number + known(var).map->next_row(last.record))) store_->ask_for(*place);
  }
} catch (const Error&) {  // who reads it is told
}

}  // namespace weir
