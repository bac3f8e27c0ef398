// SPDX-License-Identifier: Apache-2.0
// The control rank (Wang & Huang 2025, figure 6: the process in red).
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "control/control.hpp"
#include "control/words.hpp"
#include "mpi/leaving.hpp"
#include "mpi/outbox.hpp"

namespace weir {

namespace {

class ControlRank {
 public:
  ControlRank(const Comm& link, const ScheduleParameters& how, double timeout_seconds)
      : link_(link),
        outbox_(link, to_rank),
        how_(how),
        timeout_seconds_(timeout_seconds),
        start_(2 * timeout_seconds),
        leaving_(link.size() - 1, timeout_seconds) {}

  void serve() {
    Patience patience;
    for (;;) {
      int source = MPI_ANY_SOURCE;
      if (!receive_if_there(link_, source, to_control, words_, Deadline(timeout_seconds_))) {
        require(!leaving_.overdue(), WEIR_ETIMEOUT, [&] {
          return "weir_finalize: rank(s) " + link_.listed(leaving_.missing()) +
                 " did not come to the scheduler's end within " + std::to_string(timeout_seconds_) + " s";
        });
        require(scheduler_ || !start_.passed(), WEIR_ETIMEOUT, "weir_init: the model's ranks have not begun");
        patience.pause();
        continue;
      }
      patience = Patience();
      if (words_[0] == abandon_word)
        throw Error(WEIR_ETIMEOUT,
                    "the run was given up by rank " + std::to_string(link_.number_of(source)) + ": it says why");
      if (words_[0] != finish_word) {
        hear(source);
        continue;
      }
      leaving_.leave(source);
      if (leaving_.all()) return say_farewell();
    }
  }

 private:
  void say_farewell() {
    said_.assign({farewell_word});
    for (int rank = 0; rank < link_.size() - 1; ++rank) send(rank);
  }

  void hear(int source) {
    if (words_[0] == start_word) return start();
    if (words_[0] == restart_word) return begin(words_[1], words_[2]);
    if (words_[1] < epoch_) return;
    if (words_[1] > epoch_) return early_.push_back({source, words_});  // of a beginning that rank 0 has not told yet
    const std::int64_t unit = words_[2] - first_;
    // A unit that is manned is answered from here: a rank that holds nothing of it may ask when it has long been
    // written.
    if (words_[0] == offer_word && manned_.contains(unit)) return tell_manned(source, unit);
    if (words_[0] == offer_word) offered(source, unit, static_cast<int>(words_[3]));
    if (words_[0] == written_word) scheduler_->written(source, unit, static_cast<int>(words_[3]));
    if (words_[0] == release_word) scheduler_->release(unit);
    answer();
  }

  void start() {
    machine_ = Machine::from_leaders(std::vector<int>(words_.begin() + 2, words_.end()));
    begin(words_[1], 0);
  }

  void begin(std::int64_t epoch, std::int64_t unit) {
    epoch_ = epoch;
    first_ = unit + 1;
    told_ = 0;
    waiting_.clear();
    manned_.clear();
    relayed_.clear();
    scheduler_ = std::make_unique<Scheduler>(machine_, how_);
    for (auto& [source, words] : std::exchange(early_, {})) {
      words_ = words;
      hear(source);
    }
  }

  void offered(int source, std::int64_t unit, int seats) {
    waiting_.push_back({unit, source});
    scheduler_->offer(source, unit, seats);
  }

  // Tells those who wait what the last event has decided.
  void answer() {
    for (const Decision& decision : scheduler_->decisions()) {
      if (decision.kind == Decision::Kind::relay) tell_relay(decision);
      if (decision.kind == Decision::Kind::manned && !manned_.contains(decision.unit)) tell_waiting(decision.unit);
      if (decision.kind == Decision::Kind::released) tell_holders(decision.unit);
    }
  }

  // Whose relay it is counts them: it is told how many with the seats, since nobody is told a relay after that.
  void tell_relay(const Decision& decision) {
    said_.assign({relay_word, epoch_, decision.unit + first_, scheduler_->released() + first_, decision.to});
    send(decision.rank);
    if (decision.to != decision.rank) ++relayed_[decision.unit][decision.to];
  }

  void tell_waiting(std::int64_t unit) {
    manned_[unit] = {*scheduler_->seats(unit), std::move(relayed_[unit]), 0};
    relayed_.erase(unit);
    std::erase_if(waiting_, [&](const Waiting& each) {
      if (each.unit == unit) tell_manned(each.rank, unit);
      return each.unit == unit;
    });
  }

  // Every rank asks once.
  void tell_manned(int rank, std::int64_t unit) {
    const auto known = manned_.find(unit);
    const auto relayed = known->second.relayed.find(rank);
    said_.assign({manned_word, epoch_, unit + first_, scheduler_->released() + first_,
                  relayed == known->second.relayed.end() ? 0 : relayed->second});
    for (const Seat& seat : known->second.seats) said_.insert(said_.end(), {seat.rank, seat.place});
    send(rank);
    if (++known->second.told == machine_.ranks()) manned_.erase(known);
  }

  void tell_holders(std::int64_t last) {
    for (; told_ <= last; ++told_) {
      const std::vector<Seat>* seats = scheduler_->seats(told_);
      said_.assign({released_word, epoch_, told_ + first_, scheduler_->released() + first_});
      for (std::size_t i = 0; seats && i < seats->size(); ++i) send((*seats)[i].rank);
    }
  }

  void send(int rank) { outbox_.send(said_, rank); }

  struct Waiting {
    std::int64_t unit;
    int rank;
  };
  using Counts = std::map<int, int>;  // of each rank
  struct Manned {
    std::vector<Seat> seats;
    Counts relayed;
    int told;
  };
  struct Early {
    int source;
    std::vector<std::int64_t> words;
  };

  const Comm& link_;
  Outbox outbox_;
  ScheduleParameters how_;
  Machine machine_;
  std::unique_ptr<Scheduler> scheduler_;
  std::int64_t epoch_ = -1, first_ = 1, told_ = 0;
  std::vector<std::int64_t> words_, said_;
  double timeout_seconds_;
  Deadline start_;  // until rank 0 says who is there: the model's ranks meet about twice before that
  Leaving leaving_;
  std::vector<Waiting> waiting_;
  std::map<std::int64_t, Manned> manned_;   // until all ranks know
  std::map<std::int64_t, Counts> relayed_;  // of units that want ranks: whose relay each rank is
  std::vector<Early> early_;
};

}  // namespace

void serve_control(const Comm& link, const ScheduleParameters& how, double timeout_seconds) {
  ControlRank(link, how, timeout_seconds).serve();
}

}  // namespace weir
