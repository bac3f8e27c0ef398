// SPDX-License-Identifier: Apache-2.0
#include "formats/netcdf4/file_space.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/numbers.hpp"

namespace weir {

namespace {

constexpr std::int64_t fewest_block_bytes = 2 << 20;
constexpr std::int64_t most_block_bytes = 16 << 20;
constexpr std::int64_t blocks_in_what_was_taken = 8;
constexpr std::size_t most_gaps = 1 << 16;

std::int64_t bytes_of(std::span<const std::int64_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

// How many of the first chunks fit into so many bytes.
std::size_t chunks_within(std::int64_t bytes, std::span<const std::int64_t> lengths) {
  std::size_t chunks = 0;
  while (chunks < lengths.size() && lengths[chunks] <= bytes) bytes -= lengths[chunks++];
  return chunks;
}

std::int64_t next_multiple(std::int64_t of, std::int64_t unit) {
  return of + missing_to(of, 0, unit);
}

}  // namespace

FileSpace::FileSpace(std::span<const int> writing_hosts, int host, const Comm& comm, const Range& range,
                     const Deadline& deadline)
    : hosts_(std::ssize(writing_hosts)),
      host_(std::find(writing_hosts.begin(), writing_hosts.end(), host) - writing_hosts.begin()),
      chunk_(range.chunk),
      first_block_(next_multiple(std::max(fewest_block_bytes, range.most), chunk_)),
      longest_block_(next_multiple(std::max(most_block_bytes, range.most), chunk_)),
      leads_(comm.rank() == 0),
      memory_(comm, sizeof(std::atomic<std::int64_t>), deadline),
      used_(reinterpret_cast<std::atomic<std::int64_t>*>(memory_.of(0))),
      begin_(range.begin) {}

FileSpace::Block FileSpace::block_at(std::int64_t place) const noexcept {
  if (place < borrowed_.bytes()) return {0, borrowed_.bytes()};
  Block block{borrowed_.bytes(), first_block_};
  while (block.bytes < longest_block_ && place >= block.end()) {
    const std::int64_t taken = block.end() - borrowed_.bytes();
    const std::int64_t bytes = next_multiple(taken / blocks_in_what_was_taken, chunk_);
    block = {block.end(), std::clamp(bytes, first_block_, longest_block_)};
  }
  block.begin += (place - block.begin) / block.bytes * block.bytes;
  return block;
}

ChunkRun FileSpace::take(std::span<const std::int64_t> lengths) {
  require(host_ < hosts_, WEIR_EINTERNAL, "a rank writes chunks on a host that is not to write any");
  if (hosts_ == 1) return {begin_ + used_->fetch_add(bytes_of(lengths)), lengths.size()};
  std::int64_t used = used_->load();
  for (;;) {
    std::int64_t from = used;
    while (block_at(from).end() - from < lengths.front()) from = block_at(from).end();
    const std::size_t chunks = chunks_within(block_at(from).end() - from, lengths);
    if (used_->compare_exchange_weak(used, from + bytes_of(lengths.first(chunks)))) return {place_of(from), chunks};
  }
}

std::int64_t FileSpace::place_of(std::int64_t used) const noexcept {
  if (used < borrowed_.bytes()) return borrowed_.begin + used;
  const Block block = block_at(used);
  return begin_ + hosts_ * (block.begin - borrowed_.bytes()) + host_ * block.bytes + (used - block.begin);
}

void FileSpace::restart(std::int64_t begin) noexcept {
  begin_ = begin;
  if (leads_) *used_ = 0;
}

void FileSpace::borrow(std::span<const FileRange> lent) noexcept {
  borrowed_ = host_ < std::ssize(lent) ? lent[static_cast<std::size_t>(host_)] : FileRange{};
}

void FreeSpace::add_gap(std::int64_t begin, std::int64_t end) {
  if (begin < end) gaps_.emplace(end - begin, begin);
  if (gaps_.size() > most_gaps) gaps_.erase(gaps_.begin());
}

void FreeSpace::note_taken(std::vector<FileRange> taken) {
  const auto earlier = [](const FileRange& a, const FileRange& b) { return a.begin < b.begin; };
  std::sort(taken.begin(), taken.end(), earlier);
  std::sort(lent_.begin(), lent_.end(), earlier);
  auto range = taken.begin();
  for (const FileRange& gap : std::exchange(lent_, {})) {
    std::int64_t at = gap.begin;
    for (; range != taken.end() && range->begin < gap.end; at = (range++)->end) add_gap(at, range->begin);
    add_gap(at, gap.end);
  }
  for (; range != taken.end(); end_ = (range++)->end) add_gap(end_, range->begin);
}

ChunkRun FreeSpace::take(std::span<const std::int64_t> lengths) {
  const std::int64_t all = bytes_of(lengths);
  auto gap = gaps_.lower_bound(all);
  if (gap == gaps_.end() && !gaps_.empty() && gaps_.rbegin()->first >= lengths.front()) gap = std::prev(gap);
  if (gap == gaps_.end()) return {std::exchange(end_, end_ + all), lengths.size()};
  const auto [length, begin] = *gap;
  gaps_.erase(gap);
  const std::size_t chunks = chunks_within(length, lengths);
  add_gap(begin + bytes_of(lengths.first(chunks)), begin + length);
  return {begin, chunks};
}

std::vector<FileRange> FreeSpace::lend(std::int64_t count) {
  while (count-- > 0 && !gaps_.empty()) {
    const auto [length, begin] = *gaps_.rbegin();
    gaps_.erase(std::prev(gaps_.end()));
    lent_.push_back({begin, begin + length});
  }
  return lent_;
}

}  // namespace weir
