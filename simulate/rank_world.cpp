// SPDX-License-Identifier: Apache-2.0
#include "simulate/rank_world.hpp"

#include <algorithm>
#include <utility>

#include "control/parameters.hpp"
#include "flow/beside_steps.hpp"
#include "memory/memory_budget.hpp"

namespace weir::simulate {

namespace {

// What writes beside the model.
class BesideTask final : public Beside, private BesideSteps {
 public:
  BesideTask(Job& job, RankWorld& world, Waiter& waiter, Work work)
      : job_(job), world_(world), work_(std::move(work)), waiter_(waiter), done_(job.engine) {}
  static void* operator new(std::size_t bytes) { return take_frame(bytes); }
  static void operator delete(void* task, std::size_t bytes) noexcept { give_frame(task, bytes); }

  void add(PendingWrite& pending) override {
    waiting_.add(pending);
    if (task_.empty()) {
      task_.push_back(run());
      task_.back().start(job_.engine);
    }
    waiter_.tell();
  }
  void look_again() override { waiter_.tell(); }
  Task await(const PendingWrite& pending) override {
    while (!pending.done) co_await done_.wait();
  }
  void drop() override { waiting_.drop(); }
  void pause(const std::function<void()>& change) override { change(); }
  bool stopping() const noexcept override { return false; }

 private:
  Task run() {
    for (;;) {
      const bool more = co_await write_next(*this, work_);
      if (!more) co_return;
    }
  }
  weir::Task<PendingWrite*> next() override {
    PendingWrite* const oldest = waiting_.oldest();
    return oldest ? weir::Task<PendingWrite*>::of(oldest) : wait_for_one();
  }
  weir::Task<PendingWrite*> wait_for_one() {
    while (!waiting_.oldest()) co_await waiter_.wait();
    co_return waiting_.oldest();
  }
  Task sleep(const PendingWrite&) override { co_await waiter_.wait(); }
  bool begin(PendingWrite& pending) override { return waiting_.take(pending); }
  void end(PendingWrite& pending) override {
    waiting_.end(pending, work_);
    done_.tell();
    world_.tell_rank();
  }

  Job& job_;
  RankWorld& world_;
  Work work_;
  Waiter& waiter_;
  Waiter done_;
  WaitingWrites waiting_;
  std::vector<Task> task_;  // once there is something to write
};

// Models mostly begin MPI with less than what lets any thread call it: who wants a thread says so.
bool wants_listener(const JobInputs& in) {
  const bool any_thread = in.config.progress == ProgressKind::thread;
  return listens_beside(in.config, in.machine().all_reach(in.dealt.shared_memory), any_thread);
}

void check(bool in_sync) {
  require(in_sync, WEIR_EINTERNAL, "a simulated rank is out of sync");
}

}  // namespace

Ranks::Ranks(Job& on)
    : job(on),
      collective(on),
      sends(on.in.script.cycles.size(), on.states.size()),
      message_to(on.states.size()),
      listens(wants_listener(on.in)),
      setup_{on.in.config, on.in.machine(),
             cycles_in_flight(on.in.config, on.in.machine(), on.in.script.places, on.in.script.most_slots())},
      worlds_(on.states.size()),
      flows_(on.states.size()),
      cycles_(on.states.size()) {
  for (int rank = 0; rank < job.ranks(); ++rank) worlds_.add(*this, rank);
  const auto tell = [this](int rank) {
    has_control_rank(job.in.config) ? world(rank).tell_rank() : world(rank).tell();
  };
  controls_ = make_controls(job, setup_.window, tell);
  for (int rank = 0; rank < job.ranks(); ++rank) {
    flows_.add(world(rank), setup_, *controls_.of(rank));
    if (listens) world(rank).start_listening(flow(rank));
  }
  job.fetcher = this;
}

Ranks::~Ranks() {
  job.fetcher = nullptr;
}

namespace {

template <class Object>
void fetch_all_of(const Object& object) noexcept {
  constexpr std::size_t line_bytes = 64;
  const auto* const first = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof object; at += line_bytes) __builtin_prefetch(first + at);
}

}  // namespace

void Ranks::fetch(int number, int step) const noexcept {
  const auto rank = static_cast<std::size_t>(number);
  if (step == 0) {
    fetch_all_of(worlds_[rank]);
    fetch_all_of(flows_[rank]);
    fetch_all_of(cycles_[rank]);
  }
  worlds_[rank].fetch_waiter(step);
}

Cycle& Ranks::cycle(int rank, int number) {
  Cycle& cycle = cycles_[static_cast<std::size_t>(rank)];
  cycle.number = static_cast<std::uint32_t>(number);
  cycle.wanted = job.in.script.cycle(number).slots;
  return cycle;
}

Task Ranks::begin(int rank, int number) {
  const bool in_sync = co_await flow(rank).begin(cycle(rank, number));
  check(in_sync);
}

Task Ranks::make_room(int rank, int number) {
  const bool in_sync = co_await flow(rank).make_room(static_cast<std::uint32_t>(number));
  check(in_sync);
}

Task Ranks::finish(int rank, int number) {
  const bool in_sync = co_await flow(rank).finish(cycle(rank, number));
  check(in_sync);
}

Task Ranks::settle(int rank) {
  const bool in_sync = co_await flow(rank).settle();
  check(in_sync);
}

Task Ranks::enter_call(int rank) {
  return listens ? world(rank).enter_call() : Task::nothing();
}

void Ranks::leave_call(int rank) {
  if (listens) world(rank).leave_call();
}

std::int64_t Ranks::control_messages() const noexcept {
  return controls_.messages();
}

RankWorld::RankWorld(Ranks& ranks, int rank)
    : ranks_(ranks),
      job_(ranks.job),
      rank_(rank),
      host_status_(ranks.job.host_status(rank)),
      waiter_(ranks.job.engine),
      beside_(ranks.job.engine),
      listener_(ranks.job.engine) {}

namespace {

// Of each rank one or a few, kept where what is simulated is.
struct PooledWrite final : PendingWrite {
  static void* operator new(std::size_t bytes) { return take_frame(bytes); }
  static void operator delete(void* write, std::size_t bytes) noexcept { give_frame(write, bytes); }
};

}  // namespace

std::unique_ptr<PendingWrite> RankWorld::new_pending_write() {
  return std::make_unique<PooledWrite>();
}

void RankWorld::tell() {
  tell_rank();
  beside_.tell();
}

void RankWorld::tell_rank() {
  waiter_.tell();
  if (ranks_.listens) listener_.tell();
}

// Those of the host who wait for it, and those who may write while they wait.
void RankWorld::tell_host(Awaited what) {
  const bool slack = job_.in.config.overlap == OverlapKind::slack;
  for (const int other : job_.in.machine().neighbours(rank_)) {
    RankWorld& there = ranks_.world(other);
    if (there.takes_ && (slack || there.awaits_ == what)) there.waiter_.tell();
    if (what == Awaited::pieces) there.beside_.tell();
  }
}

void RankWorld::say_put(std::uint32_t cycle) {
  if (host_status_.say_put(static_cast<int>(cycle))) tell_host(Awaited::pieces);
}

void RankWorld::say_written(std::uint32_t cycle) {
  bool all = false;
  while (told_ < static_cast<int>(cycle)) all = host_status_.say_written(++told_) || all;
  if (all) tell_host(Awaited::window);
}

bool RankWorld::begin_writing(int most) {
  if (host_status_.writing >= most) return false;
  ++host_status_.writing;
  return true;
}

void RankWorld::end_writing() {
  --host_status_.writing;
  host_status_.turn.tell();
  if (job_.in.config.overlap == OverlapKind::slack) tell_host(Awaited::turn);
}

Task RankWorld::await_turn(int, Wait*) {
  co_await host_status_.turn;
}

Task RankWorld::write_tiles(const PendingWrite& pending, bool beside) {
  struct Tile {
    const Entry& entry;
    int owner;
  };
  const std::vector<Entry>& entries = script(pending.cycle).entries;
  std::vector<Tile> order;
  order.reserve(entries.size() * pending.tiles.size());
  each_tile(entries.size(), pending.tiles, [&](std::size_t entry, const HeldTile& tile) {
    order.push_back({entries[entry], tile.owner});
  });
  const std::int64_t& written = job_.rank(rank_).times.bytes_written;
  for (const Tile& tile : order) {
    const std::int64_t before = written;
    co_await job_.write_tile(rank_, static_cast<int>(pending.cycle), tile.entry, tile.owner);
    if (beside) job_.take_core(rank_, written - before);
  }
}

Task RankWorld::write(PendingWrite& pending) {
  return pending.collective ? ranks_.collective.write(static_cast<int>(pending.cycle)) : write_tiles(pending, false);
}

Task RankWorld::write_beside(PendingWrite& pending) {
  const double begin = now();
  co_await write_tiles(pending, true);
  job_.rank(rank_).times.hidden += now() - begin;
  job_.spent(rank_, Step::write, begin, pending.cycle, true);
}

void RankWorld::spent(Account account, double begin, std::uint32_t cycle) {
  if (account == Account::slack) {
    job_.rank(rank_).times.slack += now() - begin;
    return job_.spent(rank_, Step::write, begin, cycle);
  }
  const Step step = account == Account::forward ? Step::forward : account == Account::write ? Step::write : Step::wait;
  job_.spent(rank_, step, begin, cycle);
}

// In a call, waiting: what comes meanwhile is taken.
Task RankWorld::pause(Wait& wait) {
  takes_ = true;
  awaits_ = wait.what;
  if (wait.what == Awaited::sent && taken_at_ > now())
    co_await job_.engine.until(taken_at_);
  else
    co_await waiter_.wait();
  takes_ = false;
}

std::unique_ptr<Beside> RankWorld::make_beside(Beside::Work work) {
  return std::make_unique<BesideTask>(job_, *this, beside_, std::move(work));
}

void RankWorld::start_listening(Flow& flow) {
  listening_.push_back(listen_beside(flow));
  listening_.back().start(job_.engine);
}

Task RankWorld::listen_beside(Flow& flow) {
  for (;;) {
    co_await listener_.wait();
    if (in_call_) continue;
    advancing_ = true;
    co_await flow.listen();
    advancing_ = false;
    waiter_.tell();
  }
}

Task RankWorld::enter_call() {
  while (advancing_) co_await waiter_.wait();
  in_call_ = true;
}

void RankWorld::leave_call() {
  in_call_ = false;
  listener_.tell();
}

}  // namespace weir::simulate
