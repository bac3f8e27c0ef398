// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/store.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/classic/stored_file.hpp"

namespace weir {

namespace {

constexpr std::size_t most_open = 64;              // files
constexpr std::size_t most_index_words = 1 << 20;  // one index is kept however large it is

// The index of this number in a grid, the last dimension fastest.
Shape place_of(std::int64_t number, const Shape& grid) {
  Shape place(grid.size());
  for (std::size_t d = grid.size(); d-- > 0; number /= grid[d]) place[d] = number % grid[d];
  return place;
}

std::int64_t rounded_up(std::int64_t length, std::int64_t part) {
  return length / part + (length % part != 0 ? 1 : 0);
}

}  // namespace

ZarrStore::ZarrStore(Known known) : known_(std::move(known)) {
  std::int64_t first = 0;
  for (const StoredArray& array : known_.tables->arrays) {
    Grid& grid = grids_.emplace_back(Grid{first, {}, {}, {}});
    if (!array.files || !array.obstacle.empty()) continue;
    const Shape& part = array.files->part;
    for (std::size_t d = 0; d < part.size(); ++d) {
      grid.files.push_back(rounded_up(array.lengths[d], part[d]));
      grid.chunks.push_back(rounded_up(array.lengths[d], array.chunk[d]));
      grid.within.push_back(part[d] / array.chunk[d]);
    }
    first += elements(grid.files);
  }
}

int ZarrStore::var_of(std::int64_t file) const {
  const auto after = std::upper_bound(grids_.begin(), grids_.end(), file,
                                      [](std::int64_t number, const Grid& grid) { return number < grid.first; });
  return static_cast<int>(after - grids_.begin()) - 1;
}

std::string ZarrStore::key(std::int64_t file) const {
  const int var = var_of(file);
  const Grid& grid = grids_[static_cast<std::size_t>(var)];
  const ChunkFiles& files = *array(var).files;
  return files.folder + "/" + chunk_key(files.keys, place_of(file - grid.first, grid.files));
}

void ZarrStore::check() {
  if (!folder_) {
    const int number = uninterrupted([&] { return ::open(known_.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (number < 0) throw Error(WEIR_EIO, "opening {}: {}", known_.path, std::strerror(errno));
    folder_.emplace(number, known_.path);
  }
  require_same(folder_->number(), known_.path, known_.identity);
}

// Within the folder that was opened, whatever has its name now.
std::optional<Descriptor> ZarrStore::open(std::int64_t file) {
  if (!folder_) check();
  const std::string name = key(file);
  Descriptor opened(uninterrupted([&] { return ::openat(folder_->number(), name.c_str(), O_RDONLY | O_CLOEXEC); }),
                    path(file));
  if (opened.number() >= 0) {
    ++count_.opens;
    return opened;
  }
  if (errno != ENOENT) throw Error(WEIR_EIO, "opening {}: {}", path(file), std::strerror(errno));
  check();  // a folder that was removed has no files either
  return std::nullopt;
}

std::vector<std::uint64_t> ZarrStore::index_of(const Descriptor& file, int var) {
  const ChunkFiles& files = *array(var).files;
  if (!files.index) return {0, static_cast<std::uint64_t>(file.bytes())};
  const std::int64_t chunks = elements(grids_[static_cast<std::size_t>(var)].within);
  ShardIndex index = read_index(file, *files.index, chunks);
  require(index.problem.empty(), WEIR_EIO, "{}; restore it", index.problem);
  count_.bytes += index_bytes(*files.index, chunks);
  return std::move(index.words);
}

ZarrStore::Kept& ZarrStore::keep(std::int64_t file) {
  if (const auto found = places_.find(file); found != places_.end()) {
    kept_.splice(kept_.begin(), kept_, found->second);
    return kept_.front();
  }
  std::optional<Descriptor> opened = open(file);
  std::vector<std::uint64_t> index;
  if (opened) index = index_of(*opened, var_of(file));
  index_words_ += index.size();
  kept_.push_front({file, std::move(opened), std::move(index)});
  places_[file] = kept_.begin();
  while (kept_.size() > 1 && (kept_.size() > most_open || index_words_ > most_index_words)) forget_oldest();
  return kept_.front();
}

void ZarrStore::forget_oldest() {
  index_words_ -= kept_.back().index.size();
  places_.erase(kept_.back().file);
  kept_.pop_back();
}

std::optional<ChunkPlace> ZarrStore::find(int var, std::int64_t number) {
  const Grid& grid = grids_[static_cast<std::size_t>(var)];
  Shape place = place_of(number, grid.chunks), inside(place.size());
  for (std::size_t d = 0; d < place.size(); ++d) {
    inside[d] = place[d] % grid.within[d];
    place[d] /= grid.within[d];
  }
  const std::int64_t file = grid.first + offset(place, strides(grid.files));
  const Kept& kept = keep(file);
  if (!kept.opened) return std::nullopt;
  const auto entry = static_cast<std::size_t>(2 * offset(inside, strides(grid.within)));
  if (kept.index[entry] == ShardIndex::no_chunk) return std::nullopt;
  return ChunkPlace{file, static_cast<std::int64_t>(kept.index[entry]),
                    static_cast<std::int64_t>(kept.index[entry + 1]), 0};
}

void ZarrStore::read(std::int64_t file, std::int64_t address, std::span<std::byte> to) {
  const Kept& kept = keep(file);
  if (!kept.opened.has_value()) throw Error(WEIR_EIO, "\"{}\" was removed while it was read; restore it", path(file));
  kept.opened->read(to.data(), std::ssize(to), address);
  count_.bytes += std::ssize(to);
}

void ZarrStore::ask_for(const ChunkPlace& place) noexcept try {
  const Kept& kept = keep(place.file);
  if (!kept.opened) return;
  ask_system_for(*kept.opened, place.address, place.bytes);
  count_.bytes_ahead += place.bytes;
} catch (const Error&) {  // who reads it is told
}

}  // namespace weir
