// SPDX-License-Identifier: Apache-2.0
// A small simulated job over a watched scheduler. Ranks put all units in order, each at its own speed. A rank that
// offers waits for its answer; some that come later know already that a unit is assigned and do not ask. Ranks with
// slots write what is released and to which all ranks have contributed, while they wait and sometimes while they do
// not. The pipeline's rule against deadlock: before a rank enters a unit it writes its own tiles of units older than
// the window, which is as many units as the memory of all ranks holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "watched.hpp"

namespace weir::watched {

struct JobSetting {
  Machine machine;
  ScheduleParameters parameters;
  std::vector<int> slots;                 // of each unit
  std::vector<std::int64_t> series = {};  // of each unit; none: of none
  std::vector<int> period;                // of each rank: it acts once in so many rounds
  unsigned seed = 0;
  int ask_anyway = 50;   // percent of those that come late
  int write_early = 20;  // percent of the rounds in which a rank that does not wait writes
  int ask_release = 0;   // percent of puts after which a rank wants what it has put written
};

class Job {
 public:
  explicit Job(const JobSetting& setting)
      : setting_(setting),
        watched_(setting.machine, setting.parameters, setting.slots, setting.series),
        random_(setting.seed),
        units_(static_cast<std::int64_t>(setting.slots.size())),
        next_(as_size(setting.machine.ranks()), 0),
        waits_(next_.size(), false),
        contributed_(setting.slots.size(), 0) {
    const int most = std::max(1, *std::max_element(setting.slots.begin(), setting.slots.end()));
    const std::int64_t places = std::int64_t{setting.machine.ranks()} * setting.parameters.tiles_per_rank;
    window_ = std::max<std::int64_t>(1, places / most);
  }

  // To the end of the job, all written. Throws std::logic_error where a rule is broken or nobody can go on.
  void run() {
    std::vector<int> order(next_.size());
    std::iota(order.begin(), order.end(), 0);
    for (bool everyone = false; !finished();) {
      std::shuffle(order.begin(), order.end(), random_);
      bool progress = false;
      for (const int rank : order)
        if (everyone || random_() % static_cast<unsigned>(setting_.period[as_size(rank)]) == 0)
          progress = act(rank) || progress;
      if (!progress && everyone && !ask_for_memory()) throw std::logic_error("deadlock: " + where());
      everyone = !progress;
    }
    for (std::int64_t unit = 0; unit < units_; ++unit) expect(watched_.assigned(unit), "never assigned", unit);
  }

  const Watched& watched() const { return watched_; }
  int asked_for_memory() const { return asked_for_memory_; }

 private:
  static std::size_t as_size(std::int64_t number) { return static_cast<std::size_t>(number); }
  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  bool complete(std::int64_t unit) const {
    return watched_.assigned(unit) && contributed_[as_size(unit)] == setting_.machine.ranks();
  }
  bool finished() const { return done_ == setting_.machine.ranks() && written_ == slots_given(); }
  std::int64_t slots_given() const {
    return std::accumulate(setting_.slots.begin(), setting_.slots.end(), std::int64_t{0});
  }

  bool act(int rank) {
    const bool waits = waits_[as_size(rank)];
    bool progress = false;
    if (waits || next_[as_size(rank)] == units_ || chance(setting_.write_early))
      progress = write_where(rank, [&](std::int64_t unit) { return unit <= watched_.released(); });
    if (waits_[as_size(rank)] || next_[as_size(rank)] == units_) return progress;
    return enter(rank) || progress;
  }

  bool enter(int rank) {
    const std::int64_t unit = next_[as_size(rank)];
    const auto too_old = [&](std::int64_t held) { return held < unit - window_; };
    const bool progress = write_where(rank, too_old);
    for (int place = 0; place < setting_.parameters.tiles_per_rank; ++place)
      if (watched_.unit_in(rank, place) >= 0 && too_old(watched_.unit_in(rank, place))) return progress;
    if (watched_.assigned(unit) && !chance(setting_.ask_anyway)) {
      contribute(rank, unit);
    } else {
      waits_[as_size(rank)] = true;
      watched_.offer(rank, unit);
      take_answers();
    }
    return true;
  }

  template <class Which>
  bool write_where(int rank, Which which) {
    bool progress = false;
    for (int place = 0; place < setting_.parameters.tiles_per_rank; ++place) {
      const std::int64_t unit = watched_.unit_in(rank, place);
      if (unit < 0 || !complete(unit) || !which(unit)) continue;
      ++written_;
      watched_.written(rank, unit, place);
      take_answers();
      progress = true;
    }
    return progress;
  }

  void take_answers() {
    const auto answered = watched_.answered();
    for (const auto& [rank, unit] : answered) {
      expect(waits_[as_size(rank)] && next_[as_size(rank)] == unit, "answered twice", unit, rank);
      waits_[as_size(rank)] = false;
      contribute(rank, unit);
    }
  }

  void contribute(int rank, std::int64_t unit) {
    ++contributed_[as_size(unit)];
    if (++next_[as_size(rank)] == units_ && ++done_ == 1) release(unit);  // the first to come to the end: a commit
    if (chance(setting_.ask_release)) release(unit);
  }

  void release(std::int64_t unit) {
    watched_.release(unit);
    take_answers();
  }

  // With two hops ranks run ahead of units that are not assigned. One that cannot go on has what it has put written.
  bool ask_for_memory() {
    const std::int64_t last = *std::min_element(next_.begin(), next_.end()) - 1;
    if (setting_.parameters.hops == HopKind::one || last <= watched_.released()) return false;
    ++asked_for_memory_;
    release(last);
    return true;
  }

  std::string where() const {
    std::string text;
    for (std::size_t rank = 0; rank < std::min<std::size_t>(next_.size(), 16); ++rank)
      text += std::to_string(next_[rank]) + (waits_[rank] ? "w " : " ");
    return text + "released " + std::to_string(watched_.released());
  }

  const JobSetting& setting_;
  Watched watched_;
  std::mt19937 random_;
  std::int64_t units_;
  std::int64_t window_ = 1;
  std::vector<std::int64_t> next_;
  std::vector<bool> waits_;
  std::vector<int> contributed_;
  std::int64_t written_ = 0;
  int done_ = 0;
  int asked_for_memory_ = 0;
};

}  // namespace weir::watched
