// SPDX-License-Identifier: Apache-2.0
#include "write/netcdf4/file_space.hpp"

#include <algorithm>

namespace weir {

namespace {

constexpr std::int64_t first_block_bytes = 4 << 10;
constexpr std::int64_t usual_longest_block = 16 << 20;

}  // namespace

FileSpace::FileSpace(const Machine& machine, const Comm& host, int rank, const Range& range, const Deadline& deadline)
    : hosts_(machine.hosts()),
      host_(machine.host_of[static_cast<std::size_t>(rank)]),
      longest_block_(std::max(usual_longest_block, range.most)),
      leads_(host.rank() == 0),
      memory_(host, sizeof(std::atomic<std::int64_t>), deadline),
      used_(reinterpret_cast<std::atomic<std::int64_t>*>(memory_.of(0))),
      begin_(range.begin) {}

FileSpace::Block FileSpace::block_at(std::int64_t place) const noexcept {
  Block block{0, first_block_bytes};
  while (block.bytes < longest_block_ && place >= block.end())
    block = {block.end(), std::min(longest_block_, 2 * block.bytes)};
  block.begin += (place - block.begin) / block.bytes * block.bytes;
  return block;
}

std::int64_t FileSpace::take(std::int64_t bytes) {
  if (hosts_ == 1) return begin_ + used_->fetch_add(bytes);
  std::int64_t used = used_->load();
  for (;;) {
    std::int64_t from = used;
    while (block_at(from).end() - from < bytes) from = block_at(from).end();
    if (used_->compare_exchange_weak(used, from + bytes)) return place_of(from);
  }
}

std::int64_t FileSpace::place_of(std::int64_t used) const noexcept {
  const Block block = block_at(used);
  return begin_ + hosts_ * block.begin + host_ * block.bytes + (used - block.begin);
}

void FileSpace::restart(std::int64_t begin) noexcept {
  begin_ = begin;
  if (leads_) *used_ = 0;
}

}  // namespace weir
