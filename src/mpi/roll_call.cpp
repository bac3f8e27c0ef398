// SPDX-License-Identifier: Apache-2.0
#include "mpi/roll_call.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace weir {

namespace {

enum Tag : int { ask_tag = 1, query_tag, answer_tag, verdict_tag };

constexpr double between_looks = 0.02;
constexpr double longest_census_seconds = 1.5;  // a rank that waits looks up ten times a second, if it gets a processor
constexpr double least_more_seconds = 0.1;
constexpr std::size_t most_named = 20;
constexpr double milli = 1e-3;

std::string listed(const Comm& comm, std::span<const int> ranks) {
  if (ranks.size() <= most_named) return comm.listed(ranks);
  return comm.listed(ranks.first(most_named)) + ", ...";
}

std::string whole_seconds(double seconds) {
  return std::to_string(static_cast<std::int64_t>(seconds)) + " s";
}

}  // namespace

RollCall::RollCall(const Comm& comm, const Manner& manner, const Deadline& deadline)
    : comm_(Comm::duplicate(comm.raw(), deadline)),
      manner_(manner),
      asks_(comm_, ask_tag),
      queries_(comm_, query_tag),
      answers_(comm_, answer_tag),
      verdicts_(comm_, verdict_tag),
      census_seconds_(std::min(longest_census_seconds, manner.timeout_seconds / 2)) {
  comm_.call_ranks(comm.numbers());
}

RollCall::InStorage::InStorage(RollCall& roll_call) noexcept : roll_call_(roll_call) {
  if (roll_call_.in_storage_.fetch_add(1) == 0) roll_call_.storage_since_ = now_seconds();
}

RollCall::InStorage::~InStorage() {
  roll_call_.storage_until_ = now_seconds();
  roll_call_.in_storage_.fetch_sub(1);
}

double RollCall::storage_seconds() const noexcept {
  const double now = now_seconds(), since_last = now - storage_until_.load();
  if (in_storage_.load() > 0) return std::max(now - storage_since_.load(), milli);
  return since_last < manner_.timeout_seconds ? -std::max(since_last, milli) : 0;
}

void RollCall::look(double now) {
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  serve();
}

double RollCall::extension(double seconds) {
  found_.reset();
  if (comm_.rank() == 0)
    begin_census();
  else
    asks_.send({}, 0);
  const Deadline end(2 * census_seconds_);  // rank 0 may have begun later
  for (Patience patience; !found_ && !end.passed(); patience.pause()) serve();
  if (found_) return here(*found_, seconds);
  verdict_ = "rank " + std::to_string(comm_.number_of(0)) + " did not answer";
  return 0;
}

// What is done here about what rank 0 has found.
double RollCall::here(const Found& found, double seconds) {
  if (found.more_seconds > 0) return std::min(seconds, found.more_seconds);
  if (!found.absent.empty())
    verdict_ = "rank(s) " + listed(comm_, found.absent) + " did not answer";
  else if (found.storage_seconds > 0)
    verdict_ = "the storage has not come to the end of a call in " + whole_seconds(found.storage_seconds) +
               ", which is longer than storage_timeout";
  else
    verdict_ =
        "all ranks of the model wait: each for another, where they do not make the same calls in the same order, else "
        "for a storage or a reserved rank that does not answer";
  return 0;
}

void RollCall::serve() {
  if (comm_.rank() == 0) return serve_as_first();
  int first = 0;
  while (receive_if_there(comm_, first, query_tag, words_, limit())) answer();
  while (receive_if_there(comm_, first, verdict_tag, words_, limit()))
    found_ = Found{static_cast<double>(words_[0]) * milli,
                   {words_.begin() + 2, words_.end()},
                   static_cast<double>(words_[1]) * milli};
}

void RollCall::answer() {
  const std::int64_t words[] = {static_cast<std::int64_t>(storage_seconds() / milli)};
  answers_.send(words, 0);
}

void RollCall::serve_as_first() {
  for (int rank = MPI_ANY_SOURCE; receive_if_there(comm_, rank, ask_tag, words_, limit()); rank = MPI_ANY_SOURCE) {
    askers_.insert(rank);
    begin_census();
  }
  for (int rank = MPI_ANY_SOURCE; receive_if_there(comm_, rank, answer_tag, words_, limit()); rank = MPI_ANY_SOURCE)
    if (census_) hear(rank, static_cast<double>(words_[0]) * milli);
  if (auto found = conclude()) tell(*found);
}

void RollCall::begin_census() {
  if (census_) return;
  census_ = Census{now_seconds() + census_seconds_, {}, {}, 0};
  hear(0, storage_seconds());
  for (int rank = 1; rank < comm_.size(); ++rank) queries_.send({}, rank);
}

void RollCall::hear(int rank, double storage_seconds) {
  if (!census_->heard.insert(rank).second || storage_seconds == 0) return;
  if (storage_seconds < 0) {
    census_->left_seconds = std::max(census_->left_seconds, manner_.timeout_seconds + storage_seconds);
    return;
  }
  census_->in_storage.push_back(rank);
  census_->longest_seconds = std::max(census_->longest_seconds, storage_seconds);
}

std::optional<RollCall::Found> RollCall::conclude() {
  if (!census_) return std::nullopt;
  const bool all = std::ssize(census_->heard) == comm_.size();
  if (!all && now_seconds() < census_->end) return std::nullopt;
  const Census census = *std::exchange(census_, std::nullopt);
  Found found{0, {}, census.longest_seconds};
  for (int rank = 0; rank < comm_.size(); ++rank)
    if (!census.heard.contains(rank)) found.absent.push_back(rank);
  if (all && census.in_storage.empty() && census.left_seconds > 0)
    found.more_seconds = std::max(census.left_seconds, least_more_seconds);
  if (!all || census.in_storage.empty()) return found;
  const double limit = manner_.storage_seconds, left = limit - census.longest_seconds;
  if (limit > 0 && left <= 0) return found;
  found.more_seconds = limit > 0 ? std::max(left, least_more_seconds) : Deadline::usual_seconds;
  note(census);
  return found;
}

void RollCall::tell(const Found& found) {
  std::vector<std::int64_t> words{static_cast<std::int64_t>(found.more_seconds / milli),
                                  static_cast<std::int64_t>(found.storage_seconds / milli)};
  words.insert(words.end(), found.absent.begin(), found.absent.end());
  for (const int rank : askers_) verdicts_.send(words, rank);
  askers_.clear();
  found_ = found;
}

void RollCall::note(const Census& census) {
  if (!notes_.empty()) return;
  notes_.push_back("the storage is slow: rank(s) " + listed(comm_, census.in_storage) +
                   " have been in one call to it for " + whole_seconds(census.longest_seconds) +
                   "; all ranks are there, and wait for it");
  if (manner_.speaks) std::fprintf(stderr, "weir: %s\n", notes_.back().c_str());
}

}  // namespace weir
