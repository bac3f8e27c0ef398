// SPDX-License-Identifier: Apache-2.0
// Holders that the scheduler chooses, as in flow/dynamic_flow.cpp, step by step. A large message is under way only once
// its holder is in a call and asks for it; what has come is placed by the holder in its next call; both at once where a
// thread does it (progress: thread). Two hops are not simulated.
#include <algorithm>
#include <utility>

#include "control/parameters.hpp"
#include "simulate/collective_write.hpp"
#include "simulate/control.hpp"
#include "simulate/holder.hpp"
#include "simulate/sends.hpp"

namespace weir::simulate {

namespace {

// What comes to a seat.
struct Parcels final : Action {
  void happen() override;
  class DynamicFlow* flow = nullptr;
  int holder = -1;
  int cycle = 0;
  Arrivals arrivals;
  std::int64_t bytes = 0;  // that came by message
  bool come = false;       // all of them
  bool taken = false;      // and noticed
  bool placed = false;
};

class DynamicFlow final : public Flow, public Receiver {
 public:
  explicit DynamicFlow(Job& job)
      : job_(job),
        window_(units_in_flight(job.in.machine, job.in.script.places, job.in.script.most_seats())),
        background_(job.in.config.overlap == OverlapKind::background && !job.in.target.collective()),
        slack_(job.in.config.overlap == OverlapKind::slack),
        listens_(job.in.config.progress == ProgressKind::thread),
        control_(make_control(job, window_)),
        collective_(job),
        parcels_(job.in.script.cycles.size() + 1),
        taken_(parcels_.size()),
        sends_(job.in.script.cycles.size(), job.states.size()),
        holders_(job.states.size()),
        waits_(job.states.size()) {}

  Task begin(int rank, int cycle) override {
    const double begin = job_.now();
    job_.rank(rank).next_cycle = cycle;
    co_await retire(rank, cycle - window_);
    co_await progress(rank);
    while (control_->by_window() && !job_.board(rank).is_written(cycle - window_)) {
      co_await wait(rank);
      co_await progress(rank);
    }
    if (!control_->seats(rank, cycle)) control_->offer(rank, cycle, job_.in.script.cycle(cycle).seats);
    while (!control_->seats(rank, cycle)) {
      co_await wait(rank);
      co_await progress(rank);
    }
    job_.spent(rank, Step::wait, begin, cycle);
  }

  Task make_room(int rank, int cycle) override {
    const double begin = job_.now();
    co_await retire(rank, cycle);
    co_await send_all(rank, cycle);
    job_.spent(rank, Step::wait, begin, cycle);
  }

  Task finish(int rank, int cycle) override {
    send_parcels(rank, cycle);
    HostBoard& board = job_.board(rank);
    if (board.say_put(cycle)) tell_holders(rank, cycle);
    make_duty(rank, cycle);
    if (job_.in.target.collective()) {
      co_await write_collectively(rank, cycle);
    } else if (!background_ && !slack_) {
      co_await retire(rank, cycle);
      co_return;
    }
    co_await progress(rank);
  }

  Task settle(int rank) override {
    const double begin = job_.now();
    control_->release(rank, job_.rank(rank).next_cycle);
    job_.rank(rank).thread_signal.tell();
    co_await retire(rank, job_.rank(rank).next_cycle);
    co_await send_all(rank, job_.rank(rank).next_cycle);
    job_.spent(rank, Step::wait, begin);
  }

  std::int64_t control_messages() const noexcept override { return control_->messages(); }

  void delivered(const Message& message, double time) override {
    const auto cycle = static_cast<int>(message.what >> 32);
    if (sends_.of(message.from, cycle).come(time)) job_.rank(message.from).signal.tell();
    Parcels& parcels = parcels_of(cycle, static_cast<int>(message.what & 0xffffffff));
    parcels.bytes += message.bytes;
    if (parcels.arrivals.come(time)) job_.engine.at(parcels.arrivals.last(), parcels);
  }

  void arrived(Parcels& parcels) {
    parcels.come = true;
    tell(parcels.holder);
  }

 private:
  const Traffic& traffic(int cycle) const { return *job_.in.script.cycle(cycle).traffic; }
  Holder& holder(int rank) { return holders_[static_cast<std::size_t>(rank)]; }

  // Made when anybody first asks for it: the seats are known by then.
  Parcels& parcels_of(int cycle, int seat) {
    std::vector<Parcels>& all = parcels_[static_cast<std::size_t>(cycle)];
    if (all.empty()) {
      const std::vector<Seat>& seats = *control_->seats(cycle);
      all.resize(seats.size());
      for (std::size_t s = 0; s < seats.size(); ++s) {
        all[s].flow = this;
        all[s].holder = seats[s].rank;
        all[s].cycle = cycle;
        all[s].arrivals.expect(far_sources(cycle, static_cast<int>(s), seats[s].rank));
        all[s].come = all[s].taken = all[s].placed = all[s].arrivals.missing() == 0;
      }
    }
    return all[static_cast<std::size_t>(seat)];
  }

  std::int64_t far_sources(int cycle, int seat, int rank) const {
    const Traffic& all = traffic(cycle);
    const Traffic::Owner* owner = all.owner(seat);
    if (!owner) return 0;
    const auto hosts = static_cast<std::size_t>(job_.in.machine.hosts());
    const auto at = static_cast<std::size_t>(owner - all.owners.data()) * hosts;
    if (!job_.in.shared_memory) return owner->sources - (holds_part(cycle, seat, rank) ? 1 : 0);
    return owner->sources - all.near[at + static_cast<std::size_t>(job_.host(rank))];
  }

  bool holds_part(int cycle, int seat, int rank) const {
    for (const Traffic::Piece& piece : traffic(cycle).pieces_of(rank))
      if (piece.owner == seat) return true;
    return false;
  }

  void send_parcels(int rank, int cycle) {
    const std::vector<Seat>& seats = *control_->seats(rank, cycle);
    for (const Traffic::Piece& piece : traffic(cycle).pieces_of(rank)) {
      const int to = seats[static_cast<std::size_t>(piece.owner)].rank;
      if (job_.reaches(rank, to)) continue;
      static_cast<void>(parcels_of(cycle, piece.owner));
      sends_.of(rank, cycle).expect(1);
      const Message message{rank, to, piece.bytes, (std::int64_t{cycle} << 32) | piece.owner, this};
      if (listens_ || waits_[static_cast<std::size_t>(to)] || message.bytes <= job_.in.profile.eager)
        job_.network.send(message);
      else
        holder(to).asked.push_back(message);
    }
  }

  // All pieces of this host are in place. Under a collective sink all ranks wait for that.
  void tell_holders(int rank, int cycle) {
    if (job_.in.target.collective()) return tell_host(rank);
    const auto& all = taken(cycle);
    for (const int other : job_.in.machine.neighbours(rank)) {
      const auto first = std::lower_bound(all.begin(), all.end(), std::pair(other, 0));
      if (first != all.end() && first->first == other) tell(other);
    }
  }

  void tell(int rank) {
    job_.rank(rank).signal.tell();
    job_.rank(rank).thread_signal.tell();
  }

  void tell_host(int rank) {
    for (const int other : job_.in.machine.neighbours(rank)) job_.rank(other).signal.tell();
  }

  void make_duty(int rank, int cycle) {
    holder(rank).put = cycle;
    std::vector<int> mine;
    const auto& all = taken(cycle);
    for (auto taken = std::lower_bound(all.begin(), all.end(), std::pair(rank, 0));
         taken != all.end() && taken->first == rank; ++taken)
      mine.push_back(taken->second);
    if (mine.empty() && !job_.in.target.collective()) return;
    Holder& here = holder(rank);
    here.duties.push_back({cycle, std::move(mine)});
    if (!background_) return;
    if (here.thread.empty()) {
      here.thread.push_back(write_beside(rank));
      here.thread.back().start(job_.engine);
    }
    job_.rank(rank).thread_signal.tell();
  }

  // Ranks and the seats they have, ascending: so many ranks ask that nobody may go through all seats.
  const std::vector<std::pair<int, int>>& taken(int cycle) {
    std::vector<std::pair<int, int>>& all = taken_[static_cast<std::size_t>(cycle)];
    if (!all.empty()) return all;
    for (const Seat& seat : *control_->seats(cycle)) all.emplace_back(seat.rank, static_cast<int>(std::ssize(all)));
    std::sort(all.begin(), all.end());
    return all;
  }

  bool complete(int rank, const Duty& duty) {
    if (!job_.board(rank).is_put(duty.cycle)) return false;
    return std::all_of(duty.seats.begin(), duty.seats.end(),
                       [&](int seat) { return parcels_of(duty.cycle, seat).placed; });
  }

  // In a call, waiting: what comes meanwhile is taken.
  Task wait_on(int rank, Signal& signal) {
    waits_[static_cast<std::size_t>(rank)] = true;
    ask(rank);
    co_await signal;
    waits_[static_cast<std::size_t>(rank)] = false;
  }
  Task wait(int rank) { return wait_on(rank, job_.rank(rank).signal); }

  void ask(int rank) {
    std::vector<Message>& asked = holder(rank).asked;
    for (const Message& message : asked) job_.network.send(message);
    asked.clear();
  }

  // What can be done without waiting.
  Task progress(int rank) {
    ask(rank);
    Holder& here = holder(rank);
    co_await place_all(rank);
    holder(rank).pop_done();
    tell_written(rank);
    if (!slack_ || job_.board(rank).all_others_put(job_.rank(rank).next_cycle)) co_return;
    while (!here.duties.empty() && complete(rank, here.duties.front()) &&
           control_->released(rank) >= here.duties.front().cycle && take_turn(rank)) {
      const double begin = job_.now();
      co_await write_in_turn(rank, here.duties.front());
      job_.rank(rank).times.slack += job_.now() - begin;
      holder(rank).pop_done();
    }
  }

  // What has come, and what comes while that is placed: nobody would hear of it later.
  Task place_all(int rank) {
    while (Parcels* parcels = to_place(rank)) {
      parcels->taken = true;
      co_await job_.copy(rank, parcels->bytes, Step::rearrange, parcels->cycle);
      parcels->placed = true;
      tell(rank);
    }
  }

  Parcels* to_place(int rank) {
    for (const Duty& duty : holder(rank).duties)
      for (const int seat : duty.seats) {
        Parcels& parcels = parcels_of(duty.cycle, seat);
        if (parcels.come && !parcels.taken) return &parcels;
      }
    return nullptr;
  }

  // Of a rank's host; who waits for a place out of the window looks again.
  void tell_written(int rank) {
    if (!control_->by_window()) return;
    Holder& here = holder(rank);
    const int last = here.written_through();
    while (here.told < last)
      if (job_.board(rank).say_written(++here.told)) tell_host(rank);
  }

  bool take_turn(int rank) {
    HostBoard& board = job_.board(rank);
    if (board.writing >= job_.most_at_once()) return false;
    ++board.writing;
    return true;
  }

  // Whose turn it is; says that the tiles are written.
  Task write_in_turn(int rank, Duty& duty, bool beside = false) {
    const double begin = job_.now();
    const int cycle = duty.cycle;
    for (const int seat : duty.seats) co_await job_.write_tiles(rank, cycle, seat);
    if (beside) job_.rank(rank).times.hidden += job_.now() - begin;
    job_.spent(rank, Step::write, begin, cycle, beside);
    HostBoard& board = job_.board(rank);
    --board.writing;
    board.turn.tell();
    if (slack_) tell_host(rank);  // who found no turn looks again
    for (const int seat : duty.seats)
      control_->written(rank, cycle, (*control_->seats(rank, cycle))[static_cast<std::size_t>(seat)].place);
    duty.done = true;
    job_.rank(rank).signal.tell();
  }

  // The writer thread.
  Task write_beside(int rank) {
    RankState& state = job_.rank(rank);
    for (;;) {
      if (listens_) co_await place_all(rank);
      if (listens_) tell_written(rank);
      Duty* next = holder(rank).next();
      if (!next || !complete(rank, *next) || (!next->forced && control_->released(rank) < next->cycle)) {
        co_await state.thread_signal;
        continue;
      }
      next->begun = true;
      while (!take_turn(rank)) co_await job_.board(rank).turn;
      co_await write_in_turn(rank, *next, true);
    }
  }

  // Does this rank's duties up to a cycle, waiting for the pieces that are missing.
  Task retire(int rank, int cycle) {
    Holder& here = holder(rank);
    holder(rank).pop_done();
    while (!here.duties.empty() && here.duties.front().cycle <= cycle) {
      Duty& duty = here.duties.front();
      duty.forced = true;
      job_.rank(rank).thread_signal.tell();
      co_await progress_until(rank, duty);
      if (!background_) {
        while (!take_turn(rank)) co_await wait_on(rank, job_.board(rank).turn);
        co_await write_in_turn(rank, duty);
      }
      while (!duty.done) co_await wait(rank);
      holder(rank).pop_done();
    }
    tell_written(rank);
  }

  Task progress_until(int rank, const Duty& duty) {
    for (;;) {
      co_await place_all(rank);
      if (complete(rank, duty)) co_return;
      co_await wait(rank);
    }
  }

  Task write_collectively(int rank, int cycle) {
    co_await retire(rank, cycle - 1);
    Duty& duty = holder(rank).duties.back();
    co_await progress_until(rank, duty);
    const double begin = job_.now();
    co_await collective_.write(rank, cycle);
    job_.spent(rank, Step::write, begin, cycle);
    for (const int seat : duty.seats)
      control_->written(rank, cycle, (*control_->seats(rank, cycle))[static_cast<std::size_t>(seat)].place);
    duty.done = true;
    holder(rank).pop_done();
  }

  // What was sent of cycles up to this one, and of no later one: whoever holds those may have left this call.
  Task send_all(int rank, int cycle) {
    for (; sends_.waited(rank) < cycle; sends_.say_waited(rank)) {
      const int next = sends_.waited(rank) + 1;
      if (!sends_.any(next)) continue;
      const Arrivals& arrivals = sends_.of(rank, next);
      while (arrivals.missing() > 0) {
        co_await wait(rank);
        co_await progress(rank);
      }
      co_await job_.engine.until(arrivals.last());
    }
  }

  Job& job_;
  int window_;
  bool background_, slack_, listens_;
  std::unique_ptr<Control> control_;
  CollectiveWrite collective_;
  std::vector<std::vector<Parcels>> parcels_;            // by cycle, then by seat
  std::vector<std::vector<std::pair<int, int>>> taken_;  // by cycle: rank and seat
  Sends sends_;
  std::vector<Holder> holders_;
  std::vector<char> waits_;  // by rank: in a call, and taking what comes
};

void Parcels::happen() {
  flow->arrived(*this);
}

}  // namespace

std::unique_ptr<Flow> make_dynamic_flow(Job& job) {
  return std::make_unique<DynamicFlow>(job);
}

}  // namespace weir::simulate
