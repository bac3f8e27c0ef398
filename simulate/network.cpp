// SPDX-License-Identifier: Apache-2.0
#include "simulate/network.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace weir::simulate {

static_assert(sizeof(MessageBlock) == MessageBlock::bytes, "messages lie in cache lines of their own");

MessageBlock* MessageBlocks::make() {
  constexpr std::size_t fewest = 32, most = 4096;
  const std::size_t blocks = std::min(most, fewest << std::min<std::size_t>(memory_.size(), 10));
  if (left_ == 0) {
    memory_.push_back(allocate_large(blocks * sizeof(MessageBlock)));
    left_ = blocks;
  }
  return new (reinterpret_cast<MessageBlock*>(memory_.back().get()) + --left_) MessageBlock;
}

double Memory::copy(int node, double time, std::int64_t bytes) noexcept {
  const auto amount = static_cast<double>(bytes);
  const double all = nodes_[static_cast<std::size_t>(node)].add(time, amount / profile_.copy.largest());
  return std::max(all, time + amount / profile_.copy(1));
}

double Memory::busy_seconds() const noexcept {
  double most = 0;
  for (const Backlog& node : nodes_) most = std::max(most, node.busy_seconds());
  return most;
}

Network::Network(Engine& engine, const Profile& profile, Memory& memory, const std::vector<int>& node_of)
    : engine_(engine), profile_(profile), memory_(memory), node_of_(node_of) {
  int nodes = 0;
  for (const int node : node_of) nodes = std::max(nodes, node + 1);
  cards_.resize(static_cast<std::size_t>(nodes));
  for (Card& card : cards_) card.network = this;
}

void Network::send(const Message& message) {
  ++messages_;
  bytes_ += message.bytes;
  Card& card = card_of(message.from);
  if (&card == &card_of(message.to)) return within(message);
  card.queue.push_back(message, blocks_);
  if (card.busy) return;
  card.busy = true;
  if (card.out.free() > engine_.now())
    engine_.at_often(card.out.free(), card);
  else
    begin_next(card);
}

// What the others still have to send does not matter to this one: it only shows how many share the card.
void Network::begin_next(Card& card) {
  const Message message = card.queue.take_front(blocks_);
  const double now = engine_.now();
  const auto bytes = static_cast<double>(message.bytes);
  double passed = card.out.add(now, passing_seconds(message.bytes, static_cast<double>(card.queue.size()) + 1));
  if (profile_.network_total.value > 0)
    passed = std::max(passed, total_.add(now, bytes / profile_.network_total.value));
  const double latency = profile_.between.latency.value;
  // Of the other card only the time is known that it needs for what is on its way to it: as many messages of this kind.
  Backlog& in = card_of(message.to).in;
  const double ahead = std::max(0.0, in.free() - now - latency) / passing_seconds(message.bytes, 1);
  const double there =
      std::max(passed + latency, in.add(now + latency, passing_seconds(message.bytes, std::floor(ahead) + 1)));
  if (!card.queue.empty())
    engine_.at_often(card.out.free(), card);
  else
    card.busy = false;
  message.receiver->delivered(message, there);
}

// The message that leaves next, then whom it goes to, and by which card.
void Network::fetch(const Card& card, int step) const noexcept {
  if (step == 0) __builtin_prefetch(&card.in);
  if (card.queue.empty() || step == 0) return;
  const Message& next = card.queue.front();
  if (step == 1) __builtin_prefetch(&next);
  if (step == 3) next.receiver->fetch(next);
  if (step != 2) return;
  const auto* const receiver = reinterpret_cast<const char*>(next.receiver);
  __builtin_prefetch(receiver);
  __builtin_prefetch(receiver + 64);
  __builtin_prefetch(&card_of(next.to).in);
}

// A message at a card where so many are.
double Network::passing_seconds(std::int64_t bytes, double waiting) const noexcept {
  return profile_.between.overhead.value + static_cast<double>(bytes) / profile_.between.bandwidth(waiting);
}

void Network::within(const Message& message) {
  const auto bytes = static_cast<double>(message.bytes);
  const double begin = engine_.now() + profile_.within.latency.value + profile_.within.overhead.value;
  const double copied = memory_.copy(node_of_[static_cast<std::size_t>(message.from)], begin, 2 * message.bytes);
  const double all = card_of(message.from).within.add(begin, bytes / profile_.within.bandwidth.largest());
  message.receiver->delivered(message, std::max({copied, all, begin + bytes / profile_.within.bandwidth(1)}));
}

double Network::leave(int node, double time, std::int64_t bytes) noexcept {
  const double seconds = static_cast<double>(bytes) / profile_.between.bandwidth(1);
  return cards_[static_cast<std::size_t>(node)].out.add(time, seconds);
}

double Network::enter(int node, double time, std::int64_t bytes) noexcept {
  const double seconds = static_cast<double>(bytes) / profile_.between.bandwidth(1);
  return cards_[static_cast<std::size_t>(node)].in.add(time, seconds);
}

double Network::busiest_out() const noexcept {
  double most = 0;
  for (const Card& card : cards_) most = std::max(most, card.out.busy_seconds());
  return most;
}

double Network::busiest_in() const noexcept {
  double most = 0;
  for (const Card& card : cards_) most = std::max(most, card.in.busy_seconds());
  return most;
}

}  // namespace weir::simulate
