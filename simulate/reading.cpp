// SPDX-License-Identifier: Apache-2.0
#include "simulate/reading.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "flow/steps.hpp"
#include "plan/file_runs.hpp"
#include "plan/roles.hpp"
#include "simulate/job.hpp"
#include "simulate/page_caches.hpp"
#include "simulate/rank_placement.hpp"
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
    run_all(job_, [this](int rank) { live(rank); });
  }
  void delivered(const Message& message, double time) override {
    const auto to = static_cast<std::size_t>(message.to);
    if (coming_[to].come(time)) came_[to].tell();
  }
  std::int64_t readers() const noexcept { return std::ssize(readers_); }
  // Rank 0 opens the file for its definitions, and has it open then.
  std::int64_t opens() const noexcept { return readers() + (readers_.contains(0) ? 0 : 1); }

 private:
  void live(int rank) {
    job_.barrier(rank);  // weir_open
    for (const Get& get : script_.gets) {
      job_.barrier(rank);  // on what is read
      OneRank reading(*this, rank, get.cycles);
      read_in_cycles(reading, get.cycles.size());
      job_.barrier(rank);  // on what was read
    }
    job_.rank(rank).times.visible = job_.now();
  }

  // What read_in_cycles asks.
  class OneRank {
   public:
    OneRank(Together& all, int rank, const std::vector<ReadCycle>& cycles)
        : all_(all), rank_(rank), cycles_(cycles), was_read_(all.job_.engine) {}
    void begin_reading(std::size_t cycle) {
      reads_ = true;
      all_.job_.engine.start([this, cycle] {
        all_.read(rank_, cycles_[cycle]);
        reads_ = false;
        was_read_.tell();
      });
    }
    void end_reading() {
      while (reads_) was_read_.wait();
    }
    void agree_at(std::size_t cycle) {
      all_.expect(rank_, cycles_[cycle]);
      all_.job_.barrier(rank_);
    }
    void hand_out(std::size_t cycle) { all_.hand_out(rank_, cycles_[cycle]); }

   private:
    Together& all_;
    int rank_;
    const std::vector<ReadCycle>& cycles_;
    Signal was_read_;
    bool reads_ = false;
  };

  void expect(int rank, const ReadCycle& cycle) {
    std::int64_t messages = 0;
    for (const Traffic::Piece& piece : cycle.traffic->pieces_of(rank)) messages += piece.by_message ? 1 : 0;
    coming_[static_cast<std::size_t>(rank)].expect(messages);
  }

  void read(int rank, const ReadCycle& cycle) {
    for (const Entry& entry : cycle.entries)
      if (const TileCost* tile = entry.costs().tile_of(rank); tile && tile->stretches > 0)
        read_tile(rank, entry, *tile);
  }

  void hand_out(int rank, const ReadCycle& cycle) {
    std::int64_t messages = 0, wanted = 0;
    for (const Traffic::Piece& piece : cycle.traffic->pieces_of(rank)) {
      messages += piece.by_message ? 1 : 0;
      wanted += piece.bytes;
    }
    Arrivals& coming = coming_[static_cast<std::size_t>(rank)];
    give(rank, *cycle.given);
    const double begin = job_.now();
    while (coming.missing() > 0) came_[static_cast<std::size_t>(rank)].wait();
    if (messages > 0) job_.engine.until(coming.last());
    job_.spent(rank, Step::wait, begin);
    job_.copy(rank, wanted, Step::get, -1);
  }

  // Through the page cache, which is a copy.
  void read_tile(int rank, const Entry& entry, const TileCost& tile) {
    const std::int64_t size = entry.plan->element_bytes;
    const Reading reading{job_.node(rank), entry.begin + tile.first * size, (tile.last - tile.first) * size,
                          tile.elements * size, tile.stretches};
    readers_.insert(rank);
    const double begin = job_.now();
    job_.storage.read(reading);
    job_.spent(rank, Step::read, begin);
    job_.copy(rank, reading.bytes, Step::read, -1);
  }

  void give(int rank, const Given& given) {
    std::int64_t bytes = 0;
    for (const Given::Piece& piece : given.of(rank)) bytes += piece.bytes;
    job_.copy(rank, bytes, Step::get, -1);
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
  explicit Alone(Job& job) : job_(job), caches_(job.nodes()), places_(places_of(job.in.work, job.in.config)) {
    for (const Decomposition& decomposition : job.in.work.decompositions) sieves_.push_back(sieves(decomposition));
  }

  void run() {
    run_all(job_, [this](int rank) { live(rank); });
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

  void live(int rank) {
    job_.barrier(rank);  // weir_open
    for (std::size_t v = 0; v < job_.in.work.variables.size(); ++v) {
      const Variable& variable = job_.in.work.variables[v];
      const OfRank& own = sieves_[static_cast<std::size_t>(variable.decomposition)][static_cast<std::size_t>(rank)];
      ++opens_;
      read(rank, variable.element_bytes, places_.first_byte(static_cast<int>(v), 0), own);
    }
    job_.rank(rank).times.visible = job_.now();
  }

  void read(int rank, int size, std::int64_t begin, const OfRank& own) {
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
    if (reading.bytes > 0) job_.storage.read(reading);
    job_.spent(rank, Step::read, started);
    job_.copy(rank, bytes, Step::read, -1);
    job_.copy(rank, own.wanted * size, Step::get, -1);
  }

  Job& job_;
  PageCaches caches_;
  FileOffsets places_;
  std::vector<std::vector<OfRank>> sieves_;  // by decomposition
  std::int64_t opens_ = 0;
};

// Of the run's cycles and plans, and who opened the file.
void run_together(Job& job, const ReadingScript& script, Result& result) {
  Together together(job, script);
  together.run();
  sum_up(job, result);
  result.readers = together.readers();
  result.opens = together.opens();
  result.plans = script.plans;
  for (const Get& get : script.gets) result.cycles += std::ssize(get.cycles);
  result.high_water_bytes = script.high_water;
}

void run_alone(Job& job, Result& result) {
  Alone alone(job);
  alone.run();
  sum_up(job, result);
  result.readers = job.in.work.ranks;
  result.opens = alone.opens();
}

}  // namespace

Result simulate_reading(const Profile& profile, const Workload& work, Config config, const ReadingRequest& request) {
  const RankPlacement placement = place_ranks(profile, work, config, request.ranks_per_node);
  require(request.alone || !may_read_each_for_itself(config, placement.machine, placement.shared_memory),
          WEIR_EARGUMENT,
          "ranks of one host read each for itself from its page cache, which is not simulated: take more ranks than a "
          "node has, or page_cache: past, with which owners read");
  const std::int64_t stripe = stripe_bytes_of(config, stripe_bytes_told(profile.storage.stripes, request.striping));
  const double begin = processor_seconds();
  const ReadingScript script =
      request.alone ? ReadingScript()
                    : make_reading_script({work, placement.machine, config, stripe, placement.shared_memory});
  check_fit(profile, placement, script.high_water);
  const double planned = processor_seconds();
  const Script writes_nothing;
  Job job({profile, work, config, placement, writes_nothing, {}, request.striping, 0, false});
  for (RankState& state : job.states) state.call_began = 0;  // it reads, and does nothing else
  Result result;
  result.bytes = work.bytes();
  request.alone ? run_alone(job, result) : run_together(job, script, result);
  result.planning_cpu_seconds = planned - begin;
  result.running_cpu_seconds = processor_seconds() - planned;
  return result;
}

}  // namespace weir::simulate
