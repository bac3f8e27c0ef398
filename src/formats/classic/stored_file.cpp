// SPDX-License-Identifier: Apache-2.0
#include "formats/classic/stored_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "base/text.hpp"
#include "storage/past_cache.hpp"
#include "storage/sink.hpp"

namespace weir {

namespace {

constexpr std::int64_t ahead_step_bytes = 128 << 10;
constexpr std::size_t most_parts = 4096;  // that are remembered of a variable's record

}  // namespace

void require_same_file(const Descriptor& file, const std::string& path, const FileIdentity& identity,
                       std::int64_t least_bytes) {
  require_same(file.number(), path, identity);
  const std::int64_t bytes = file.bytes();
  require(bytes >= least_bytes, WEIR_EIO, "\"{}\" was truncated: it has {} bytes and had at least {}; restore the file",
          path, bytes, least_bytes);
}

// In steps, since the system takes no more of each call.
void ask_system_for(const Descriptor& file, std::int64_t offset, std::int64_t bytes) noexcept {
  for (std::int64_t at = 0; at < bytes; at += ahead_step_bytes)
    static_cast<void>(
        ::posix_fadvise(file.number(), offset + at, std::min(ahead_step_bytes, bytes - at), POSIX_FADV_WILLNEED));
}

StoredFile::StoredFile(Known known, PageCacheKind page_cache, std::optional<Descriptor> opened)
    : known_(std::move(known)), past_cache_(page_cache == PageCacheKind::past), file_(std::move(opened)) {}

void StoredFile::open() {
  if (!file_) {
    file_.emplace(open_to_read(known_.path));
    ++count_.opens;
  }
  if (!in_memory_) {
    in_memory_ = is_in_memory(file_->number());
    // What lies behind a range is another host's: only what is asked for is read.
    if (known_.of_several_hosts) static_cast<void>(::posix_fadvise(file_->number(), 0, 0, POSIX_FADV_RANDOM));
  }
  if (std::exchange(past_cache_, false)) memory_align_ = past_cache_align(file_->number());
}

void StoredFile::check() {
  open();
  require_same_file(*file_, known_.path, known_.identity, known_.least_bytes);
}

bool StoredFile::try_read_cached(const TileToRead& tile) noexcept {
  return std::all_of(tile.stretches.begin(), tile.stretches.end(), [&](const Stretch& stretch) {
    return try_read_cached(tile.memory + stretch.at * tile.element_bytes, range_of(tile, stretch));
  });
}

// A read that does not wait for storage gives what the page cache has.
bool StoredFile::try_read_cached(std::byte* target, const ByteRange& range) noexcept {
  for (std::int64_t done = 0; done < range.bytes;) {
    const iovec rest{target + done, static_cast<std::size_t>(range.bytes - done)};
    const ssize_t got = uninterrupted([&] {
      return *in_memory_ ? ::preadv(file_->number(), &rest, 1, range.offset + done)
                         : ::preadv2(file_->number(), &rest, 1, range.offset + done, RWF_NOWAIT);
    });
    if (got <= 0) return false;
    done += got;
  }
  return true;
}

bool StoredFile::is_whole() const noexcept {
  struct stat now {};
  return file_ && ::fstat(file_->number(), &now) == 0 && now.st_size >= known_.least_bytes;
}

// Looked at before, so that nothing is read of another file, and afterwards: of a file that is cut off meanwhile the
// system may give zeros.
void StoredFile::read(std::span<const TileToRead> tiles) {
  if (tiles.empty()) return;
  check();
  OnTheirWay coming(*this, tiles);
  for (const TileToRead& tile : tiles) {
    const bool past_cache = memory_align_ > 0 && !asked_.contains({tile.var, tile.record});
    for (const Stretch& stretch : tile.stretches) {
      const ByteRange range = range_of(tile, stretch);
      if (known_.of_several_hosts && memory_align_ == 0) coming.keep_up(range.bytes);
      read(tile.memory + stretch.at * tile.element_bytes, range, past_cache);
    }
    remember(tile);
  }
  if (!is_whole()) check();
}

void StoredFile::OnTheirWay::keep_up(std::int64_t bytes_now) noexcept {
  room_ += bytes_now;
  for (; tile_ < tiles_.size(); ++tile_, stretch_ = 0)
    for (const TileToRead& tile = tiles_[tile_]; stretch_ < tile.stretches.size(); ++stretch_, asked_ = 0) {
      const ByteRange range = file_.range_of(tile, tile.stretches[stretch_]);
      const std::int64_t bytes = std::min(room_, range.bytes - asked_);
      if (bytes > 0) ask_system_for(*file_.file_, range.offset + asked_, bytes);
      room_ -= bytes;
      asked_ += bytes;
      if (asked_ < range.bytes) return;
    }
}

// Opened now, where it was not: what is asked for must be of the file that is read.
void StoredFile::ask_for(std::span<const TileToRead> tiles) noexcept try {
  if (tiles.empty()) return;
  open();
  for (const TileToRead& tile : tiles) {
    asked_.insert({tile.var, tile.record});
    for (const Stretch& stretch : tile.stretches) {
      const ByteRange range = range_of(tile, stretch);
      ask_system_for(*file_, range.offset, range.bytes);
      count_.bytes_ahead += range.bytes;
    }
  }
} catch (const Error&) {  // who reads it is told
}

StoredFile::ByteRange StoredFile::range_of(const TileToRead& tile, const Stretch& stretch) const noexcept {
  return {first_byte(tile.var, tile.record) + stretch.element * tile.element_bytes, stretch.count * tile.element_bytes};
}

void StoredFile::remember(const TileToRead& tile) {
  Last& last = last_[tile.var];
  if (last.record != tile.record) {
    asked_.erase({tile.var, last.record});
    last = {tile.record, last.record >= 0 && last.record + 1 == tile.record, {}};
  }
  for (const Stretch& stretch : tile.stretches)
    if (last.parts.size() < most_parts) last.parts.push_back(range_of(tile, stretch));
}

// Whether the record after a variable's last one is there, and likely to be read. Not where nothing is to go through
// the page cache.
bool StoredFile::comes_next(int var, const Last& last) const noexcept {
  return memory_align_ == 0 && last.in_turn && last.record + 1 < known_.geometry.records &&
         !asked_.contains({var, last.record + 1});
}

// Those that follow a variable which was read after the one before it of its kind, in the same record: most restarts
// are read so. So many that storage is busy while one is handed out and the next one is asked for.
StoredFile::NextVariables StoredFile::variables_next(int var, const Last& last) const noexcept {
  NextVariables next;
  next.fill(-1);
  const auto& order = known_.next_alike;
  const auto before = std::find(order.begin(), order.end(), var);
  if (memory_align_ > 0 || before == order.end()) return next;
  const auto earlier = last_.find(static_cast<int>(before - order.begin()));
  if (earlier == last_.end() || earlier->second.record != last.record) return next;
  int other = var;
  for (int& found : next) {
    other = order[static_cast<std::size_t>(other)];
    if (other < 0) break;
    const auto known = last_.find(other);
    const bool was_read = known != last_.end() && known->second.record == last.record;
    if (!was_read && !asked_.contains({other, last.record})) found = other;
  }
  return next;
}

bool StoredFile::can_read_ahead() const noexcept {
  return std::any_of(last_.begin(), last_.end(), [this](const auto& entry) {
    const NextVariables next = variables_next(entry.first, entry.second);
    return comes_next(entry.first, entry.second) ||
           std::any_of(next.begin(), next.end(), [](int var) { return var >= 0; });
  });
}

// Into the page cache, which is the system's to bound.
void StoredFile::read_ahead() noexcept try {
  for (const auto& [var, last] : last_) {
    for (const int next : variables_next(var, last)) {
      if (next < 0) continue;
      asked_.insert({next, last.record});
      ask_for_next(last, first_byte(next, last.record) - first_byte(var, last.record));
    }
    if (!comes_next(var, last)) continue;
    asked_.insert({var, last.record + 1});
    ask_for_next(last, known_.geometry.record_bytes);
  }
} catch (const std::bad_alloc&) {  // it is read when it is wanted
}

// What lies so many bytes behind what was read last.
void StoredFile::ask_for_next(const Last& last, std::int64_t distance) noexcept {
  for (const ByteRange& part : last.parts) {
    ask_system_for(*file_, part.offset + distance, part.bytes);
    count_.bytes_ahead += part.bytes;
  }
}

void StoredFile::read(std::byte* target, const ByteRange& range, bool past_cache) {
  const auto [offset, bytes] = range;
  count_.bytes += bytes;
  if (!past_cache) return file_->read(target, bytes, offset);
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
