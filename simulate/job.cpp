// SPDX-License-Identifier: Apache-2.0
#include "simulate/job.hpp"

#include <algorithm>
#include <cmath>

namespace weir::simulate {

namespace {

double levels(int participants) {
  return participants > 1 ? std::ceil(std::log2(participants)) : 0;
}

// Up and down a tree over nodes, and over the ranks of a node, whose steps take longer where ranks share cores.
double meeting_seconds(const Profile& profile, const std::vector<int>& node_of) {
  const auto most = static_cast<int>(std::count(node_of.begin(), node_of.end(), 0));
  const double shared = std::ceil(static_cast<double>(most) / profile.cores);
  return 2 * levels(node_of.back() + 1) * profile.between.latency.value +
         2 * levels(most) * shared * profile.within.latency.value;
}

}  // namespace

Job::Job(const JobInputs& inputs)
    : in(inputs),
      memory(inputs.profile, inputs.placement.nodes()),
      network(engine, inputs.profile, memory, inputs.placement.node_of),
      storage(engine, inputs.profile, network, memory),
      states(static_cast<std::size_t>(inputs.machine().ranks())),
      meeting_seconds_(simulate::meeting_seconds(inputs.profile, inputs.placement.node_of)),
      meetings_of_(states.size()) {
  for (const auto& ranks : inputs.machine().ranks_of)
    host_statuses.emplace_back(engine, static_cast<int>(ranks.size()), static_cast<int>(inputs.script.cycles.size()));
  if (inputs.packing) packed.emplace(*this, *inputs.packing);
  storage.set(inputs.striping);
}

bool Job::one_at_a_time() const noexcept {
  return weir::one_at_a_time(in.target.sink, !in.profile.storage.shared) && !packed;
}

void Job::spent(int number, Step step, double begin, std::int64_t cycle, bool writer) {
  if (now() <= begin) return;
  if (!writer) rank(number).times.of(step) += now() - begin;
  if (number < in.traced_ranks) timeline.push_back({begin, now(), number, node(number), step, writer, cycle});
}

void Job::copy(int rank, std::int64_t bytes, Step step, std::int64_t number) {
  if (bytes == 0) return;
  const double begin = now();
  engine.until(memory.copy(node(rank), begin, bytes));
  spent(rank, step, begin, number);
}

// Of a strategy that leaves part files, each owner has one.
void Job::write_tile(int rank, int cycle, const Entry& entry, int owner) {
  const TileCost* tile = entry.costs().tile_of(owner);
  if (!tile || tile->stretches == 0) return;
  if (packed) {
    packed->write(rank, cycle, entry, *tile);
    return;
  }
  const std::int64_t file = in.target.parts ? std::int64_t{owner} + 1 : 0;
  const std::int64_t size = entry.plan->element_bytes;
  const Writing writing{node(rank),
                        file,
                        (file << 32) + cycle,
                        entry.begin + tile->first * size,
                        (tile->last - tile->first) * size,
                        tile->elements * size,
                        tile->stretches};
  this->rank(rank).times.bytes_written += writing.bytes;
  if (in.target.stored()) storage.write(writing);
}

void Job::take_core(int number, std::int64_t bytes) {
  const double rate = in.profile.storage.processor.value;
  if (rate <= 0) return;
  const auto [first, last] = std::equal_range(in.placement.node_of.begin(), in.placement.node_of.end(), node(number));
  const auto cores = in.profile.cores, sharing = static_cast<int>(last - first);
  if (sharing < cores) return;
  const double seconds = static_cast<double>(bytes) / rate;
  const auto take = [](RankState& state, double part) {
    if (state.computes) state.taken += part;
  };
  if (sharing == cores) return take(rank(number), seconds);
  const auto lowest = static_cast<int>(first - in.placement.node_of.begin());
  for (int other = lowest; other < lowest + sharing; ++other) take(rank(other), seconds / cores);
}

void Job::barrier(int rank) {
  const std::size_t number = meetings_of_[static_cast<std::size_t>(rank)]++;
  while (meetings_.size() <= number) meetings_.push_back({0, 0, Signal(engine)});
  Meeting& meeting = meetings_[number];
  const double begin = now();
  RankState& state = this->rank(rank);
  const double computed = rank < in.work.ranks ? state.load_imbalance.computed(state.meets_at(begin)) : 0.0;
  meeting.computed = std::max(meeting.computed, computed);
  if (++meeting.came == ranks()) {
    engine.pause(meeting_seconds_);
    meeting.all_came.tell();
  } else {
    meeting.all_came.wait();
  }
  spent(rank, Step::wait, begin);
  state.load_imbalance.met(computed, meeting.computed, state.meets_at(now()));
}

}  // namespace weir::simulate
