// SPDX-License-Identifier: Apache-2.0
// The scheduler under simulated jobs: random machines, slots, caps, speeds and late ranks, every policy, one hop and
// two, up to 10,000 ranks. Every unit is assigned, every offer is answered, nobody hangs, the cap and the spread are
// kept (watched.hpp says how each is seen), and the same events give the same decisions.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "job.hpp"

namespace weir {

static bool operator==(const Decision& a, const Decision& b) {
  return a.kind == b.kind && a.unit == b.unit && a.rank == b.rank && a.to == b.to;
}

namespace {

using watched::Job;
using watched::JobSetting;

Machine nodes_of(const std::vector<int>& sizes) {
  std::vector<int> leaders;
  for (const int size : sizes) leaders.insert(leaders.end(), static_cast<std::size_t>(size), int(leaders.size()));
  return Machine::from_leaders(leaders);
}

std::vector<int> several(int count, int from, int to) {
  return *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count), rc::gen::inRange(from, to));
}

ScheduleParameters any_parameters() {
  ScheduleParameters parameters;
  parameters.choose = *rc::gen::element(ChooseKind::arrival, ChooseKind::recent, ChooseKind::warm);
  parameters.hops = *rc::gen::element(HopKind::one, HopKind::two);
  parameters.tiles_per_rank = *rc::gen::inRange(1, 4);
  parameters.writers_per_node = *rc::gen::inRange(1, 4);
  parameters.flush_after = *rc::gen::element(1, 1, 2, 3, 10, 1000);
  parameters.waits_for_holders = parameters.hops == HopKind::one && *rc::gen::arbitrary<bool>();
  return parameters;
}

// Most ranks act in every round, some are late by far.
std::vector<int> any_speeds(int ranks) {
  std::vector<int> period = several(ranks, 1, 4);
  if (*rc::gen::arbitrary<bool>()) period[static_cast<std::size_t>(*rc::gen::inRange(0, ranks))] = 30;
  return period;
}

void log(const JobSetting& setting) {
  const ScheduleParameters& p = setting.parameters;
  RC_LOG() << "choose " << name(p.choose) << ", hops " << name(p.hops) << ", tiles_per_rank " << p.tiles_per_rank
           << ", writers_per_node " << p.writers_per_node << ", flush_after " << p.flush_after << ", seed "
           << setting.seed << ", ask_anyway " << setting.ask_anyway << ", write_early " << setting.write_early
           << ", ask_release " << setting.ask_release << ", nodes " << setting.machine.hosts() << ", slots";
  for (const int slots : setting.slots) RC_LOG() << ' ' << slots;
}

JobSetting any_job() {
  JobSetting setting;
  setting.machine = nodes_of(several(*rc::gen::inRange(1, 7), 1, 6));
  setting.parameters = any_parameters();
  const int ranks = setting.machine.ranks();
  const int places = ranks * setting.parameters.tiles_per_rank;
  const int most = *rc::gen::element(1, std::min(4, places), ranks, places);
  setting.slots = several(*rc::gen::inRange(1, 25), *rc::gen::element(0, most), most + 1);
  if (*rc::gen::arbitrary<bool>())
    for (std::size_t unit = 0; unit < setting.slots.size(); ++unit) setting.series.push_back(*rc::gen::inRange(0, 4));
  setting.period = any_speeds(ranks);
  setting.seed = *rc::gen::arbitrary<unsigned>();
  setting.ask_anyway = *rc::gen::element(0, 50, 100);
  setting.write_early = *rc::gen::element(0, 20, 100);
  setting.ask_release = *rc::gen::element(0, 0, 10);
  log(setting);
  return setting;
}

RC_GTEST_PROP(Job, ComesToItsEndAndKeepsTheRules, ()) {
  const JobSetting setting = any_job();
  Job job(setting);
  job.run();
  RC_TAG(setting.parameters.choose == ChooseKind::arrival ? "arrival" : "at once",
         job.asked_for_memory() > 0 ? "asked for memory" : "never asked");
}

RC_GTEST_PROP(Job, GivesTheSameDecisionsAgain, ()) {
  const JobSetting setting = any_job();
  Job job(setting);
  job.run();
  Scheduler again(setting.machine, setting.parameters);
  std::vector<Decision> decisions;
  for (const watched::Event& event : job.watched().events()) {
    watched::tell(again, event);
    decisions.insert(decisions.end(), again.decisions().begin(), again.decisions().end());
  }
  RC_ASSERT(decisions == job.watched().decisions());
}

// With memory enough and nobody's rule in the way the first to come have the slots.
RC_GTEST_PROP(Job, SlotsTheFirstToCome, ()) {
  JobSetting setting = any_job();
  setting.parameters = {};
  setting.parameters.writers_per_node = 100;
  setting.parameters.tiles_per_rank = 1000;
  setting.ask_anyway = 100;
  for (int& slots : setting.slots) slots = std::clamp(slots, 1, setting.machine.ranks());
  Job job(setting);
  job.run();
  Scheduler again(setting.machine, setting.parameters);
  std::vector<std::vector<int>> came(setting.slots.size());
  for (const watched::Event& event : job.watched().events()) {
    watched::tell(again, event);
    if (event.kind != watched::Event::Kind::offer) continue;
    auto& ranks = came[static_cast<std::size_t>(event.unit)];
    ranks.push_back(event.rank);
    if (static_cast<int>(ranks.size()) != event.number) continue;
    RC_ASSERT(again.slots(event.unit) != nullptr);
    std::vector<int> assigned;
    for (const Slot& slot : *again.slots(event.unit)) assigned.push_back(slot.rank);
    std::sort(assigned.begin(), assigned.end());
    std::vector<int> wanted = ranks;
    std::sort(wanted.begin(), wanted.end());
    RC_ASSERT(assigned == wanted);
  }
}

struct Large {
  ChooseKind choose;
  HopKind hops;
  int nodes, ranks_per_node, slots, flush_after, tiles_per_rank;
};

class LargeJob : public testing::TestWithParam<Large> {};

TEST_P(LargeJob, ComesToItsEndAndKeepsTheRules) {
  const Large& large = GetParam();
  JobSetting setting;
  setting.machine = nodes_of(std::vector<int>(static_cast<std::size_t>(large.nodes), large.ranks_per_node));
  setting.parameters.choose = large.choose;
  setting.parameters.hops = large.hops;
  setting.parameters.flush_after = large.flush_after;
  setting.parameters.tiles_per_rank = large.tiles_per_rank;
  setting.slots.assign(12, large.slots);
  setting.period.resize(static_cast<std::size_t>(setting.machine.ranks()));
  for (std::size_t rank = 0; rank < setting.period.size(); ++rank)
    setting.period[rank] = rank % 1000 == 7 ? 20 : 1 + static_cast<int>(rank / 64 % 3);
  Job job(setting);
  ASSERT_NO_THROW(job.run());
  EXPECT_TRUE(job.watched().judged() > 0 || large.hops == HopKind::two);
}

std::vector<Large> large_jobs() {
  std::vector<Large> jobs;
  for (const ChooseKind choose : {ChooseKind::arrival, ChooseKind::recent, ChooseKind::warm})
    for (const HopKind hops : {HopKind::one, HopKind::two}) {
      jobs.push_back({choose, hops, 100, 100, 100, 1, 2});
      jobs.push_back({choose, hops, 157, 64, 4, 4, 1});
      jobs.push_back({choose, hops, 16, 128, 1024, 2, 1});
    }
  return jobs;
}

INSTANTIATE_TEST_SUITE_P(UpTo10000Ranks, LargeJob, testing::ValuesIn(large_jobs()));

}  // namespace
}  // namespace weir
