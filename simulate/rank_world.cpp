// SPDX-License-Identifier: Apache-2.0
#include "simulate/rank_world.hpp"

#include <algorithm>
#include <utility>

#include "schedule/control.hpp"
#include "schedule/memory_budget.hpp"

namespace weir::simulate {

namespace {

// On a stack of its own, once there is something to write.
class FiberWriter final : public BackgroundWriter {
 public:
  FiberWriter(Job& job, RankWorld& world, Waiter& waiter, Work work)
      : BackgroundWriter(std::move(work)), job_(job), world_(world), waiter_(waiter), done_(job.engine) {}

  void add(PendingWrite& pending) override {
    enqueue(pending);
    if (!std::exchange(begun_, true)) job_.engine.start([this] { run(); });
    waiter_.tell();
  }
  void notify() override { waiter_.tell(); }
  void await(const PendingWrite& pending) override {
    while (!pending.done) done_.wait();
  }
  void drop() override { drop_waiting(); }
  void pause(const std::function<void()>& change) override { change(); }
  bool stopping() const noexcept override { return false; }

 private:
  void run() {
    while (write_next()) {
    }
  }
  PendingWrite* next() override {
    while (!oldest()) waiter_.wait();
    return oldest();
  }
  void sleep(const PendingWrite&) override { waiter_.wait(); }
  bool begin(PendingWrite& pending) override { return BackgroundWriter::take(pending); }
  void end(PendingWrite& pending) override {
    finish(pending);
    done_.tell();
    world_.tell_rank();
  }

  Job& job_;
  RankWorld& world_;
  Waiter& waiter_;
  Waiter done_;
  bool begun_ = false;  // once there is something to write
};

// Models mostly begin MPI with less than what lets any thread call it: who wants a thread says so.
bool wants_listener(const JobInputs& in) {
  const bool any_thread = in.config.progress == ProgressKind::thread;
  return listens_in_background(in.config, in.machine().all_reach(in.placement.shared_memory), any_thread);
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
             cycles_in_flight(on.in.config, on.in.machine(), on.in.script.tile_buffers, on.in.script.most_slots())},
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
  job.engine.set_fetcher(this);
}

Ranks::~Ranks() {
  job.engine.set_fetcher(nullptr);
}

namespace {

template <class Object>
void fetch_all_of(const Object& object) noexcept {
  constexpr std::size_t line = 64;
  const auto* const first = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < sizeof object; at += line) __builtin_prefetch(first + at);
}

}  // namespace

void Ranks::fetch(int number, int step) const noexcept {
  const auto rank = static_cast<std::size_t>(number);
  if (step == 0) {
    __builtin_prefetch(&job.states[rank]);
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

void Ranks::begin(int rank, int number) {
  check(flow(rank).begin(cycle(rank, number)));
}

void Ranks::make_room(int rank, int number) {
  check(flow(rank).make_room(static_cast<std::uint32_t>(number)));
}

void Ranks::finish(int rank, int number) {
  check(flow(rank).finish(cycle(rank, number)));
}

void Ranks::drain(int rank) {
  check(flow(rank).drain());
}

void Ranks::enter_call(int rank) {
  if (listens) world(rank).enter_call();
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
      background_(ranks.job.engine),
      listener_(ranks.job.engine) {}

std::unique_ptr<PendingWrite> RankWorld::take_puts(std::uint32_t cycle, std::unique_ptr<PendingWrite> spare) {
  if (!spare) spare = std::make_unique<PendingWrite>();
  spare->cycle = cycle;
  spare->tile_bytes = script(cycle).tile_bytes;
  spare->owns_tile = traffic(cycle).owner(rank_) != nullptr;
  spare->collective = job_.in.target.collective();
  spare->one_at_a_time = job_.one_at_a_time();
  return spare;
}

void RankWorld::tell() {
  tell_rank();
  background_.tell();
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
    if (what == Awaited::pieces) there.background_.tell();
  }
}

void RankWorld::say_put(std::uint32_t cycle) {
  if (host_status_.say_put(static_cast<int>(cycle))) tell_host(Awaited::pieces);
}

void RankWorld::say_written(std::uint32_t cycle) {
  bool all = false;
  while (published_ < static_cast<int>(cycle)) all = host_status_.say_written(++published_) || all;
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

void RankWorld::await_turn(int, Wait*) {
  host_status_.turn.wait();
}

void RankWorld::write_tiles(const PendingWrite& pending, bool background) {
  struct Tile {
    const Entry& entry;
    int owner;
  };
  const std::vector<Entry>& entries = script(pending.cycle).entries;
  std::vector<Tile> order;
  order.reserve(entries.size() * pending.tiles.size());
  each_tile(entries.size(), pending.tiles, [&](std::size_t entry, const HeldTile& tile) {
    order.push_back({entries[entry], tile.owner_or_slot});
  });
  const std::int64_t& written = job_.rank(rank_).times.bytes_written;
  for (const Tile& tile : order) {
    const std::int64_t before = written;
    job_.write_tile(rank_, static_cast<int>(pending.cycle), tile.entry, tile.owner);
    if (background) job_.take_core(rank_, written - before);
  }
}

void RankWorld::write(PendingWrite& pending) {
  if (pending.collective)
    ranks_.collective.write(static_cast<int>(pending.cycle));
  else
    write_tiles(pending, false);
}

void RankWorld::write_in_background(PendingWrite& pending) {
  const double begin = now();
  write_tiles(pending, true);
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
void RankWorld::pause(Wait& wait) {
  takes_ = true;
  awaits_ = wait.what;
  if (wait.what == Awaited::sent && taken_at_ > now())
    job_.engine.until(taken_at_);
  else
    waiter_.wait();
  takes_ = false;
}

std::unique_ptr<BackgroundWriter> RankWorld::make_background_writer(BackgroundWriter::Work work) {
  return std::make_unique<FiberWriter>(job_, *this, background_, std::move(work));
}

void RankWorld::start_listening(Flow& flow) {
  job_.engine.start([this, &flow] { listen_in_background(flow); });
}

void RankWorld::listen_in_background(Flow& flow) {
  for (;;) {
    listener_.wait();
    if (in_call_) continue;
    advancing_ = true;
    flow.listen();
    advancing_ = false;
    waiter_.tell();
  }
}

void RankWorld::enter_call() {
  while (advancing_) waiter_.wait();
  in_call_ = true;
}

void RankWorld::leave_call() {
  in_call_ = false;
  listener_.tell();
}

}  // namespace weir::simulate
