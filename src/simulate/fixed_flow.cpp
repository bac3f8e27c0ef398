// SPDX-License-Identifier: Apache-2.0
// Fixed owners, as in flow/fixed_flow.cpp, step by step.
#include <algorithm>
#include <deque>
#include <utility>

#include "put/memory_budget.hpp"
#include "simulate/collective_write.hpp"
#include "simulate/job.hpp"

namespace weir::simulate {

namespace {

// What comes to an owner in a cycle. Its messages wait at their senders until it asks for them, but small ones.
struct Inbox {
  bool open = false;
  Arrivals arrivals;
  std::vector<Message> waiting;
};

class FixedFlow final : public Flow, public Receiver {
 public:
  explicit FixedFlow(Job& job)
      : job_(job),
        background_(job.in.config.overlap == OverlapKind::background && !job.in.target.collective()),
        collective_(job),
        inboxes_(job.in.script.cycles.size()) {
    for (std::size_t c = 0; c < inboxes_.size(); ++c)
      for (const Traffic::Owner& owner : traffic(static_cast<int>(c) + 1).owners) {
        Inbox& inbox = inboxes_[c].emplace_back();
        inbox.arrivals.expect(owner.sources);
      }
    if (background_) threads_.resize(job.states.size());
  }

  // The place that this cycle fills was written by the cycle before the last one.
  Task begin(int rank, int cycle) override {
    if (job_.board(rank).is_written(cycle - fewest_places)) return Task::nothing();
    return await_place(rank, cycle);
  }

  Task make_room(int, int) override { return Task::nothing(); }

  // Most ranks of a large job have nothing to do with most cycles: they go on at once.
  Task finish(int rank, int cycle) override {
    if (job_.in.target.collective() || has_part(rank, cycle)) return take_part(rank, cycle);
    say_put(rank, cycle);
    say_written(rank, cycle);
    return Task::nothing();
  }

  Task settle(int rank) override {
    const double begin = job_.now();
    while (background_ && !thread_of(rank).empty()) co_await job_.rank(rank).signal;
    job_.spent(rank, Step::wait, begin);
  }

  void delivered(const Message& message, double time) override {
    RankState& sender = job_.rank(message.from);
    if (sender.sends.come(time)) sender.signal.tell();
    if (inbox(message.to, static_cast<int>(message.what))->arrivals.come(time)) job_.rank(message.to).signal.tell();
  }

 private:
  using Duties = std::deque<std::pair<int, Task>>;

  const Traffic& traffic(int cycle) const { return *job_.in.script.cycle(cycle).traffic; }
  Duties& thread_of(int rank) { return threads_[static_cast<std::size_t>(rank)]; }

  // nullptr where the rank owns nothing of the cycle.
  Inbox* inbox(int rank, int cycle) {
    const Traffic& all = traffic(cycle);
    const Traffic::Owner* owner = all.owner(rank);
    if (!owner) return nullptr;
    return &inboxes_[static_cast<std::size_t>(cycle) - 1][static_cast<std::size_t>(owner - all.owners.data())];
  }

  // By message, or as an owner.
  bool has_part(int rank, int cycle) const {
    const auto pieces = traffic(cycle).pieces_of(rank);
    return traffic(cycle).owner(rank) != nullptr ||
           std::any_of(pieces.begin(), pieces.end(), [](const Traffic::Piece& piece) { return piece.by_message; });
  }

  void say_put(int rank, int cycle) {
    HostBoard& board = job_.board(rank);
    if (board.say_put(cycle)) board.all_put.tell();
  }

  Task take_part(int rank, int cycle) {
    if (job_.in.target.collective()) co_await job_.meet(rank);
    const Traffic::Owner* mine = traffic(cycle).owner(rank);
    say_put(rank, cycle);
    if (mine) co_await await_pieces(rank, cycle);
    co_await forward(rank, cycle, mine);
    if (mine) co_await job_.copy(rank, mine->received, Step::rearrange, cycle);
    if (background_ && mine) {
      thread_of(rank).push_back({cycle, write_beside(rank, cycle)});
      if (thread_of(rank).size() == 1) thread_of(rank).front().second.start(job_.engine);
      co_return;
    }
    const double begin = job_.now();
    if (job_.in.target.collective())
      co_await collective_.write(rank, cycle);
    else if (mine)
      co_await job_.write_tiles(rank, cycle, rank);
    job_.spent(rank, Step::write, begin, cycle);
    say_written(rank, cycle);
  }

  Task await_place(int rank, int cycle) {
    const double begin = job_.now();
    while (!job_.board(rank).is_written(cycle - fewest_places)) co_await job_.board(rank).all_written;
    job_.spent(rank, Step::wait, begin, cycle);
  }

  // An owner's, of the ranks of its host.
  Task await_pieces(int rank, int cycle) {
    const double begin = job_.now();
    while (!job_.board(rank).is_put(cycle)) co_await job_.board(rank).all_put;
    job_.spent(rank, Step::wait, begin, cycle);
  }

  // A rank waits for those it exchanges something with.
  Task forward(int rank, int cycle, const Traffic::Owner* mine) {
    const double begin = job_.now();
    Inbox* own = mine ? inbox(rank, cycle) : nullptr;
    if (own) {
      own->open = true;
      for (const Message& message : std::exchange(own->waiting, {})) job_.network.send(message);
    }
    RankState& state = job_.rank(rank);
    state.sends = {};
    for (const Traffic::Piece& piece : traffic(cycle).pieces_of(rank))
      if (piece.by_message) send({rank, piece.owner, piece.bytes, cycle, this});
    const bool alone = state.sends.missing() == 0 && (!own || own->arrivals.missing() == 0);
    while (state.sends.missing() > 0 || (own && own->arrivals.missing() > 0)) co_await state.signal;
    if (!alone || own) co_await job_.engine.until(std::max(state.sends.last(), own ? own->arrivals.last() : 0));
    job_.spent(rank, Step::forward, begin, cycle);
  }

  void send(const Message& message) {
    job_.rank(message.from).sends.expect(1);
    Inbox& there = *inbox(message.to, static_cast<int>(message.what));
    if (there.open || message.bytes <= job_.in.profile.eager)
      job_.network.send(message);
    else
      there.waiting.push_back(message);
  }

  Task write_beside(int rank, int cycle) {
    const double begin = job_.now();
    co_await job_.write_tiles(rank, cycle, rank);
    job_.rank(rank).times.hidden += job_.now() - begin;
    job_.spent(rank, Step::write, begin, cycle, true);
    say_written(rank, cycle);
    done_.push_back(std::move(thread_of(rank).front().second));
    thread_of(rank).pop_front();
    if (!thread_of(rank).empty()) thread_of(rank).front().second.start(job_.engine);
    job_.rank(rank).signal.tell();
  }

  void say_written(int rank, int cycle) {
    HostBoard& board = job_.board(rank);
    if (board.say_written(cycle)) board.all_written.tell();
  }

  Job& job_;
  bool background_;
  CollectiveWrite collective_;
  std::vector<std::vector<Inbox>> inboxes_;  // by cycle, then as the traffic's owners
  std::vector<Duties> threads_;              // what each writer thread has to write, the first of it under way
  std::vector<Task> done_;                   // a task cannot destroy itself
};

}  // namespace

std::unique_ptr<Flow> make_fixed_flow(Job& job) {
  return std::make_unique<FixedFlow>(job);
}

}  // namespace weir::simulate
