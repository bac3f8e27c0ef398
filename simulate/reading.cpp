// SPDX-License-Identifier: Apache-2.0
#include "simulate/reading.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "plan/file_runs.hpp"
#include "plan/reading_way.hpp"
#include "simulate/dealing.hpp"
#include "simulate/job.hpp"
#include "simulate/page_caches.hpp"
#include "simulate/profile_number.hpp"
#include "simulate/reading_script.hpp"
#include "simulate/running.hpp"

namespace weir::simulate {

namespace {

// By the library's gets of all ranks.
class Together final : public Receiver {
 public:
  Together(Job& job, const ReadingScript& script)
      : job_(job), script_(script), coming_(static_cast<std::size_t>(job.ranks())) {
    for (int rank = 0; rank < job.ranks(); ++rank) came_.emplace_back(job.engine);
  }

  void run() {
    std::vector<Task> lives;
    for (int rank = 0; rank < job_.ranks(); ++rank) lives.push_back(live(rank));
    run_all(job_, lives);
  }
  void delivered(const Message& message, double time) override {
    const auto to = static_cast<std::size_t>(message.to);
    if (coming_[to].come(time)) came_[to].tell();
  }
  std::int64_t readers() const noexcept { return std::ssize(readers_); }
  // Rank 0 opens the file for its definitions, and has it open then.
  std::int64_t opens() const noexcept { return readers() + (readers_.contains(0) ? 0 : 1); }

 private:
  Task live(int rank) {
    co_await job_.meet(rank);  // weir_open
    for (const Get& get : script_.gets) {
      co_await job_.meet(rank);  // on what is read
      co_await grant(rank, get.cycles);
      co_await job_.meet(rank);  // on what was read
    }
    job_.rank(rank).times.visible = job_.now();
  }

  // As the library's (read/collective_read.hpp): one cycle is read while the one before it is handed out.
  Task grant(int rank, const std::vector<ReadCycle>& cycles) {
    if (!cycles.empty()) co_await read(rank, cycles.front());
    for (std::size_t c = 0; c < cycles.size(); ++c) {
      expect(rank, cycles[c]);
      co_await job_.meet(rank);
      Signal was_read(job_.engine);
      Task next = c + 1 < cycles.size() ? read_beside(rank, cycles[c + 1], was_read) : Task::nothing();
      if (!next.done()) next.start(job_.engine);
      co_await hand_out(rank, cycles[c]);
      while (!next.done()) co_await was_read;
    }
  }

  void expect(int rank, const ReadCycle& cycle) {
    std::int64_t messages = 0;
    for (const Traffic::Piece& piece : cycle.traffic->pieces_of(rank)) messages += piece.by_message ? 1 : 0;
    coming_[static_cast<std::size_t>(rank)].expect(messages);
  }

  Task read_beside(int rank, const ReadCycle& cycle, Signal& was_read) {
    co_await read(rank, cycle);
    was_read.tell();
  }

  Task read(int rank, const ReadCycle& cycle) {
    for (const Entry& entry : cycle.entries)
      if (const TileCost* tile = entry.costs().tile_of(rank); tile && tile->stretches > 0)
        co_await read_tile(rank, entry, *tile);
  }

  Task hand_out(int rank, const ReadCycle& cycle) {
    std::int64_t messages = 0, wanted = 0;
    for (const Traffic::Piece& piece : cycle.traffic->pieces_of(rank)) {
      messages += piece.by_message ? 1 : 0;
      wanted += piece.bytes;
    }
    Arrivals& coming = coming_[static_cast<std::size_t>(rank)];
    co_await give(rank, *cycle.given);
    const double begin = job_.now();
    while (coming.missing() > 0) co_await came_[static_cast<std::size_t>(rank)];
    if (messages > 0) co_await job_.engine.until(coming.last());
    job_.spent(rank, Step::wait, begin);
    co_await job_.copy(rank, wanted, Step::get, -1);
  }

  // Through the page cache, which is a copy.
  Task read_tile(int rank, const Entry& entry, const TileCost& tile) {
    const std::int64_t size = entry.plan->element_bytes;
    const Reading reading{job_.node(rank), entry.begin + tile.first * size, (tile.last - tile.first) * size,
                          tile.elements * size, tile.stretches};
    readers_.insert(rank);
    const double begin = job_.now();
    co_await job_.storage.read(reading);
    job_.spent(rank, Step::read, begin);
    co_await job_.copy(rank, reading.bytes, Step::read, -1);
  }

  Task give(int rank, const Given& given) {
    std::int64_t bytes = 0;
    for (const Given::Piece& piece : given.of(rank)) bytes += piece.bytes;
    co_await job_.copy(rank, bytes, Step::get, -1);
    for (const Given::Piece& piece : given.of(rank)) job_.network.send({rank, piece.rank, piece.bytes, 0, this});
  }

  Job& job_;
  const ReadingScript& script_;
  std::vector<Arrivals> coming_;
  std::deque<Signal> came_;
  std::set<int> readers_;
};

// Each rank for itself.
class Alone {
 public:
  explicit Alone(Job& job) : job_(job), caches_(job.nodes()), places_(places_of(job.in.work)) {
    for (const Decomposition& decomposition : job.in.work.decompositions) sieves_.push_back(sieves(decomposition));
  }

  void run() {
    std::vector<Task> lives;
    for (int rank = 0; rank < job_.ranks(); ++rank) lives.push_back(live(rank));
    run_all(job_, lives);
  }
  std::int64_t opens() const noexcept { return opens_; }

 private:
  // A read, in elements.
  struct Sieve {
    std::int64_t first, last;
  };
  struct OfRank {
    std::vector<Sieve> reads;
    std::int64_t wanted = 0;
  };

  int element_bytes_of(const Decomposition& decomposition) const {
    const auto number = &decomposition - job_.in.work.decompositions.data();
    for (const Variable& variable : job_.in.work.variables)
      if (variable.decomposition == number) return variable.element_bytes;
    return 1;
  }

  std::vector<OfRank> sieves(const Decomposition& decomposition) const {
    const int size = element_bytes_of(decomposition);
    std::vector<OfRank> all;
    for (int rank = 0; rank < job_.in.work.ranks; ++rank) {
      const Layout layout = decomposition.layout(rank);
      const std::vector<FileRun> runs = file_runs(layout.flattened(), sieve_bytes / size);
      OfRank& own = all.emplace_back();
      own.wanted = layout.elements_held();
      for (std::size_t first = 0; first < runs.size();) {
        const std::size_t end = end_of_sieve(runs, first, size);
        own.reads.push_back({runs[first].element, runs[end - 1].element + runs[end - 1].count});
        first = end;
      }
    }
    return all;
  }

  Task live(int rank) {
    co_await job_.meet(rank);  // weir_open
    for (std::size_t v = 0; v < job_.in.work.variables.size(); ++v) {
      const Variable& variable = job_.in.work.variables[v];
      const OfRank& own = sieves_[static_cast<std::size_t>(variable.decomposition)][static_cast<std::size_t>(rank)];
      ++opens_;
      co_await read(rank, variable.element_bytes, places_.begin[v], own);
    }
    job_.rank(rank).times.visible = job_.now();
  }

  Task read(int rank, int size, std::int64_t begin, const OfRank& own) {
    Reading reading{job_.node(rank), 0, 0, 0, 0};
    std::int64_t bytes = 0, last = 0;
    for (const Sieve& sieve : own.reads) {
      bytes += (sieve.last - sieve.first) * size;
      const std::int64_t missing = caches_.read(reading.node, begin + sieve.first * size, begin + sieve.last * size);
      if (missing == 0) continue;
      if (reading.requests++ == 0) reading.first_byte = begin + sieve.first * size;
      reading.bytes += missing;
      last = begin + sieve.last * size;
    }
    reading.span = std::max(last - reading.first_byte, reading.bytes);
    const double started = job_.now();
    if (reading.bytes > 0) co_await job_.storage.read(reading);
    job_.spent(rank, Step::read, started);
    co_await job_.copy(rank, bytes, Step::read, -1);
    co_await job_.copy(rank, own.wanted * size, Step::get, -1);
  }

  Job& job_;
  PageCaches caches_;
  FileOffsets places_;
  std::vector<std::vector<OfRank>> sieves_;  // by decomposition
  std::int64_t opens_ = 0;
};

void check_readers_fit(const Profile& profile, int nodes, int a_node, std::int64_t high_water) {
  require(profile.nodes == 0 || nodes <= profile.nodes, WEIR_EARGUMENT, [&] {
    return "the job wants " + std::to_string(nodes) + " nodes, and " + profile.name + " has " +
           std::to_string(profile.nodes) + ": take fewer ranks, or more of them on a node";
  });
  const auto bytes = static_cast<double>(high_water * a_node);
  require(bytes <= static_cast<double>(profile.memory), WEIR_EMEMORY, [&] {
    return "the job's buffers need " + show_number(bytes, Unit::bytes) + " on a node, and " + profile.name + " has " +
           show_number(static_cast<double>(profile.memory), Unit::bytes) + ": lower buffer_limit";
  });
}

void sum_up_reading(const Job& job, Result& result) {
  add_up(job, result);
  for (const RankState& state : job.states)
    result.visible_seconds = std::max(result.visible_seconds, state.times.visible);
  result.bytes = job.in.work.bytes();
  result.bytes_read = job.storage.bytes_read();
  result.reads = job.storage.requests_to_read();
}

// Of the run's cycles and plans, and who opened the file.
void run_together(Job& job, const ReadingScript& script, Result& result) {
  Together together(job, script);
  together.run();
  sum_up_reading(job, result);
  result.readers = together.readers();
  result.opens = together.opens();
  result.plans = script.plans;
  for (const Get& get : script.gets) result.cycles += std::ssize(get.cycles);
  result.high_water_bytes = script.high_water;
}

void run_alone(Job& job, Result& result) {
  Alone alone(job);
  alone.run();
  sum_up_reading(job, result);
  result.readers = job.in.work.ranks;
  result.opens = alone.opens();
}

}  // namespace

Result simulate_reading(const Profile& profile, const Workload& work, Config config, const ReadingRequest& request) {
  settle(config);
  require(config.strategy != StrategyKind::automatic, WEIR_ECONFIG,
          "strategy: auto is decided in a run: name the strategies to simulate");
  const int ranks = work.ranks + (config.strategy == StrategyKind::servers ? config.servers : 0);
  const int a_node = std::min(ranks, request.ranks_per_node > 0 ? request.ranks_per_node : profile.cores);
  const Dealt dealt = deal(ranks, a_node, config);
  const Machine machine = Machine::from_leaders(dealt.leader_of);
  const bool shared = config.forward != ForwardKind::messages && machine.ranks_of.front().size() > 1;
  require(request.alone || !may_read_each_for_itself(config, machine, config.forward != ForwardKind::messages),
          WEIR_EARGUMENT,
          "ranks of one host read each for itself from its page cache, which is not simulated: take more ranks than a "
          "node has, or page_cache: past, with which owners read");
  const Stripes& stripes = profile.storage.stripes;
  const std::int64_t stripe = !stripes.told ? 0 : request.striping.size > 0 ? request.striping.size : stripes.size;
  const double begin = processor_seconds();
  const ReadingScript script =
      request.alone ? ReadingScript() : make_reading_script({work, machine, config, stripe, shared});
  check_readers_fit(profile, dealt.node_of.back() + 1, a_node, script.high_water);
  const double planned = processor_seconds();
  const Script writes_nothing;
  Job job(
      {profile, work, config, machine, dealt.node_of, writes_nothing, {}, request.striping, 0, shared, false, false});
  Result result;
  request.alone ? run_alone(job, result) : run_together(job, script, result);
  result.planning_cpu_seconds = planned - begin;
  result.running_cpu_seconds = processor_seconds() - planned;
  return result;
}

}  // namespace weir::simulate
