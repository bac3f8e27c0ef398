// SPDX-License-Identifier: Apache-2.0
#include "simulate/network.hpp"

#include <cmath>

namespace weir::simulate {

void MessageQueue::grow() {
  constexpr std::size_t fewest = 16;
  std::vector<Message> larger(std::max(fewest, 2 * ring_.size()));
  for (std::size_t i = 0; i < count_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
  ring_ = std::move(larger);
  first_ = 0;
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
  card.queue.push_back(message);
  if (card.busy) return;
  card.busy = true;
  if (card.out.free() > engine_.now())
    engine_.at_often(card.out.free(), card);
  else
    begin_next(card);
}

// What the others still have to send does not matter to this one: it only shows how many share the card.
void Network::begin_next(Card& card) {
  const Message message = card.queue.take_front();
  fetch_next(card);
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

// Whom the message after this one goes to, and by which card.
void Network::fetch_next(const Card& card) noexcept {
  const Message* const next = card.queue.fetch_next();
  if (!next) return;
  const auto* const receiver = reinterpret_cast<const char*>(next->receiver);
  __builtin_prefetch(receiver);
  __builtin_prefetch(receiver + 64);
  __builtin_prefetch(&card_of(next->to).in);
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
