// SPDX-License-Identifier: Apache-2.0
// All ranks' planners, with an exchange of the test's own: it weighs the messages and may deliver them in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plan/planner.hpp"
#include "random_layouts.hpp"

namespace weir::reference {

class Exchange {
 public:
  // `shuffle`: messages arrive in another order than they were sent in.
  explicit Exchange(Random* shuffle = nullptr) : shuffle_(shuffle) {}

  std::vector<Messages> carry(std::vector<Messages> sent) {
    std::vector<Messages> received(sent.size());
    std::vector<std::int64_t> words(sent.size(), 0);
    for (std::size_t from = 0; from < sent.size(); ++from)
      for (Message& message : sent[from]) {
        const auto to = static_cast<std::size_t>(message.peer);
        words[to] += static_cast<std::int64_t>(message.words.size());
        total_words_ += static_cast<std::int64_t>(message.words.size());
        received[to].push_back({static_cast<int>(from), std::move(message.words)});
      }
    for (std::int64_t of_one : words) most_words_ = std::max(most_words_, of_one);
    for (const Messages& list : received) most_messages_ = std::max(most_messages_, list.size());
    if (shuffle_)
      for (Messages& list : received) std::shuffle(list.begin(), list.end(), *shuffle_);
    return received;
  }

  std::int64_t total_words() const noexcept { return total_words_; }
  // Received by one rank in one step.
  std::int64_t most_words() const noexcept { return most_words_; }
  std::size_t most_messages() const noexcept { return most_messages_; }

 private:
  Random* shuffle_;
  std::int64_t total_words_ = 0, most_words_ = 0;
  std::size_t most_messages_ = 0;
};

struct Problem {
  const Machine& machine;
  const Strategy& strategy;
  const PlanRequest& request;
  const std::vector<Layout>& layouts;
  bool shared;
};

// Without what is agreed on afterwards: reserves and summary. Throws a rank's error.
inline std::vector<Plan> plan_by_messages(const Problem& problem, Exchange& exchange) {
  std::vector<Planner> planners;
  planners.reserve(problem.layouts.size());
  for (int rank = 0; rank < problem.machine.ranks(); ++rank)
    planners.emplace_back(Planner::Inputs{problem.machine, problem.strategy, problem.request,
                                          problem.layouts[static_cast<std::size_t>(rank)], rank, problem.shared});
  const auto step = [&](auto call, const std::vector<Messages>& in) {
    std::vector<Messages> out;
    for (std::size_t rank = 0; rank < planners.size(); ++rank) {
      out.push_back(call(planners[rank], in[rank]));
      planners[rank].status().raise();
    }
    return exchange.carry(std::move(out));
  };
  auto list = step([](Planner& p, const Messages&) { return p.claim(); }, std::vector<Messages>(planners.size()));
  list = step([](Planner& p, const Messages& in) { return p.appoint(in); }, list);
  list = step([](Planner& p, const Messages& in) { return p.arrange(in); }, list);
  std::vector<Plan> plans;
  for (std::size_t rank = 0; rank < planners.size(); ++rank) plans.push_back(planners[rank].finish(list[rank]));
  return plans;
}

// Everything a plan says but its reserves, as numbers: equal if and only if the plans are.
class PlanNumbers {
 public:
  explicit PlanNumbers(const Plan& plan) {
    add({plan.element_bytes, static_cast<std::int64_t>(plan.rounds.size())});
    for (const Round& round : plan.rounds) add(round);
  }
  const std::vector<std::int64_t>& numbers() const noexcept { return numbers_; }

 private:
  void add(std::initializer_list<std::int64_t> more) { numbers_.insert(numbers_.end(), more); }
  void add(const std::vector<std::int64_t>& more) { numbers_.insert(numbers_.end(), more.begin(), more.end()); }
  void add(const CopyProgram& program) {
    add({static_cast<std::int64_t>(program.blocks.size()), static_cast<std::int64_t>(program.runs.size())});
    for (const Block& block : program.blocks) {
      add({block.source, block.target, static_cast<std::int64_t>(block.loops.size())});
      for (const Loop& loop : block.loops) add({loop.count, loop.source_stride, loop.target_stride});
    }
    for (const Run& run : program.runs) add({run.source, run.target, run.count});
  }
  void add(const std::vector<Stretch>& stretches) {
    add({static_cast<std::int64_t>(stretches.size())});
    for (const Stretch& stretch : stretches) add({stretch.element, stretch.at, stretch.count});
  }
  void add(const Round& round) {
    add({round.tile.elements, round.packed_elements, round.received_elements,
         static_cast<std::int64_t>(round.outgoing.size()), static_cast<std::int64_t>(round.incoming.size())});
    for (const Outgoing& out : round.outgoing) {
      add({out.owner_or_slot, out.by_message ? 1 : 0, out.count});
      add(out.to_tile);
      add(out.to_packed);
    }
    for (const Incoming& in : round.incoming) {
      add({in.source, in.count});
      add(in.to_tile);
    }
    add(round.tile.stretches);
    add(round.tile.fills);
    add({static_cast<std::int64_t>(round.tile.regions.size())});
    for (const Region& region : round.tile.regions) {
      add(region.lo);
      add(region.hi);
    }
  }

  std::vector<std::int64_t> numbers_;
};

inline std::vector<std::vector<std::int64_t>> numbers_of(const std::vector<Plan>& plans) {
  std::vector<std::vector<std::int64_t>> all;
  for (const Plan& plan : plans) all.push_back(PlanNumbers(plan).numbers());
  return all;
}

inline void reserve_largest(std::vector<Plan>& plans) {
  std::vector<Reserve> largest(plans.empty() ? 0 : plans[0].rounds.size());
  for (const Plan& plan : plans)
    for (std::size_t r = 0; r < largest.size(); ++r) largest[r].cover(plan.rounds[r]);
  for (Plan& plan : plans) plan.reserves = largest;
}

// All ranks' plans, whole. Throws the first error found.
inline std::vector<Plan> plan_all(const Machine& machine, const Strategy& strategy, const PlanRequest& request,
                                  const std::vector<Layout>& layouts, bool shared) {
  Exchange exchange;
  std::vector<Plan> plans = plan_by_messages({machine, strategy, request, layouts, shared}, exchange);
  reserve_largest(plans);
  Summary sum;
  for (std::size_t rank = 0; rank < plans.size(); ++rank)
    sum.add(summarize(plans[rank], static_cast<int>(rank), machine));
  for (Plan& plan : plans) plan.summary = sum;
  return plans;
}

}  // namespace weir::reference
