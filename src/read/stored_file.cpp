// SPDX-License-Identifier: Apache-2.0
#include "read/stored_file.hpp"

#include <fcntl.h>

#include <utility>

#include "base/blocks.hpp"
#include "base/error.hpp"
#include "base/spelling.hpp"
#include "write/past_cache.hpp"
#include "write/sink.hpp"

namespace weir {

StoredFile::StoredFile(Known known, PageCacheKind page_cache, std::optional<Descriptor> opened)
    : known_(std::move(known)), past_cache_(page_cache == PageCacheKind::past), file_(std::move(opened)) {}

std::int64_t StoredFile::first_byte(int var, std::int64_t record) const noexcept {
  return known_.geometry.begin[static_cast<std::size_t>(var)] + record * known_.geometry.record_bytes;
}

std::int64_t StoredFile::remainder(int var, std::int64_t record) const noexcept {
  return first_byte(var, record) % block_bytes;
}

void StoredFile::open() {
  if (!file_) {
    file_.emplace(open_to_read(known_.path));
    ++count_.opens;
  }
  if (std::exchange(past_cache_, false)) memory_align_ = past_cache_align(file_->number());
}

// What is read is the file whose header was read, and whole, whatever has happened to it or to its name meanwhile.
void StoredFile::check() const {
  auto trouble = other_file_trouble(file_->number(), known_.path, known_.identity);
  if (!trouble) trouble = other_file_trouble(known_.path, known_.identity);
  if (trouble) throw Error(WEIR_EIO, *trouble + "; close it, and open it again");
  const std::int64_t bytes = file_->bytes();
  require(bytes >= known_.least_bytes, WEIR_EIO, [&] {
    return in_quotes(known_.path) + " was cut off: it has " + std::to_string(bytes) + " bytes and had at least " +
           std::to_string(known_.least_bytes) + "; restore the file";
  });
}

void StoredFile::read(std::span<const TileToRead> tiles) {
  if (tiles.empty()) return;
  open();
  check();
  for (const TileToRead& tile : tiles)
    for (const Stretch& stretch : tile.stretches)
      read(tile.memory + stretch.at * tile.element_bytes, stretch.count * tile.element_bytes,
           first_byte(tile.var, tile.record) + stretch.element * tile.element_bytes);
}

void StoredFile::read(std::byte* target, std::int64_t bytes, std::int64_t offset) {
  count_.bytes += bytes;
  if (memory_align_ == 0) return file_->read(target, bytes, offset);
  const auto blocks = whole_blocks(Extent{offset, bytes, target}, fewest_aligned_bytes, memory_align_);
  if (!blocks) return file_->read(target, bytes, offset);
  file_->read(target, blocks->begin - offset, offset);
  read_past_cache(target + (blocks->begin - offset), blocks->bytes(), blocks->begin);
  file_->read(target + (blocks->end - offset), offset + bytes - blocks->end, blocks->end);
}

// By the same opening, whose way is changed for the time: a file is opened once. Where the file does not take it after
// all, it is not asked again.
void StoredFile::read_past_cache(std::byte* target, std::int64_t bytes, std::int64_t offset) {
  const int flags = ::fcntl(file_->number(), F_GETFL);
  if (flags < 0 || ::fcntl(file_->number(), F_SETFL, flags | O_DIRECT) != 0) {
    memory_align_ = 0;
    return file_->read(target, bytes, offset);
  }
  struct Back {
    int number, flags;
    ~Back() { ::fcntl(number, F_SETFL, flags); }
  } const back{file_->number(), flags};
  file_->read(target, bytes, offset);
}

}  // namespace weir
