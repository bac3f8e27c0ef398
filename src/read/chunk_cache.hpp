// SPDX-License-Identifier: Apache-2.0
// A cache of unpacked chunks that are likely to be read again, for instance by the following records. The least
// recently used are dropped first. Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <utility>
#include <vector>

namespace weir {

class ChunkCache {
 public:
  using Bytes = std::vector<std::byte>;
  // most_bytes: of all; one chunk is kept however large it is.
  explicit ChunkCache(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  // nullptr where it is not there.
  const Bytes* find(int var, std::int64_t number) {
    const auto found = places_.find({var, number});
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->bytes;
  }
  // It is not there yet.
  const Bytes& keep(int var, std::int64_t number, Bytes bytes) {
    bytes_ += std::ssize(bytes);
    entries_.push_front({{var, number}, std::move(bytes)});
    places_[{var, number}] = entries_.begin();
    while (bytes_ > most_bytes_ && entries_.size() > 1) {
      bytes_ -= std::ssize(entries_.back().bytes);
      places_.erase(entries_.back().chunk);
      entries_.pop_back();
    }
    return entries_.front().bytes;
  }

 private:
  using Chunk = std::pair<int, std::int64_t>;
  struct Entry {
    Chunk chunk;
    Bytes bytes;
  };
  std::list<Entry> entries_;  // the one used last first
  std::map<Chunk, std::list<Entry>::iterator> places_;
  std::int64_t most_bytes_, bytes_ = 0;
};

}  // namespace weir
