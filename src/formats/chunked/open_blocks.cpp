// SPDX-License-Identifier: Apache-2.0
#include "formats/chunked/open_blocks.hpp"

#include <algorithm>
#include <utility>

#include "base/archive.hpp"
#include "mpi/exchange.hpp"

namespace weir {

std::vector<BlockTask> deal_blocks(std::vector<BlockHead> heads, int ranks) {
  std::sort(heads.begin(), heads.end(), [](const BlockHead& one, const BlockHead& other) {
    return one.key != other.key ? one.key < other.key : one.rank < other.rank;
  });
  std::vector<std::int64_t> to_do(static_cast<std::size_t>(ranks));
  std::vector<BlockTask> tasks;
  const auto deal = [&](std::span<const BlockHead> of_block) {
    std::int64_t all = 0;
    for (const BlockHead& head : of_block) all += head.bytes;
    const auto with_it = [&](const BlockHead& head) {
      return to_do[static_cast<std::size_t>(head.rank)] + all + (all - head.bytes);
    };
    const auto sooner = [&](const BlockHead& one, const BlockHead& other) { return with_it(one) < with_it(other); };
    const BlockHead& taken = *std::min_element(of_block.begin(), of_block.end(), sooner);
    to_do[static_cast<std::size_t>(taken.rank)] = with_it(taken);
    tasks.push_back({.key = taken.key, .rank = taken.rank, .moved_bytes = all - taken.bytes});
  };
  const auto each_block = [&](auto visit) {
    for (std::size_t first = 0, last = 0; first < heads.size(); first = last) {
      while (last < heads.size() && heads[last].key == heads[first].key) ++last;
      visit(std::span<const BlockHead>(heads).subspan(first, last - first));
    }
  };
  // Those without a choice come first: the others even out what they leave.
  for (const bool shared : {false, true})
    each_block([&](std::span<const BlockHead> of_block) {
      if ((of_block.size() > 1) == shared) deal(of_block);
    });
  std::sort(tasks.begin(), tasks.end(),
            [](const BlockTask& one, const BlockTask& other) { return one.key < other.key; });
  return tasks;
}

std::byte* OpenBlocks::place(const BlockKey& key, Size size, std::int64_t record, std::int64_t generation) {
  SizedBlock& block = blocks_[key];
  block.size = size;
  const std::span<std::byte> values = block.values.at_least(size.records * size.piece_bytes);
  const auto [known, is_new] = block.generations.try_emplace(record, generation);
  if (is_new) bytes_ += size.piece_bytes;
  if (known->second > generation) return nullptr;
  known->second = generation;
  return &values[static_cast<std::size_t>(record * size.piece_bytes)];
}

std::int64_t OpenBlocks::records(const BlockKey& key) const {
  const auto found = blocks_.find(key);
  return found == blocks_.end() ? 0 : std::ssize(found->second.generations);
}

OpenBlock OpenBlocks::take(const BlockKey& key) {
  SizedBlock block = std::move(blocks_.extract(key).mapped());
  bytes_ -= block.bytes();
  return {std::move(block.values), std::move(block.generations)};
}

std::vector<BlockHead> OpenBlocks::heads(int rank) const {
  std::vector<BlockHead> heads;
  for (const auto& [key, block] : blocks_) heads.push_back({key, rank, block.bytes()});
  return heads;
}

namespace {

constexpr int first_tag = 20, tags = 2;
constexpr std::int64_t round_bytes_of_a_rank = 8 << 20;

struct PieceHead {
  BlockKey key;
  OpenBlocks::Size size;
  std::int64_t record, generation;
};

}  // namespace

void OpenBlocks::send(const Comm& comm, std::span<const BlockTask> tasks, const WaitLimit& wait) {
  std::map<int, std::vector<std::int64_t>> words;
  for (const BlockTask& task : tasks) {
    if (task.rank == comm.rank() || !blocks_.contains(task.key)) continue;
    ArchiveWriter archive(words[static_cast<int>(task.rank)]);
    const Size size = blocks_.at(task.key).size;
    OpenBlock block = take(task.key);
    for (const auto& [record, generation] : block.generations) {
      archive(PieceHead{task.key, size, record, generation});
      archive.raw(block.values.at_least(0).subspan(static_cast<std::size_t>(record * size.piece_bytes),
                                                   static_cast<std::size_t>(size.piece_bytes)));
    }
  }
  Messages sent;
  for (auto& [rank, message] : words) sent.push_back({rank, std::move(message)});
  tag_ = (tag_ + 1) % tags;
  for (const Message& message :
       deliver(comm, std::move(sent), first_tag + tag_, wait.begin(), "chunks of several records"))
    for (ArchiveReader archive(std::span(message.words)); !archive.at_end();) {
      const auto head = archive.get<PieceHead>();
      const auto values = archive.take(static_cast<std::size_t>(head.size.piece_bytes));
      if (std::byte* const to = place(head.key, head.size, head.record, head.generation); to != nullptr)
        std::copy(values.begin(), values.end(), to);
    }
}

void OpenBlocks::exchange(const Comm& comm, std::span<const BlockTask> tasks, const WaitLimit& wait) {
  const std::int64_t most = comm.size() * round_bytes_of_a_rank;
  for (std::size_t first = 0, last = 0; first < tasks.size(); first = last) {
    std::int64_t moved = 0;
    for (; last < tasks.size() && (moved == 0 || moved + tasks[last].moved_bytes <= most); ++last)
      moved += tasks[last].moved_bytes;
    if (moved > 0) send(comm, tasks.subspan(first, last - first), wait);
  }
}

}  // namespace weir
