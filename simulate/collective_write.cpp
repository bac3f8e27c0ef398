// SPDX-License-Identifier: Apache-2.0
#include "simulate/collective_write.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace weir::simulate {

CollectiveWrite::CollectiveWrite(Job& job)
    : job_(job),
      of_weir_(!job.in.puts_alone),
      hints_(hints_of(job.in)),
      windows_(joining_windows(hints_, job.in.target.stripe_bytes)) {}

void CollectiveWrite::write(int cycle) {
  while (std::ssize(calls_) < cycle) calls_.push_back(std::make_unique<Call>(job_.engine));
  Call& call = *calls_[static_cast<std::size_t>(cycle) - 1];
  if (++call.came == job_.ranks())
    run(call, cycle);
  else
    while (!call.done) call.signal.wait();
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

// Other libraries are told what the configuration says, and nothing of Weir's own.
IoHints CollectiveWrite::hints_of(const JobInputs& in) {
  return in.puts_alone ? in.config.hints : io_hints(in.config, {});
}

std::int64_t CollectiveWrite::hint(const char* key, std::int64_t otherwise) const {
  std::int64_t number = otherwise;
  if (const auto found = hints_.find(key); found != hints_.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return number;
}

// Of another library the hint cb_nodes, else as the machine's MPI has it; never more than ranks.
std::int64_t CollectiveWrite::aggregators() const {
  if (of_weir_) return joining_ranks(hints_, job_.in.machine().hosts(), job_.ranks());
  const TwoPhase& phases = job_.in.profile.two_phase;
  std::int64_t count = job_.nodes();
  if (phases.aggregators == TwoPhase::Aggregators::count) count = phases.count;
  if (phases.aggregators == TwoPhase::Aggregators::stripe && job_.storage.stripe_count() > 0)
    count = job_.storage.stripe_count();
  return std::clamp<std::int64_t>(hint("cb_nodes", count), 1, job_.ranks());
}

// Windows of the file in turn, each the next aggregator's, in rounds.
std::vector<Writing> CollectiveWrite::windows(const Amount& all, int cycle) const {
  const std::int64_t count = aggregators(), begin = all.first / windows_.alignment * windows_.alignment;
  const double density =
      static_cast<double>(all.bytes) / static_cast<double>(std::max<std::int64_t>(1, all.last - all.first));
  std::vector<Writing> found;
  for (std::int64_t a = 0; a < count; ++a)
    found.push_back({.node = static_cast<int>(a * job_.nodes() / count), .domain = cycle, .requests = 0});
  std::size_t next = 0;
  for (std::int64_t at = begin; at < all.last; at += windows_.bytes, next = (next + 1) % found.size()) {
    Writing& writing = found[next];
    const std::int64_t first = std::max(at, all.first), bytes = std::min(at + windows_.bytes, all.last) - first;
    if (writing.requests++ == 0) writing.first_byte = first;
    writing.span = first + bytes - writing.first_byte;
    writing.bytes += std::llround(density * static_cast<double>(bytes));
  }
  return found;
}

// Equal stretches of the file, each the next aggregator's. With the hint striping_unit they end at the nearest multiple
// of it, so that those of a short file may be as long as that, and others nothing.
std::vector<Writing> CollectiveWrite::domains(const Amount& all, int cycle) const {
  const std::int64_t count = aggregators(), span = all.last - all.first, unit = hint("striping_unit", 0);
  const auto end_of = [&](std::int64_t a) {
    const std::int64_t end = all.first + span / count * (a + 1) + span % count * (a + 1) / count;
    if (unit <= 0 || a + 1 == count) return end;
    return std::clamp((end + unit / 2) / unit * unit, all.first, all.last);
  };
  const auto bytes_before = [&](std::int64_t place) {
    const double share = static_cast<double>(place - all.first) / static_cast<double>(std::max<std::int64_t>(1, span));
    return std::llround(share * static_cast<double>(all.bytes));
  };
  std::vector<Writing> found;
  std::int64_t begin = all.first;
  for (std::int64_t a = 0; a < count; begin = end_of(a++)) {
    const std::int64_t bytes = bytes_before(end_of(a)) - bytes_before(begin);
    found.push_back({.node = static_cast<int>(a * job_.nodes() / count),
                     .domain = cycle,
                     .first_byte = begin,
                     .span = end_of(a) - begin,
                     .bytes = bytes,
                     .requests = rounds_of(bytes)});
  }
  return found;
}

// In which an aggregator's buffer holds so much.
std::int64_t CollectiveWrite::rounds_of(std::int64_t bytes) const {
  const std::int64_t buffer = of_weir_ ? windows_.bytes : job_.in.profile.two_phase.buffer;
  return std::max<std::int64_t>(1, (bytes + buffer - 1) / buffer);
}

bool CollectiveWrite::interleaved(int cycle) const {
  const std::vector<Entry>& entries = job_.in.script.cycle(cycle).entries;
  return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
    const std::vector<TileCost>& tiles = entry.costs().tiles;
    return std::any_of(tiles.begin(), tiles.end(), [](const TileCost& tile) { return tile.stretches > 1; });
  });
}

bool CollectiveWrite::any_short_runs(int cycle) const {
  struct Runs {
    std::int64_t bytes = 0, count = 0;
  };
  std::map<int, Runs> of_owner;
  for (const Entry& entry : job_.in.script.cycle(cycle).entries)
    for (const TileCost& tile : entry.costs().tiles) {
      Runs& runs = of_owner[tile.owner];
      runs.bytes += tile.elements * entry.plan->element_bytes;
      runs.count += tile.stretches;
    }
  return std::any_of(of_owner.begin(), of_owner.end(),
                     [](const auto& owner) { return are_short_runs(owner.second.bytes, owner.second.count); });
}

// Where no rank's pieces lie between another's, ROMIO lets every rank write for itself, if no hint says otherwise.
bool CollectiveWrite::exchanges(int cycle) const {
  if (of_weir_) return are_joined(join_hint(hints_), any_short_runs(cycle));
  const auto wanted = hints_.find("romio_cb_write");
  if (wanted != hints_.end() && wanted->second != "automatic") return wanted->second == "enable";
  return interleaved(cycle);
}

void CollectiveWrite::run(Call& call, int cycle) {
  if (exchanges(cycle))
    exchange(call, cycle);
  else
    tell_offsets(call, cycle);
  call.writing = std::ssize(call.writings);
  for (const Writing& writing : call.writings) job_.engine.start([this, &call, &writing] { aggregate(call, writing); });
  while (call.writing > 0) call.signal.wait();
  call.done = true;
  call.signal.tell();
}

// Seconds in which so many ranks learn of each other's offsets, so many times.
double CollectiveWrite::telling_seconds(int cycle, double times) const {
  const auto owners = static_cast<double>(job_.in.script.cycle(cycle).traffic->owners.size());
  const double ranks = job_.in.puts_alone ? owners : job_.ranks();
  return (job_.in.profile.two_phase.rank.value * ranks + job_.meeting_seconds()) * times;
}

void CollectiveWrite::tell_offsets(Call& call, int cycle) {
  job_.engine.pause(telling_seconds(cycle, 1));
  for (const Entry& entry : job_.in.script.cycle(cycle).entries)
    for (const TileCost& tile : entry.costs().tiles) {
      if (tile.stretches == 0) continue;
      const std::int64_t size = entry.plan->element_bytes, bytes = tile.elements * size;
      call.writings.push_back({.node = job_.node(writer_of(tile.owner)),
                               .domain = cycle,
                               .first_byte = entry.begin + tile.first * size,
                               .span = (tile.last - tile.first) * size,
                               .bytes = bytes,
                               .requests = tile.stretches});
    }
}

// Slots are held by the ranks that the scheduler chose; which node that is does not matter much: they are spread. By an
// agent's orders there may be more of them than writers.
int CollectiveWrite::writer_of(int owner) const {
  if (job_.in.config.strategy != StrategyKind::dynamic) return owner;
  const std::vector<int>& writers = job_.in.script.writers;
  return writers[static_cast<std::size_t>(owner) % writers.size()];
}

// Bytes of the cycle that ranks of each node have before they are joined.
std::vector<double> CollectiveWrite::bytes_at_nodes(int cycle) const {
  std::vector<double> found(static_cast<std::size_t>(job_.nodes()));
  for (const Entry& entry : job_.in.script.cycle(cycle).entries)
    for (const TileCost& tile : entry.costs().tiles)
      found[static_cast<std::size_t>(job_.node(writer_of(tile.owner)))] +=
          static_cast<double>(tile.elements * entry.plan->element_bytes);
  return found;
}

// Of each aggregator's bytes every node has the same share as of all: runs that are joined lie between one another.
double CollectiveWrite::crossing_seconds(const std::vector<double>& had, const std::vector<double>& taken) const {
  const Profile& profile = job_.in.profile;
  const double all = std::max(1.0, std::accumulate(had.begin(), had.end(), 0.0));
  const double ranks_of_a_node = std::ceil(static_cast<double>(job_.ranks()) / static_cast<double>(had.size()));
  double at_a_card = 0, between = 0, copied = 0;
  for (std::size_t node = 0; node < had.size(); ++node) {
    const double stays = had[node] / all * taken[node];
    at_a_card = std::max({at_a_card, taken[node] - stays, had[node] - stays});
    between += taken[node] - stays;
    // All of it passes the aggregators' memory, and the rest comes by messages within a node, all ranks' at once.
    copied =
        std::max({copied, taken[node] / profile.copy.largest(), stays / profile.within.bandwidth(ranks_of_a_node)});
  }
  if (had.size() == 1) return copied;
  double crossed = at_a_card / profile.between.bandwidth.largest();
  if (profile.network_total.value > 0) crossed = std::max(crossed, between / profile.network_total.value);
  return std::max(crossed, copied);
}

void CollectiveWrite::exchange(Call& call, int cycle) {
  const Amount all = amount(cycle);
  std::int64_t most = 0;  // of an aggregator
  std::vector<double> taken(static_cast<std::size_t>(job_.nodes()));
  for (const Writing& writing : of_weir_ ? windows(all, cycle) : domains(all, cycle)) {
    call.writings.push_back(writing);
    most = std::max(most, writing.bytes);
    taken[static_cast<std::size_t>(writing.node)] += static_cast<double>(writing.bytes);
  }
  const double largest = static_cast<double>(most) / static_cast<double>(std::max<std::int64_t>(1, all.bytes));
  const double gathered = job_.in.profile.two_phase.piece.value * static_cast<double>(all.pieces) * largest;
  const auto rounds = static_cast<double>(rounds_of(most));
  job_.engine.pause(telling_seconds(cycle, 1 + rounds) + gathered + crossing_seconds(bytes_at_nodes(cycle), taken));
}

void CollectiveWrite::aggregate(Call& call, const Writing& writing) {
  const auto& nodes = job_.in.placement.node_of;
  const auto rank = std::lower_bound(nodes.begin(), nodes.end(), writing.node) - nodes.begin();
  job_.rank(static_cast<int>(rank)).times.bytes_written += writing.bytes;
  if (writing.bytes > 0) job_.storage.write(writing);
  if (--call.writing == 0) call.signal.tell();
}

}  // namespace weir::simulate
