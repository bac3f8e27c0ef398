// SPDX-License-Identifier: Apache-2.0
// Messages between simulated ranks.
#include <algorithm>
#include <span>
#include <utility>

#include "simulate/rank_world.hpp"

namespace weir::simulate {

void Inbox::happen() {
  come = true;
  world->tell_rank();
}

void Inbox::fetch(int step) const noexcept {
  world->job().engine.fetch(world->rank(), step);
}

void Inbox::fetch(const Message& message) const noexcept {
  sends->fetch(message.from, static_cast<int>(cycle));
}

void Inbox::delivered(const Message& message, double time) {
  world->come(*this, message, time);
}

std::int64_t RankWorld::pieces_to_come(const PendingWrite& pending, const HeldTile& tile, bool fixed,
                                       bool sent_via_relay) const {
  const Traffic& all = traffic(pending.cycle);
  const Traffic::Owner* owner = all.owner(tile.owner_or_slot);
  if (!owner) return 0;
  return fixed ? owner->sources : pieces_by_message(owner->sources, near_ranks(all, *owner), sent_via_relay);
}

// Whose memory this one shares, itself too, of those that hold a part of the slot.
std::int64_t RankWorld::near_ranks(const Traffic& all, const Traffic::Owner& slot) const {
  if (job_.in.placement.shared_memory) {
    const auto at =
        static_cast<std::size_t>(&slot - all.owners.data()) * static_cast<std::size_t>(job_.in.machine().hosts());
    return all.near[at + static_cast<std::size_t>(job_.host(rank_))];
  }
  const auto own = all.pieces_of(rank_);
  return std::count_if(own.begin(), own.end(), [&](const Traffic::Piece& piece) { return piece.owner == slot.owner; });
}

// The pieces of one rank, as messages from this one, one a holder. stays(piece, rank): it goes to that rank otherwise.
template <class HolderOf, class Stays>
std::span<const Message> RankWorld::messages_of(int source, std::uint32_t cycle, HolderOf holder_of, Stays stays) {
  std::vector<Message>& messages = ranks_.messages;
  messages.clear();
  for (const Traffic::Piece& piece : traffic(cycle).pieces_of(source)) {
    const int to = holder_of(piece.owner).rank;
    if (stays(piece, to)) continue;
    std::size_t& at = ranks_.message_to[static_cast<std::size_t>(to)];
    if (at >= messages.size() || messages[at].to != to) {
      at = messages.size();
      messages.push_back({rank_, to, piece.bytes, (std::int64_t{cycle} << 32) | 1, nullptr});
    } else {
      messages[at].bytes += piece.bytes;
      ++messages[at].what;
    }
  }
  if (!messages.empty()) ranks_.sends.of(rank_, static_cast<int>(cycle)).expect(std::ssize(messages));
  return messages;
}

void RankWorld::send(const Cycle& cycle, const PendingWrite&) {
  if (cycle.sent_via_relay(rank_)) return send_to_relay(cycle);
  struct Reached {
    const Job& job;
    int rank;
    bool of(int other) const noexcept { return job.reaches(rank, other); }
  };
  const auto holder_of = [&](int owner) { return cycle.holder(owner); };
  const auto stays = [&](const Traffic::Piece& piece, int to) {
    return to == rank_ || !is_packed(cycle, piece.owner, Reached{job_, rank_});
  };
  for (const Message& message : messages_of(rank_, cycle.number, holder_of, stays))
    ranks_.world(message.to).post(message);
}

void RankWorld::send_to_relay(const Cycle& cycle) {
  std::int64_t bytes = 0;
  for (const Traffic::Piece& piece : traffic(cycle.number).pieces_of(rank_)) bytes += piece.bytes;
  ranks_.sends.of(rank_, static_cast<int>(cycle.number)).expect(1);
  ++ranks_.relayed;
  ranks_.world(cycle.relay).post_to_pass_on({rank_, cycle.relay, bytes, cycle.number, nullptr});
}

void RankWorld::post(Message message) {
  Inbox& box = inbox(static_cast<std::uint32_t>(message.what >> 32));
  message.receiver = &box;
  if (message.bytes <= job_.in.profile.eager || (box.open && takes_)) return job_.network.send(message);
  box.waiting.push_back(message);
  if (box.open) tell_rank();
}

void RankWorld::come(Inbox& box, const Message& message, double time) {
  arrived(message.from, box.cycle, time);
  box.bytes += message.bytes;
  if (box.arrivals.come(time, message.what & 0xffffffff) && box.open) when_all_is_there(box);
}

void RankWorld::arrived(int sender, std::uint32_t cycle, double time) {
  if (ranks_.sends.of(sender, static_cast<int>(cycle)).come(time)) ranks_.world(sender).tell_sent();
}

void RankWorld::when_all_is_there(Inbox& box) {
  job_.engine.at(std::max(box.arrivals.last(), now()), box);
}

Inbox& RankWorld::inbox(std::uint32_t cycle) {
  for (const OpenInbox& open : inboxes_)
    if (open.cycle == cycle) return *open.box;
  if (ranks_.spare_inboxes.empty()) ranks_.spare_inboxes.push_back(&ranks_.inboxes.emplace_back());
  inboxes_.push_back({cycle, ranks_.spare_inboxes.back()});
  ranks_.spare_inboxes.pop_back();
  Inbox& box = *inboxes_.back().box;
  box.world = this;
  box.sends = &ranks_.sends;
  box.cycle = cycle;
  box.arrivals = {};
  box.bytes = 0;
  box.open = box.come = box.taken = false;
  return box;
}

void RankWorld::post_to_pass_on(Message message) {
  Passing& passing = *passing_.emplace_back(std::make_unique<Passing>());
  message.receiver = &passing;
  passing.world = this;
  passing.message = message;
  if (message.bytes <= job_.in.profile.eager) return passing.begin();
  tell_rank();
}

void Passing::begin() {
  if (!std::exchange(begun, true)) world->job().network.send(message);
}

void Passing::delivered(const Message&, double time) {
  world->arrived(message.from, cycle(), time);
  world->job().engine.at(time, *this);
}

void Passing::happen() {
  come = true;
  world->tell_rank();
}

Status RankWorld::receive(PendingWrite& pending, bool relay) {
  if (relay && pending.relayed > 0) pass_on(pending);
  if (pending.missing == pending.relayed) return {};
  Inbox& box = inbox(pending.cycle);
  if (!box.open) {
    box.open = true;
    box.pieces = pending.missing - pending.relayed;
    box.arrivals.expect(box.pieces);
    if (box.arrivals.missing() == 0) when_all_is_there(box);
  }
  for (const Message& message : box.waiting) job_.network.send(message);
  box.waiting.clear();
  if (box.come && !box.taken) place(pending, box);
  return {};
}

// Asks for what is to be passed on, and passes on what is here. What of it is this rank's own is placed with the rest.
void RankWorld::pass_on(PendingWrite& pending) {
  for (auto each = passing_.begin(); each != passing_.end();) {
    Passing& passing = **each;
    if (passing.cycle() != pending.cycle) {
      ++each;
      continue;
    }
    passing.begin();
    if (!passing.come) {
      ++each;
      continue;
    }
    pass_on(pending, passing.message.from);
    each = passing_.erase(each);
  }
}

void RankWorld::pass_on(PendingWrite& pending, int source) {
  Inbox* own = nullptr;
  std::int64_t pieces = 0;
  const auto stays = [&](const Traffic::Piece& piece, int to) {
    if (to != rank_) return false;
    if (!own) own = &inbox(pending.cycle);
    own->bytes += piece.bytes;
    ++pieces;
    return true;
  };
  const auto messages = messages_of(
      source, pending.cycle, [&](int owner) { return pending.holder(owner, rank_); }, stays);
  for (const Message& message : messages) ranks_.world(message.to).post(message);
  if (own && own->arrivals.come(now(), pieces) && own->open) when_all_is_there(*own);
  --pending.relayed;
  --pending.missing;
}

void RankWorld::place(PendingWrite& pending, Inbox& box) {
  box.taken = true;
  job_.copy(rank_, box.bytes, Step::rearrange, pending.cycle);
  pending.missing -= box.pieces;
  const auto at = std::find_if(inboxes_.begin(), inboxes_.end(), [&](const auto& each) { return each.box == &box; });
  ranks_.spare_inboxes.push_back(&box);
  inboxes_.erase(at);
}

// Of cycles up to this one, and of no later one: the rank that holds those may have left this call.
bool RankWorld::sent(std::uint32_t cycle) {
  for (; ranks_.sends.waited(rank_) < static_cast<int>(cycle); ranks_.sends.say_waited(rank_)) {
    const int next = ranks_.sends.waited(rank_) + 1;
    if (!ranks_.sends.any(next)) continue;
    const Arrivals& arrivals = ranks_.sends.of(rank_, next);
    if (arrivals.missing() > 0) return false;
    taken_at_ = arrivals.last();
    if (taken_at_ > now()) return false;
  }
  return true;
}

}  // namespace weir::simulate
