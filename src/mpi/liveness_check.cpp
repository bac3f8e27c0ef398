// SPDX-License-Identifier: Apache-2.0
#include "mpi/liveness_check.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/text.hpp"

namespace weir {

namespace {

enum Tag : int { ask_tag = 1, query_tag, answer_tag, diagnosis_tag };

constexpr double between_looks = 0.02;
constexpr double longest_poll_seconds = 1.5;  // a rank that waits looks up ten times a second, if it gets a processor
constexpr double least_more_seconds = 0.1;
constexpr std::size_t most_named = 20;
constexpr double milli = 1e-3;

std::string listed(const Comm& comm, std::span<const int> ranks) {
  if (ranks.size() <= most_named) return comm.listed(ranks);
  return comm.listed(ranks.first(most_named)) + ", ...";
}

std::string whole_seconds(double seconds) {
  return formatted("{} s", static_cast<std::int64_t>(seconds));
}

}  // namespace

LivenessCheck::LivenessCheck(const Comm& comm, const Options& options, const Deadline& deadline)
    : comm_(Comm::duplicate(comm.raw(), deadline)),
      options_(options),
      asks_(comm_, ask_tag),
      queries_(comm_, query_tag),
      answers_(comm_, answer_tag),
      conclusions_(comm_, diagnosis_tag),
      poll_seconds_(std::min(longest_poll_seconds, options.timeout_seconds / 2)) {
  comm_.call_ranks(comm.numbers());
}

LivenessCheck::InStorage::InStorage(LivenessCheck& liveness_check) noexcept : liveness_check_(liveness_check) {
  if (liveness_check_.in_storage_.fetch_add(1) == 0) liveness_check_.storage_since_ = now_seconds();
}

LivenessCheck::InStorage::~InStorage() {
  liveness_check_.storage_until_ = now_seconds();
  liveness_check_.in_storage_.fetch_sub(1);
}

double LivenessCheck::storage_seconds() const noexcept {
  const double now = now_seconds(), since_last = now - storage_until_.load();
  if (in_storage_.load() > 0) return std::max(now - storage_since_.load(), milli);
  return since_last < options_.timeout_seconds ? -std::max(since_last, milli) : 0;
}

void LivenessCheck::look(double now) {
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  serve();
}

double LivenessCheck::extension(double seconds) {
  found_.reset();
  if (comm_.rank() == 0)
    begin_poll();
  else
    asks_.send({}, 0);
  const Deadline end(2 * poll_seconds_);  // rank 0 may have begun later
  for (Backoff backoff; !found_ && !end.passed(); backoff.pause()) serve();
  if (found_) return here(*found_, seconds);
  diagnosis_ = formatted("rank {} did not answer", comm_.number_of(0));
  return 0;
}

// What is done here about what rank 0 has found.
double LivenessCheck::here(const Found& found, double seconds) {
  if (found.more_seconds > 0) return std::min(seconds, found.more_seconds);
  if (!found.absent.empty())
    diagnosis_ = formatted("rank(s) {} did not answer", listed(comm_, found.absent));
  else if (found.storage_seconds > 0)
    diagnosis_ = formatted("a storage call has not returned within {}, which is longer than storage_timeout",
                           whole_seconds(found.storage_seconds));
  else
    diagnosis_ =
        "all ranks of the model are waiting: either they do not make the same calls in the same order, or a storage or "
        "a reserved rank does not answer";
  return 0;
}

void LivenessCheck::serve() {
  if (comm_.rank() == 0) return serve_as_first();
  int first = 0;
  while (receive_if_there(comm_, first, query_tag, words_, limit())) answer();
  while (receive_if_there(comm_, first, diagnosis_tag, words_, limit()))
    found_ = Found{static_cast<double>(words_[0]) * milli,
                   {words_.begin() + 2, words_.end()},
                   static_cast<double>(words_[1]) * milli};
}

void LivenessCheck::answer() {
  const std::int64_t words[] = {static_cast<std::int64_t>(storage_seconds() / milli)};
  answers_.send(words, 0);
}

void LivenessCheck::serve_as_first() {
  for (int rank = MPI_ANY_SOURCE; receive_if_there(comm_, rank, ask_tag, words_, limit()); rank = MPI_ANY_SOURCE) {
    askers_.insert(rank);
    begin_poll();
  }
  for (int rank = MPI_ANY_SOURCE; receive_if_there(comm_, rank, answer_tag, words_, limit()); rank = MPI_ANY_SOURCE)
    if (poll_) hear(rank, static_cast<double>(words_[0]) * milli);
  if (auto found = conclude()) send_conclusion(*found);
}

void LivenessCheck::begin_poll() {
  if (poll_) return;
  poll_ = Poll{now_seconds() + poll_seconds_, {}, {}, 0};
  hear(0, storage_seconds());
  for (int rank = 1; rank < comm_.size(); ++rank) queries_.send({}, rank);
}

void LivenessCheck::hear(int rank, double storage_seconds) {
  if (!poll_->heard.insert(rank).second || storage_seconds == 0) return;
  if (storage_seconds < 0) {
    poll_->left_seconds = std::max(poll_->left_seconds, options_.timeout_seconds + storage_seconds);
    return;
  }
  poll_->in_storage.push_back(rank);
  poll_->longest_seconds = std::max(poll_->longest_seconds, storage_seconds);
}

std::optional<LivenessCheck::Found> LivenessCheck::conclude() {
  if (!poll_) return std::nullopt;
  const bool all = std::ssize(poll_->heard) == comm_.size();
  if (!all && now_seconds() < poll_->end) return std::nullopt;
  const Poll poll = *std::exchange(poll_, std::nullopt);
  Found found{0, {}, poll.longest_seconds};
  for (int rank = 0; rank < comm_.size(); ++rank)
    if (!poll.heard.contains(rank)) found.absent.push_back(rank);
  if (all && poll.in_storage.empty() && poll.left_seconds > 0)
    found.more_seconds = std::max(poll.left_seconds, least_more_seconds);
  if (!all || poll.in_storage.empty()) return found;
  const double limit = options_.storage_seconds, left = limit - poll.longest_seconds;
  if (limit > 0 && left <= 0) return found;
  found.more_seconds = limit > 0 ? std::max(left, least_more_seconds) : Deadline::usual_seconds;
  note(poll);
  return found;
}

void LivenessCheck::send_conclusion(const Found& found) {
  std::vector<std::int64_t> words{static_cast<std::int64_t>(found.more_seconds / milli),
                                  static_cast<std::int64_t>(found.storage_seconds / milli)};
  words.insert(words.end(), found.absent.begin(), found.absent.end());
  for (const int rank : askers_) conclusions_.send(words, rank);
  askers_.clear();
  found_ = found;
}

void LivenessCheck::note(const Poll& poll) {
  if (!notes_.empty()) return;
  notes_.push_back(
      formatted("the storage is slow: rank(s) {} have been in one storage call for {}; all ranks answer, and the job "
                "waits for the storage",
                listed(comm_, poll.in_storage), whole_seconds(poll.longest_seconds)));
  if (options_.speaks) std::fprintf(stderr, "weir: %s\n", notes_.back().c_str());
}

}  // namespace weir
