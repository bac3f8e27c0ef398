// SPDX-License-Identifier: Apache-2.0
#include "simulate/collective_write.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace weir::simulate {

Task CollectiveWrite::write(int rank, int cycle) {
  while (std::ssize(calls_) < cycle) calls_.push_back(std::make_unique<Call>(job_.engine));
  Call& call = *calls_[static_cast<std::size_t>(cycle) - 1];
  if (++call.came == job_.ranks())
    co_await run(call, cycle);
  else
    while (!call.done) co_await call.signal;
  static_cast<void>(rank);
}

CollectiveWrite::Amount CollectiveWrite::amount(int cycle) const {
  Amount sum;
  for (const Entry& entry : job_.in.script.cycle(cycle).entries)
    for (const TileCost& tile : entry.costs().tiles) {
      const std::int64_t size = entry.plan->element_bytes;
      if (tile.stretches == 0) continue;
      sum.bytes += tile.elements * size;
      sum.pieces += tile.stretches;
      const std::int64_t first = entry.begin + tile.first * size;
      sum.first = sum.first < 0 ? first : std::min(sum.first, first);
      sum.last = std::max(sum.last, entry.begin + tile.last * size);
    }
  return sum;
}

// The hint cb_nodes, else as the machine's MPI has it; never more than ranks.
std::int64_t CollectiveWrite::aggregators() const {
  const TwoPhase& phases = job_.in.profile.two_phase;
  std::int64_t count = job_.nodes();
  if (phases.aggregators == TwoPhase::Aggregators::count) count = phases.count;
  if (phases.aggregators == TwoPhase::Aggregators::stripe && job_.storage.stripe_count() > 0)
    count = job_.storage.stripe_count();
  if (const auto hint = job_.in.config.hints.find("cb_nodes"); hint != job_.in.config.hints.end())
    std::from_chars(hint->second.data(), hint->second.data() + hint->second.size(), count);
  return std::clamp<std::int64_t>(count, 1, job_.ranks());
}

Task CollectiveWrite::run(Call& call, int cycle) {
  const Profile& profile = job_.in.profile;
  const Amount all = amount(cycle);
  const auto count = aggregators();
  const auto parts = static_cast<double>(count);
  const double buffers = std::max(1.0, std::ceil(static_cast<double>(all.bytes) / parts /
                                                 static_cast<double>(profile.two_phase.buffer)));
  const double told = profile.two_phase.rank.value * job_.ranks() * (1 + buffers);
  const double gathered = profile.two_phase.piece.value * static_cast<double>(all.pieces) / parts;
  const int nodes = job_.nodes();
  // Of what an aggregator gets, so much comes from other nodes, by a card that the aggregators of its node share.
  const double away = 1.0 - 1.0 / nodes, at_a_card = std::ceil(parts / nodes);
  const double card = static_cast<double>(all.bytes) / parts * away * at_a_card / profile.between.bandwidth.largest();
  const double copied = static_cast<double>(all.bytes) / std::min<double>(nodes, parts) / profile.copy.largest();
  double crossed = nodes > 1 ? card : 0;
  if (nodes > 1 && profile.network_total.value > 0)
    crossed = std::max(crossed, static_cast<double>(all.bytes) * away / profile.network_total.value);
  co_await job_.engine.pause(job_.meeting_seconds() * (1 + buffers) + told + gathered + std::max(crossed, copied));
  call.writing = count;
  const std::int64_t span = all.last - all.first;
  for (std::int64_t a = 0; a < count; ++a) {
    const auto cut = [&](std::int64_t whole, std::int64_t k) { return whole / count * k + whole % count * k / count; };
    const int node = static_cast<int>(a * nodes / count);
    call.writings.push_back({node, cycle, all.first + cut(span, a), cut(span, a + 1) - cut(span, a),
                             cut(all.bytes, a + 1) - cut(all.bytes, a), static_cast<std::int64_t>(buffers)});
    call.tasks.push_back(aggregate(call, call.writings.back()));
  }
  for (Task& task : call.tasks) task.start(job_.engine);
  while (call.writing > 0) co_await call.signal;
  call.done = true;
  call.signal.tell();
}

Task CollectiveWrite::aggregate(Call& call, const Writing& writing) {
  const auto& nodes = job_.in.node_of;
  const auto rank = std::lower_bound(nodes.begin(), nodes.end(), writing.node) - nodes.begin();
  job_.rank(static_cast<int>(rank)).times.bytes_written += writing.bytes;
  if (writing.bytes > 0) co_await job_.storage.write(writing);
  if (--call.writing == 0) call.signal.tell();
}

}  // namespace weir::simulate
