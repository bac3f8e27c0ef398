// SPDX-License-Identifier: Apache-2.0
// The network: a card a node, which its ranks share, one way out and one way in at once.
//
// Messages leave a card one after another, in the order in which they were handed to it, each at the card's whole
// speed; they come to the other card a latency later and pass that one likewise. So a message costs one event, and the
// bytes that pass a card are exact; what is lost is how simultaneous messages would share a card: the first of k equal
// ones arrives after 1/k of the time in which fair shares would bring all of them at once, the last one at the same
// time. What cards lose under contention is in their speed, a curve against the messages waiting at the card. Between
// cards there is one limit, the network's total; no topology. Messages within a node pass its memory, twice, and are
// not faster than one pair of ranks can be, nor all of the node together.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/pages.hpp"
#include "simulate/backlog.hpp"
#include "simulate/engine.hpp"
#include "simulate/profile.hpp"

namespace weir::simulate {

// Counts what is still to come, and does something when all of it has.
class Arrivals {
 public:
  void expect(std::int64_t count) noexcept { missing_ += count; }
  std::int64_t missing() const noexcept { return missing_; }
  double last() const noexcept { return last_; }
  // So many of them will be there at `time`. True where they are the last.
  bool come(double time, std::int64_t count = 1) noexcept {
    last_ = std::max(last_, time);
    missing_ -= count;
    return missing_ == 0;
  }

 private:
  std::int64_t missing_ = 0;
  double last_ = 0;
};

struct Message;  // not base/archive.hpp's, which some files see too

// Learns when a message to it is under way: it is at its place at `time`, which is not before now.
class Receiver {
 public:
  virtual void delivered(const Message& message, double time) = 0;
  // It soon will be: as an action's.
  virtual void fetch(const Message& /*message*/) const noexcept {}

 protected:
  ~Receiver() = default;
};

struct Message {
  int from;  // ranks
  int to;
  std::int64_t bytes;
  std::int64_t what;  // the receiver's own
  Receiver* receiver;
};

// Messages as they wait at a card, in blocks of a pool that all cards share: memory is taken for what waits, whichever
// card that is at, and none is copied or given back.
struct alignas(64) MessageBlock {
  static constexpr std::size_t bytes = 2048, most = bytes / sizeof(Message) - 1;
  std::array<Message, most> messages;
  MessageBlock* next = nullptr;  // behind it in a queue, or that no rank uses
};

class MessageBlocks {
 public:
  MessageBlock* take() { return free_ ? std::exchange(free_, free_->next) : make(); }
  void give(MessageBlock* block) noexcept {
    block->next = free_;
    free_ = block;
  }

 private:
  MessageBlock* make();

  std::vector<LargeMemory> memory_;  // each twice as large as the one before it
  std::size_t left_ = 0;             // blocks of the last that were never used
  MessageBlock* free_ = nullptr;
};

// First in, first out.
class MessageQueue {
 public:
  bool empty() const noexcept { return count_ == 0; }
  std::size_t size() const noexcept { return count_; }
  void push_back(const Message& message, MessageBlocks& blocks) {
    if (count_ == 0 || end_ == MessageBlock::most) add_block(blocks);
    last_->messages[end_++] = message;
    ++count_;
  }
  // There is one.
  const Message& front() const noexcept { return first_->messages[begin_]; }
  Message take_front(MessageBlocks& blocks) noexcept {
    const Message message = first_->messages[begin_++];
    if (--count_ == 0 || begin_ == MessageBlock::most) {
      blocks.give(std::exchange(first_, first_->next));
      begin_ = 0;
    }
    return message;
  }

 private:
  void add_block(MessageBlocks& blocks) {
    MessageBlock* const block = blocks.take();
    if (count_ == 0)
      first_ = block, begin_ = 0;
    else
      last_->next = block;
    last_ = block;
    end_ = 0;
  }

  MessageBlock *first_ = nullptr, *last_ = nullptr;  // of no meaning where it is empty
  std::size_t begin_ = 0, end_ = 0;                  // in the first, in the last
  std::size_t count_ = 0;
};

// The memory of the nodes: what is copied, by whom.
class Memory {
 public:
  Memory(const Profile& profile, int nodes) : profile_(profile), nodes_(static_cast<std::size_t>(nodes)) {}
  // A rank of `node` copies so many bytes from `time` on. When it is done: not faster than one rank can, nor all of the
  // node together.
  double copy(int node, double time, std::int64_t bytes) noexcept;
  double busy_seconds() const noexcept;

 private:
  const Profile& profile_;
  std::vector<Backlog> nodes_;
};

class Network {
 public:
  Network(Engine& engine, const Profile& profile, Memory& memory, const std::vector<int>& node_of);
  // From now on. The receiver is told, perhaps at once, when it will be there.
  void send(const Message& message);
  // The bytes of a write that leave a node for the storage. When they have.
  double leave(int node, double time, std::int64_t bytes) noexcept;

  // As leave(), of a read that comes in.
  double enter(int node, double time, std::int64_t bytes) noexcept;
  int nodes() const noexcept { return static_cast<int>(cards_.size()); }

  std::int64_t messages() const noexcept { return messages_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  double busiest_out() const noexcept;
  double busiest_in() const noexcept;
  double busy_seconds() const noexcept { return total_.busy_seconds(); }

 private:
  class alignas(64) Card final : public Action {
   public:
    void happen() override { network->begin_next(*this); }
    void fetch(int step) const noexcept override { network->fetch(*this, step); }
    Network* network = nullptr;
    MessageQueue queue;
    bool busy = false;
    Backlog out, in;
    Backlog within;  // messages that do not leave the node
  };

  void begin_next(Card& card);
  void fetch(const Card& card, int step) const noexcept;
  double passing_seconds(std::int64_t bytes, double waiting) const noexcept;
  void within(const Message& message);
  Card& card_of(int rank) noexcept {
    return cards_[static_cast<std::size_t>(node_of_[static_cast<std::size_t>(rank)])];
  }
  const Card& card_of(int rank) const noexcept { return const_cast<Network*>(this)->card_of(rank); }

  Engine& engine_;
  const Profile& profile_;
  Memory& memory_;
  const std::vector<int>& node_of_;
  std::vector<Card> cards_;
  MessageBlocks blocks_;
  Backlog total_;
  std::int64_t messages_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace weir::simulate
