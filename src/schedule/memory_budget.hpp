// SPDX-License-Identifier: Apache-2.0
// How the memory of a rank is shared out: slots of tile memory, messages out and in, and when a cycle is full. Pure,
// Local.
#pragma once

#include <cstdint>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "plan/strategy.hpp"

namespace weir {

// The buffer of outgoing messages: a ring of bytes, which cycles take in their order and return in that order. Ranks
// that take equal amounts run full at the same point. Pure, Local.

class PackedRing {
 public:
  explicit PackedRing(std::int64_t bytes) : size_(bytes) {}

  // The latest cycle that must give its bytes back before `bytes` more can be taken; 0 where none must.
  std::uint32_t in_the_way(std::int64_t bytes) const noexcept;
  // Takes bytes for a cycle; call only where nothing is in the way. Returns where they begin.
  std::int64_t take(std::int64_t bytes, std::uint32_t cycle);
  // Cycles up to this one give their bytes back.
  void give_back(std::uint32_t cycle) noexcept;
  std::int64_t in_use_bytes() const noexcept { return in_use_; }

 private:
  struct Span {
    std::uint32_t cycle;
    std::int64_t begin, end;
  };
  std::int64_t begin_of(std::int64_t bytes) const noexcept { return head_ + bytes <= size_ ? head_ : 0; }

  std::int64_t size_;
  std::int64_t head_ = 0;
  std::int64_t in_use_ = 0;
  std::vector<Span> spans_;  // oldest first
};

// Divides the memory of the cycles. It is reserved by amounts that all ranks have agreed on, so that all run full at
// the same put. This class only counts: the staging owns the memory, and the simulator has none. Pure, Local.

// Places of tile memory where nothing speaks for more: while one tile is written the other is filled.
inline constexpr int fewest_tile_buffers = 2;
inline constexpr int most_tile_buffers = 32;

// What a rank's buffer_limit is for: all of it together, and no more.
struct MemoryShares {
  int tile_buffers;            // of tile memory: tiles a rank can hold at a time
  std::int64_t tile_bytes;     // of one of them
  std::int64_t message_bytes;  // of messages to send, and as many of messages received
};
// Whether pieces travel by messages.
inline bool needs_messages(const Machine& machine, bool shared_memory) noexcept {
  return !machine.in_one_memory(shared_memory);
}
// What the limit is divided into: where pieces travel by messages, a quarter each for those that go out and those that
// come in; the rest is for tiles.
struct MemoryParts {
  std::int64_t tile_bytes, message_bytes;
};
inline MemoryParts memory_parts(std::int64_t limit_bytes, bool messages) noexcept {
  return {messages ? limit_bytes / 2 : limit_bytes, messages ? limit_bytes / 4 : 0};
}
// messages: pieces travel by them. Of tile memory a quarter of the limit for each of two places; under the scheduler
// all of it. The scheduler's units are a few MiB large: tile memory that takes more than two is cut into more places,
// so that a host of few ranks, too, has many under way.
MemoryShares memory_shares(const Config& config, const Machine& machine, bool messages);

// Whether messages that are received are also passed on.
inline bool passes_on(const Config& config) noexcept {
  return config.hops == HopKind::two;
}

// Bytes that one round of one put needs on the neediest rank.
struct Need {
  std::int64_t tile = 0;
  std::int64_t packed = 0;
  std::int64_t received = 0;
  std::int64_t remainder = 0;  // of a block (base/numbers.hpp), at which tile memory is to begin if it is large
};

// first_byte: of what is put, in its file; 0 where it has no place there.
Need need_of(const Reserve& most, int element_bytes, std::int64_t first_byte = 0) noexcept;

// Where a round's memory begins, in bytes.
struct Reservation {
  std::int64_t tile = 0;    // in the place of every holder
  std::int64_t packed = 0;  // in the send memory
};

// What a put does before the open cycle has memory for its next round.
enum class RoomStep : std::uint8_t {
  reserve,         // nothing: there is room
  begin_cycle,     // no cycle is open
  finish_cycle,    // the open cycle holds what the round needs
  await_messages,  // messages of earlier cycles must be sent: up to cycle `in_the_way`
};

class MemoryBudget {
 public:
  // passes_on: messages received are also passed on, so half of their memory is kept for these, and no rank sends more
  // than that in a cycle.
  MemoryBudget(const MemoryShares& shares, bool passes_on);
  // Of a rank, as the configuration says.
  MemoryBudget(const Config& config, const Machine& machine, bool shared_memory);

  // The most of each kind that one cycle may need.
  const MemoryShares& shares() const noexcept { return shares_; }
  // Of the memory for messages received: what is for those that are passed on.
  std::int64_t passed_bytes() const noexcept { return passed_; }
  bool possible(const Need& need) const noexcept;
  // In the open cycle, besides what it has reserved.
  bool fits(const Need& need) const noexcept;
  // The latest cycle whose messages must be sent before this need can be met; 0: none.
  std::uint32_t in_the_way(const Need& need) const noexcept;
  // `open`: a cycle is, with this number; else the last one had it. A put takes these steps until one is `reserve`.
  RoomStep next_step(const Need& need, bool open, std::uint32_t number) const noexcept;
  // Call only where `next_step` is `reserve`.
  Reservation reserve(const Need& need, std::uint32_t cycle);
  // What the open cycle has reserved so far.
  const Need& used() const noexcept { return used_; }
  std::int64_t tile_bytes() const noexcept { return used_.tile; }
  std::int64_t packed_in_use() const noexcept { return ring_.in_use_bytes(); }
  // Ends the open cycle.
  void close() noexcept { used_ = Need{}; }
  // Messages of cycles up to this one are sent.
  void give_back(std::uint32_t cycle) noexcept { ring_.give_back(cycle); }

 private:
  std::int64_t packed_limit() const noexcept { return passed_ > 0 ? passed_ : shares_.message_bytes; }

  MemoryShares shares_;
  std::int64_t passed_;
  PackedRing ring_;
  Need used_;
};

// Rounds to plan in, where `rounds` of them have these needs and a budget is there; 0: these fit. Throws
// Error(WEIR_EMEMORY) where not even one element fits, or one granule.
int more_rounds(int rounds, const std::vector<Need>& needs, const MemoryBudget& budget, const PlanRequest& request);

// Whether the open cycle of so many tile bytes ends with a record: the model is likely to compute next, so where tiles
// are written in the background, those that are worth it are not kept back for more puts. collective: all ranks write
// it together.
bool ends_with_record(std::int64_t tile_bytes, bool collective, const Config& config) noexcept;

// Whether a cycle of so many tile bytes (of the neediest rank) ends though there is room for more: of the scheduler,
// one that is large enough for a unit; where owners are the plan's, none.
bool cycle_is_full(std::int64_t tile_bytes, bool fixed_owners, const Config& config) noexcept;

}  // namespace weir
