// SPDX-License-Identifier: Apache-2.0
#include "engine/cycles.hpp"

#include <utility>

#include "engine/controls.hpp"
#include "flow/memory_cycles.hpp"

namespace weir {

namespace {

// 0 where the whole has no places, which is in parts. Alike on all ranks.
std::int64_t first_byte_of(const OpenFile& file, int var, std::int64_t record) {
  const Geometry& places = file.output->geometry();
  return var < std::ssize(places.begin) ? places.first_byte(var, record) : 0;
}

}  // namespace

Cycles::Cycles(RankContext& rank, Agreement& agreement, const Roles& roles, const Comm* link)
    : rank_(rank), agreement_(agreement), roles_(roles), run_(make_flow(link)) {}

std::unique_ptr<RunFlow> Cycles::make_flow(const Comm* link) {
  const RunParts parts{rank_.config,         rank_.comm,    rank_.machine,     rank_.reach, rank_.staging,
                       rank_.host_status,    batch_,        rank_.tally,       rank_.trace, agreement_.noted(),
                       rank_.liveness_check, rank_.storage, rank_.writer_cores};
  const int tile_buffers = rank_.staging.tile_buffers(), slots = static_cast<int>(roles_.writers().size());
  const int window = cycles_in_flight(rank_.config, rank_.machine, tile_buffers, slots);
  const ScheduleParameters how = schedule_parameters(rank_.config, tile_buffers);
  std::unique_ptr<Control> control;
  switch (control_way(rank_.config, rank_.machine, rank_.reach.shared())) {
    case ControlWay::fixed:
      control = make_fixed_control();
      break;
    case ControlWay::remote:
      require(link != nullptr, WEIR_EINTERNAL, "no rank serves the scheduler");
      control = make_remote_control(*link, rank_.machine, rank_.config.timeout_seconds);
      break;
    case ControlWay::hosted:
      control = make_hosted_control(rank_.host, rank_.machine, how, window, rank_.deadline());
      break;
    case ControlWay::implied:
      control = make_implied_control(rank_.machine, how, window);
  }
  return std::make_unique<RunFlow>(parts, std::move(control), window);
}

// What rules of cycles (flow/memory_cycles.hpp) ask for.
struct Cycles::CycleOps {
  Cycles& cycles;
  std::string_view call = cycle_call;
  const PutRequest* request = nullptr;
  const Plan* steps = nullptr;
  RangeFailure* failure = nullptr;

  Staging& memory() const noexcept { return cycles.rank_.staging; }
  bool open() const noexcept { return !cycles.batch_.empty(); }
  std::uint32_t number() const noexcept { return cycles.cycle_.number; }
  void begin() const { cycles.begin(); }
  void used_up() const { cycles.rank_.trace.main().mark(Mark::full, {.number = number()}); }
  void make_room(std::uint32_t earlier) const {
    if (!cycles.run_->flow.make_room(earlier)) cycles.agreement_.join_out_of_sync();
  }
  Need need(std::size_t round) const {
    return need_of(steps->reserves[round], steps->element_bytes,
                   first_byte_of(*request->file, request->var, request->record));
  }
  void put(std::size_t round, const Reservation& reservation) const {
    failure->merge(cycles.put({request->file, request->var, request->record, steps, round, reservation, request->fill},
                              request->buffer));
  }
  bool full() const noexcept { return cycles.run_->flow.full(memory().tile_bytes()); }
  bool collective() const noexcept { return cycles.batch_.writes_collectively(); }
  void agree() const { cycles.agree_to_write(call); }
  void hand_over() const { cycles.hand_over(); }
};

RangeFailure Cycles::put(const PutRequest& request, const Plan& steps) {
  RangeFailure failure;
  put_in_cycles(steps.rounds.size(), CycleOps{*this, cycle_call, &request, &steps, &failure});
  rank_.tally.bytes_put += request.layout->elements_held() * request.key.element_bytes;
  ++rank_.tally.puts;
  return failure;
}

RangeFailure Cycles::put(const Entry& entry, const Buffer& buffer) {
  batch_.add(entry);
  const Stopwatch watch(rank_.tally.put_seconds);
  return stage(cycle_, entry, buffer, rank_.staging, rank_.reach);
}

void Cycles::begin() {
  at_rest_ = false;
  ++cycle_.number;
  cycle_.wanted = static_cast<int>(roles_.writers().size());
  if (!run_->flow.begin(cycle_)) agreement_.join_out_of_sync();
}

void Cycles::hand_over() {
  if (!run_->flow.finish(cycle_)) agreement_.join_out_of_sync();
  batch_.clear();
  ++rank_.tally.cycles;
}

void Cycles::end_record() {
  ++rank_.tally.records;
  end_record_in_cycle(rank_.config, CycleOps{*this});
}

void Cycles::flush(std::string_view call) {
  try {
    finish_cycle(CycleOps{*this, call.empty() ? cycle_call : call});
    if (!run_->flow.drain()) agreement_.join_out_of_sync();
  } catch (const Error& error) {
    agreement_.explain(error, call.empty() ? "" : std::string(call) + ": ");
    throw;
  }
}

void Cycles::drain() {
  flush();
  agreement_.agree_at({AgreementPoint::drain, 0, "put of what was put before", nullptr}, {});
  at_rest_ = true;
}

// Until all ranks agree on what is left in the batch: a file that failed on one rank leaves it on all.
void Cycles::agree_to_write(std::string_view call) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = cycle_.number});
  for (;;) {
    const Status common = agreement_.agree_on({AgreementPoint::flush, 0, call, nullptr}, nullptr);
    if (common.ok()) return;
    agreement_.fail(common);
    if (common.scope.kind != Scope::one_file) common.raise();
    batch_.drop_failed();
  }
}

Traffic Cycles::traffic() const noexcept {
  const Traffic& now = transport().traffic();
  return {past_.messages + now.messages, past_.relayed + now.relayed, past_.message_bytes + now.message_bytes};
}

void Cycles::go_on_with(std::unique_ptr<RunFlow> run) {
  past_ = traffic();
  run_ = std::move(run);
  cycle_ = Cycle{.number = cycle_.number + most_tile_buffers, .slots = {}};
  batch_.clear();
  restart();
}

void Cycles::drop() {
  batch_.clear();
  rank_.staging.close();
  at_rest_ = true;
}

void Cycles::end(std::uint32_t furthest) {
  cycle_.number = furthest + most_tile_buffers;
  run_->flow.drop();
  transport().drain(rank_.deadline());
  run_->control->end(cycle_.number);
}

void Cycles::restart() {
  run_->flow.restart(cycle_.number);
  run_->control->restart(cycle_.number);
  rank_.staging.give_back(cycle_.number);
  rank_.host_status.restart(cycle_.number);
}

bool Cycles::abandon() noexcept {
  if (!run_) return true;
  run_->control->abandon();
  return run_->world.abandon();
}

}  // namespace weir
