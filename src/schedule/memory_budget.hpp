// SPDX-License-Identifier: Apache-2.0
// How the memory of a rank is shared out, and when a cycle is full (contract 5): tile buffers, messages to send,
// messages received. It only counts; engine/staging.hpp owns the memory, and the simulator has none. Pure, Local.
#pragma once

#include <cstdint>
#include <vector>

#include "base/config.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "plan/strategy.hpp"

namespace weir {

// The buffer of outgoing messages: a ring of bytes. Cycles take them in their order and give them back in that order.
// Ranks that take equal amounts run full at the same point.
class PackedRing {
 public:
  explicit PackedRing(std::int64_t bytes) : size_(bytes) {}

  // Returns the latest cycle that must give its bytes back before `bytes` more can be taken; 0: none.
  std::uint32_t in_the_way(std::int64_t bytes) const noexcept;
  // Takes bytes for a cycle, and returns their offset.
  // Requires: no cycle is in the way.
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

// Tile buffers of a rank: while one tile is written another is filled.
inline constexpr int fewest_tile_buffers = 2;
inline constexpr int most_tile_buffers = 32;

// How buffer_limit is shared out; together not more than it.
struct MemoryShares {
  int tile_buffers;            // tiles that a rank can hold at a time
  std::int64_t tile_bytes;     // of one tile buffer
  std::int64_t message_bytes;  // of messages to send, and as many of messages received
};
// Whether pieces travel by message.
inline bool needs_messages(const Machine& machine, bool shared_memory) noexcept {
  return !machine.in_one_memory(shared_memory);
}
// The parts of the limit. If pieces travel by message, a quarter is for messages to send and a quarter for those
// received; the rest is for tiles.
struct MemoryParts {
  std::int64_t tile_bytes, message_bytes;
};
inline MemoryParts memory_parts(std::int64_t limit_bytes, bool messages) noexcept {
  return {messages ? limit_bytes / 2 : limit_bytes, messages ? limit_bytes / 4 : 0};
}
// Returns how the limit is shared out. `messages`: pieces travel by message. Each rank has two tile buffers of a
// quarter of the limit. A scheduler without a control rank gets more and smaller ones, each of at least two units, so
// that even a host of few ranks has many units under way.
MemoryShares memory_shares(const Config& config, const Machine& machine, bool messages);

// Whether received messages are also passed on.
inline bool passes_on(const Config& config) noexcept {
  return config.hops == HopKind::two;
}

// Bytes that one round of one put needs, on the rank that needs most.
struct Need {
  std::int64_t tile = 0;
  std::int64_t packed = 0;
  std::int64_t received = 0;
  std::int64_t offset_in_block = 0;  // of a block (base/numbers.hpp): where large tile memory begins within one
};

// Returns the need of a round. `first_byte`: the put's offset in its file; 0 if it has none.
Need need_of(const Reserve& most, int element_bytes, std::int64_t first_byte = 0) noexcept;

// The memory of a round, as offsets in bytes.
struct Reservation {
  std::int64_t tile = 0;    // in the tile buffer of every holder
  std::int64_t packed = 0;  // in the send memory
};

// What a put does before the open cycle has memory for its next round.
enum class RoomStep : std::uint8_t {
  reserve,         // nothing: there is room
  begin_cycle,     // no cycle is open
  finish_cycle,    // end the open cycle, which has no room
  await_messages,  // wait until messages of cycles up to `in_the_way` are sent
};

// Memory is reserved by amounts on which all ranks have agreed, so all ranks run full at the same put.
class MemoryBudget {
 public:
  // `passes_on`: received messages are also passed on; half of their memory is kept for these, and no rank sends more
  // than that in a cycle.
  MemoryBudget(const MemoryShares& shares, bool passes_on);
  // The budget of a rank under this configuration.
  MemoryBudget(const Config& config, const Machine& machine, bool shared_memory);

  // The most of each kind that one cycle can have.
  const MemoryShares& shares() const noexcept { return shares_; }
  // The part of the memory for received messages that is for messages to pass on.
  std::int64_t passed_bytes() const noexcept { return passed_; }
  // Whether an empty cycle has room for this need; whether the open cycle still has.
  bool possible(const Need& need) const noexcept;
  bool fits(const Need& need) const noexcept;
  // Returns the latest cycle whose messages must be sent before there is room for this need; 0: none.
  std::uint32_t in_the_way(const Need& need) const noexcept;
  // Returns the next step of a put. A put repeats this until it is `reserve`. `open`: a cycle is open, with this
  // number; else the last one had it.
  RoomStep next_step(const Need& need, bool open, std::uint32_t number) const noexcept;
  // Reserves memory in the open cycle.
  // Requires: next_step() is `reserve`.
  Reservation reserve(const Need& need, std::uint32_t cycle);
  // What the open cycle has reserved so far.
  const Need& used() const noexcept { return used_; }
  std::int64_t tile_bytes() const noexcept { return used_.tile; }
  std::int64_t packed_in_use() const noexcept { return ring_.in_use_bytes(); }
  // Ends the open cycle.
  void close() noexcept { used_ = Need{}; }
  // Notes that the messages of cycles up to this one are sent.
  void give_back(std::uint32_t cycle) noexcept { ring_.give_back(cycle); }

 private:
  std::int64_t packed_limit() const noexcept { return passed_ > 0 ? passed_ : shares_.message_bytes; }

  MemoryShares shares_;
  std::int64_t passed_;
  PackedRing ring_;
  Need used_;
};

// Returns in how many rounds to plan instead, if the rounds of a plan have these needs; 0: they fit.
// Errors: WEIR_EMEMORY if not even one element, or one granule, fits.
int more_rounds(int rounds, const std::vector<Need>& needs, const MemoryBudget& budget, const PlanRequest& request);

// Whether the open cycle ends with a record (the model is likely to compute next): tiles are written outside the put
// that fills them (`overlap: slack` or `background`), and these are worth it. Never if all ranks write the cycle
// together (`collective`).
bool ends_with_record(std::int64_t tile_bytes, bool collective, const Config& config) noexcept;

// Whether a cycle ends though there is room: under the scheduler, if it is large enough for a unit of this series.
// `tile_bytes`: of the rank that needs most.
bool cycle_is_full(std::int64_t tile_bytes, bool fixed_owners, std::int64_t series, const Config& config) noexcept;

}  // namespace weir
