// SPDX-License-Identifier: Apache-2.0
// The duties of a rank, oldest first, made of cycles whose holders are known; and what waits for
// them say when they end without.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "flow/parts.hpp"

namespace weir {

class DutyList {
 public:
  explicit DutyList(const FlowParts& parts) : parts_(parts) {}

  // tile_bytes: what each tile takes of its place. relayed: parcels of others that come to this rank to be passed on.
  // nullptr where this rank holds nothing of the cycle, unless `collective`.
  Duty* make(const Cycle& cycle, std::int64_t tile_bytes, int relayed, bool collective);
  bool empty() const noexcept { return duties_.empty(); }
  Duty& front() const noexcept { return *duties_.front(); }
  Duty& back() const noexcept { return *duties_.back(); }
  auto begin() const noexcept { return duties_.begin(); }
  auto end() const noexcept { return duties_.end(); }
  // Pieces of one of them are still to come by message, or it is to be written now.
  bool under_way(std::int64_t released) const noexcept;
  // The oldest is done, or given up: takes what it has found.
  void pop();

 private:
  void find_tiles(const Cycle& cycle);
  std::int64_t contributions(const Duty& duty, const Cycle& cycle) const;

  FlowParts parts_;
  std::vector<std::unique_ptr<Duty>> duties_;
  std::vector<std::unique_ptr<Duty>> spare_;
  std::vector<HeldTile> tiles_;  // of the duty that is being made
};

// How many ranks of the host may write while this duty is written.
int most_at_once(const Duty& duty, const FlowParts& parts);

std::string within(const Deadline& deadline);
// Pieces are missing.
std::string incomplete(const Duty& duty, const Board& board, const Deadline& deadline);
std::string not_written(const Duty& duty, const Deadline& deadline);
// By ranks of this host.
std::string not_written(std::uint32_t cycle, const Board& board, const Deadline& deadline);
// Nobody was made a writer of a cycle.
std::string not_manned(std::uint32_t cycle, const Board& board, const Deadline& deadline);

}  // namespace weir
