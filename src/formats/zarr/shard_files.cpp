// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/shard_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/zarr/folder.hpp"
#include "plan/chunk_grid.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

constexpr std::int64_t entry_bytes = 2 * sizeof(std::uint64_t);

void turn_words(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const auto word = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    std::reverse(word, word + sizeof(std::uint64_t));
  }
}

bool lies_within(std::uint64_t address, std::uint64_t bytes, std::uint64_t end) {
  return address <= end && bytes <= end - address;
}

}  // namespace

std::string chunk_key(const ChunkKeys& keys, IndexView place) {
  std::string key = keys.prefix;
  for (const std::int64_t number : place) {
    if (!key.empty()) key += keys.separator;
    key += std::to_string(number);
  }
  return key.empty() ? "0" : key;
}

std::optional<Shape> place_of_key(const ChunkKeys& keys, std::string_view name) {
  if (!name.starts_with(keys.prefix)) return std::nullopt;
  name.remove_prefix(keys.prefix.size());
  Shape place;
  while (!name.empty()) {
    const bool follows = !place.empty() || !keys.prefix.empty();
    if (follows && name.front() != keys.separator) return std::nullopt;
    if (follows) name.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    place.push_back(number);
  }
  return place;
}

std::int64_t index_bytes(const ShardIndexForm& form, std::int64_t chunks) noexcept {
  return chunks * entry_bytes + (form.summed ? crc32c_bytes : 0);
}

std::vector<std::byte> pack_index(std::span<const std::uint64_t> words) {
  const auto view = std::as_bytes(words);
  std::vector<std::byte> bytes(view.begin(), view.end());
  const auto sum = crc32c_codec_bytes(view);
  bytes.insert(bytes.end(), sum.begin(), sum.end());
  return bytes;
}

ShardIndex read_index(const Descriptor& file, const ShardIndexForm& form, std::int64_t chunks) {
  const std::string whose = formatted("the shard \"{}\"", file.path());
  const std::int64_t bytes = file.bytes(), length = index_bytes(form, chunks);
  if (bytes < length) return {{}, formatted("{} is truncated: it is shorter than its index", whose)};
  std::vector<std::byte> text(static_cast<std::size_t>(length));
  file.read(text.data(), length, form.at_end ? bytes - length : 0);
  if (form.summed && !ends_with_crc32c(text))
    return {{}, formatted("{} is truncated or changed: its index is invalid", whose)};
  const std::span<std::byte> entries = std::span(text).first(static_cast<std::size_t>(chunks * entry_bytes));
  if (form.little_endian != (std::endian::native == std::endian::little)) turn_words(entries);
  ShardIndex index{std::vector<std::uint64_t>(2 * static_cast<std::size_t>(chunks)), ""};
  if (!entries.empty()) std::memcpy(index.words.data(), entries.data(), entries.size());
  const auto end = static_cast<std::uint64_t>(form.at_end ? bytes - length : bytes);
  for (std::size_t i = 0; i < index.words.size(); i += 2)
    if (index.words[i] != ShardIndex::no_chunk && !lies_within(index.words[i], index.words[i + 1], end))
      return {{}, formatted("{} has a chunk that lies beyond its end", whose)};
  return index;
}

namespace {

constexpr std::size_t most_unsynced = 64;  // files that wait for a commit, open

// The index has the byte order that zarr.json tells of it: this machine's.
void add_index(PackedBatch& batch, std::span<const std::uint64_t> index) {
  const std::vector<std::byte> packed = pack_index(index);
  std::copy(packed.begin(), packed.end(), batch.room(std::ssize(packed)).begin());
  batch.add_from_room(std::ssize(packed));
}

}  // namespace

Status ShardFiles::begin(const std::string& folder, const std::string& name, std::int64_t chunks) {
  index_.assign(2 * static_cast<std::size_t>(chunks), ShardIndex::no_chunk);
  batch_.clear();
  written_ = taken_ = 0;
  if (!keeps_) return {};
  const CompressClock::Pause pause(compressing_);
  const std::string path = folder + "/" + name;
  if (Status status = make_folders_of(folder, name, folders_); !status.ok()) return status;
  file_ = Descriptor(
      uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666); }),
      path);
  return file_.number() >= 0 ? Status{} : failed_call("making", path);
}

Status ShardFiles::take(std::int64_t chunk) {
  const std::int64_t end = written_ + batch_.bytes();
  if (!index_.empty()) {
    std::uint64_t* const entry = &index_[2 * static_cast<std::size_t>(chunk)];
    entry[0] = static_cast<std::uint64_t>(taken_);
    entry[1] = static_cast<std::uint64_t>(end - taken_);
  }
  taken_ = end;
  return batch_.bytes() >= packed_batch_bytes(FormatKind::zarr) ? write_batch() : Status{};
}

// 0, or the errno of what failed.
int ShardFiles::write_extents() {
  if (!keeps_) return 0;
  for (const Extent& extent : batch_.extents(written_)) {
    const std::span bytes(extent.data, static_cast<std::size_t>(extent.bytes));
    if (const int error = write_whole(file_.number(), bytes, extent.offset)) return error;
  }
  return 0;
}

Status ShardFiles::write_batch() {
  const std::int64_t bytes = batch_.bytes();
  const CompressClock::Pause pause(compressing_);
  errno = write_extents();
  if (errno != 0) return failed_call("writing", file_.path());
  written_ += bytes;
  bytes_written_ += bytes;
  batch_.clear();
  return {};
}

Status ShardFiles::end() {
  if (!index_.empty()) add_index(batch_, index_);
  Status status = write_batch();
  if (!keeps_ || !status.ok()) return status;
  const CompressClock::Pause pause(compressing_);
  if (durability_ == Durability::cache) return file_.close() ? Status{} : failed_call("closing", file_.path());
  // Let the system begin now what the commit waits for. Only a hint: an error shows there.
  ::sync_file_range(file_.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
  unsynced_.push_back(std::move(file_));
  return unsynced_.size() > most_unsynced ? sync_oldest() : Status{};
}

Status ShardFiles::sync_oldest() {
  const Descriptor file = std::move(unsynced_.front());
  unsynced_.pop_front();
  return uninterrupted([&] { return ::fsync(file.number()); }) == 0 ? Status{} : failed_call("fsync", file.path());
}

Status ShardFiles::make_durable() {
  Status status;
  while (!unsynced_.empty()) status.merge(sync_oldest());
  for (const std::string& folder : std::exchange(folders_, {}))
    if (status.ok() && durability_ == Durability::storage) status = sync_folder(folder + "/c");
  return status;
}

}  // namespace weir
