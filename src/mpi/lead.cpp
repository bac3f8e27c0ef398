// SPDX-License-Identifier: Apache-2.0
#include "mpi/lead.hpp"

#include <cstring>

#include "base/clock.hpp"

namespace weir {

namespace {

constexpr int lead_tag = 31;

}  // namespace

Lead::Lead(const Comm& all, int servers) : all_(&all), servers_(servers), outbox_(Outbox(all, lead_tag)) {}

Lead::Call::Call(Lead& lead, Verb verb, std::initializer_list<std::int64_t> words, std::span<const std::byte> bytes)
    : Call(lead, verb, std::span(words.begin(), words.size()), bytes) {}

Lead::Call::Call(Lead& lead, Verb verb, std::span<const std::int64_t> words, std::span<const std::byte> bytes)
    : lead_(lead) {
  if (lead_.depth_ == 0 && lead_.all_ && lead_.all_->rank() == 0) lead_.tell(verb, words, bytes);
  ++lead_.depth_;  // where telling throws, this call has not begun, and does not end
}

// verb, number of words, number of bytes, words, bytes.
void Lead::tell(Verb verb, std::span<const std::int64_t> words, std::span<const std::byte> bytes) {
  message_.assign({static_cast<std::int64_t>(verb), static_cast<std::int64_t>(words.size()),
                   static_cast<std::int64_t>(bytes.size())});
  message_.insert(message_.end(), words.begin(), words.end());
  const std::size_t at = message_.size();
  message_.resize(at + (bytes.size() + 7) / 8);
  if (!bytes.empty()) std::memcpy(&message_[at], bytes.data(), bytes.size());
  for (int server = all_->size() - servers_; server < all_->size(); ++server) outbox_->send(message_, server);
}

void Lead::give_up() noexcept try {
  if (!all_ || all_->rank() >= all_->size() - servers_) return;
  const std::int64_t words[] = {static_cast<std::int64_t>(Verb::give_up), 0, 0};
  for (int server = all_->size() - servers_; server < all_->size(); ++server) outbox_->send(words, server);
} catch (const Error&) {  // a server that hears nothing of it waits until the program ends it
}

Told Lead::hear(const Comm& all, const WaitLimit& limit) {
  std::vector<std::int64_t> message;
  int source = MPI_ANY_SOURCE;
  for (Patience patience; !receive_if_there(all, source, lead_tag, message, limit.begin()); patience.pause())
    limit.watch->look(now_seconds());
  require(static_cast<Verb>(message[0]) != Verb::give_up, WEIR_ETIMEOUT, [&] {
    return "the run was given up by rank " + std::to_string(all.number_of(source)) +
           ", which has waited too long: it says why";
  });
  const auto words = message.begin() + 3, bytes = words + message[1];
  Told told{static_cast<Verb>(message[0]), {words, bytes}, {}};
  told.bytes.resize(static_cast<std::size_t>(message[2]));
  if (!told.bytes.empty()) std::memcpy(told.bytes.data(), &*bytes, told.bytes.size());
  return told;
}

}  // namespace weir
