// SPDX-License-Identifier: Apache-2.0
#include "mpi/call_broadcast.hpp"

#include <cstring>

#include "base/clock.hpp"

namespace weir {

namespace {

constexpr int lead_tag = 31;

}  // namespace

CallBroadcast::CallBroadcast(const Comm& all, int servers)
    : all_(&all), servers_(servers), outbox_(Outbox(all, lead_tag)) {}

CallBroadcast::Call::Call(CallBroadcast& call_broadcast, CallKind kind, std::initializer_list<std::int64_t> words,
                          std::span<const std::byte> bytes)
    : Call(call_broadcast, kind, std::span(words.begin(), words.size()), bytes) {}

CallBroadcast::Call::Call(CallBroadcast& call_broadcast, CallKind kind, std::span<const std::int64_t> words,
                          std::span<const std::byte> bytes)
    : call_broadcast_(call_broadcast) {
  if (call_broadcast_.depth_ == 0 && call_broadcast_.all_ && call_broadcast_.all_->rank() == 0)
    call_broadcast_.send(kind, words, bytes);
  ++call_broadcast_.depth_;  // where telling throws, this call has not begun, and does not end
}

// verb, number of words, number of bytes, words, bytes.
void CallBroadcast::send(CallKind kind, std::span<const std::int64_t> words, std::span<const std::byte> bytes) {
  message_.assign({static_cast<std::int64_t>(kind), static_cast<std::int64_t>(words.size()),
                   static_cast<std::int64_t>(bytes.size())});
  message_.insert(message_.end(), words.begin(), words.end());
  const std::size_t at = message_.size();
  message_.resize(at + (bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(&message_[at], bytes.data(), bytes.size());
  for (int server = all_->size() - servers_; server < all_->size(); ++server) outbox_->send(message_, server);
}

void CallBroadcast::give_up() noexcept try {
  if (!all_ || all_->rank() >= all_->size() - servers_) return;
  const std::int64_t words[] = {static_cast<std::int64_t>(CallKind::give_up), 0, 0};
  for (int server = all_->size() - servers_; server < all_->size(); ++server) outbox_->send(words, server);
} catch (const Error&) {  // a server that hears nothing of it waits until the program ends it
}

BroadcastCall CallBroadcast::receive(const Comm& all, const WaitLimit& limit) {
  std::vector<std::int64_t> message;
  int source = MPI_ANY_SOURCE;
  for (Backoff backoff; !receive_if_there(all, source, lead_tag, message, limit.begin()); backoff.pause())
    limit.watch->look(now_seconds());
  require(static_cast<CallKind>(message[0]) != CallKind::give_up, WEIR_ETIMEOUT, [&] {
    return "the run was given up by rank " + std::to_string(all.number_of(source)) +
           ", which timed out: its own message says why";
  });
  const auto words = message.begin() + 3, bytes = words + message[1];
  BroadcastCall received{static_cast<CallKind>(message[0]), {words, bytes}, {}};
  received.bytes.resize(static_cast<std::size_t>(message[2]));
  if (!received.bytes.empty()) std::memcpy(received.bytes.data(), &*bytes, received.bytes.size());
  return received;
}

}  // namespace weir
