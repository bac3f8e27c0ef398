// SPDX-License-Identifier: Apache-2.0
#include "mpi/call_broadcast.hpp"

#include "base/clock.hpp"
#include "base/text.hpp"

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

void CallBroadcast::send(CallKind kind, std::span<const std::int64_t> words, std::span<const std::byte> bytes) {
  message_.clear();
  ArchiveWriter archive(message_);
  archive(kind, words, bytes);
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
  ArchiveReader archive(message);
  auto received = archive.get<BroadcastCall>();
  if (received.kind == CallKind::give_up)
    throw Error(WEIR_ETIMEOUT, "the run was given up by rank {}, which timed out: its own message says why",
                all.number_of(source));
  return received;
}

}  // namespace weir
