// SPDX-License-Identifier: Apache-2.0
#include "plan/planner.hpp"

namespace weir {

namespace {

// Every rank's messages of one step, as every rank's messages for the next.
std::vector<Messages> deliver(std::vector<Messages> sent) {
  std::vector<Messages> received(sent.size());
  for (std::size_t from = 0; from < sent.size(); ++from)
    for (Message& message : sent[from]) {
      const auto to = static_cast<std::size_t>(message.peer);
      received[to].push_back({static_cast<int>(from), std::move(message.words)});
    }
  return received;
}

void reserve_largest(std::vector<Plan>& plans) {
  std::vector<Reserve> largest(plans.empty() ? 0 : plans[0].rounds.size());
  for (const Plan& plan : plans)
    for (std::size_t r = 0; r < largest.size(); ++r) largest[r].cover(plan.rounds[r]);
  for (Plan& plan : plans) plan.reserves = largest;
}

}  // namespace

std::vector<Plan> plan_all(const Machine& machine, const Strategy& strategy, const PlanRequest& request,
                           const std::vector<Layout>& layouts, bool shared_memory) {
  std::vector<Planner> planners;
  planners.reserve(layouts.size());
  for (int rank = 0; rank < machine.ranks(); ++rank)
    planners.emplace_back(
        Planner::Inputs{machine, strategy, request, layouts[static_cast<std::size_t>(rank)], rank, shared_memory});
  auto step = [&](auto call, const std::vector<Messages>& in) {
    std::vector<Messages> out;
    for (std::size_t rank = 0; rank < planners.size(); ++rank) {
      out.push_back(call(planners[rank], in[rank]));
      planners[rank].status().raise();
    }
    return deliver(std::move(out));
  };
  std::vector<Messages> list(planners.size());
  list = step([](Planner& p, const Messages&) { return p.claim(); }, list);
  list = step([](Planner& p, const Messages& in) { return p.appoint(in); }, list);
  list = step([](Planner& p, const Messages& in) { return p.arrange(in); }, list);
  std::vector<Plan> plans;
  for (std::size_t rank = 0; rank < planners.size(); ++rank) plans.push_back(planners[rank].finish(list[rank]));
  reserve_largest(plans);
  Summary sum;
  for (std::size_t rank = 0; rank < plans.size(); ++rank)
    sum.add(summarize(plans[rank], static_cast<int>(rank), machine));
  for (Plan& plan : plans) plan.summary = sum;
  return plans;
}

}  // namespace weir
