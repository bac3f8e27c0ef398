// SPDX-License-Identifier: Apache-2.0
#include "engine/cycles.hpp"

#include <utility>

#include "engine/controls.hpp"
#include "schedule/memory_budget.hpp"

namespace weir {

namespace {

// 0 where the whole has no places, which is in parts. Alike on all ranks.
std::int64_t first_byte_of(const OpenFile& file, int var, std::int64_t record) {
  const Geometry& places = file.output->geometry();
  return var < std::ssize(places.begin) ? places.first_byte(var, record) : 0;
}

// Of a cycle that begins with a round of this put. The same round of the variable's next record is of the same series.
std::int64_t series_of(const PutRequest& request, std::int64_t row, std::size_t round) {
  if (row == 0) return 0;
  std::uint64_t series = mix(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(request.file->serial));
  series = mix(mix(series, static_cast<std::uint64_t>(request.var)), round);
  return static_cast<std::int64_t>(series);
}

}  // namespace

Cycles::Cycles(RankContext& rank, Agreement& agreement, const Roles& roles, const Comm* link)
    : rank_(rank), agreement_(agreement), roles_(roles), run_(make_flow(link)) {}

std::unique_ptr<RunFlow> Cycles::make_flow(const Comm* link) {
  const RunParts parts{*rank_.config,        rank_.comm,    rank_.machine,     rank_.reach, rank_.staging,
                       rank_.host_status,    batch_,        rank_.tally,       rank_.trace, agreement_.noted(),
                       rank_.liveness_check, rank_.storage, rank_.writer_cores};
  const int tile_buffers = rank_.staging.tile_buffers(), slots = static_cast<int>(roles_.writers().size());
  const int window = cycles_in_flight(*rank_.config, rank_.machine, tile_buffers, slots);
  const ScheduleParameters how = schedule_parameters(*rank_.config, tile_buffers);
  std::unique_ptr<Control> control;
  switch (control_way(*rank_.config, rank_.machine, rank_.reach.shared())) {
    case ControlWay::fixed:
      control = make_fixed_control();
      break;
    case ControlWay::remote:
      require(link != nullptr, WEIR_EINTERNAL, "no rank serves the scheduler");
      control = make_remote_control(*link, rank_.machine, rank_.config->timeout_seconds);
      break;
    case ControlWay::hosted:
      control = make_hosted_control(rank_.host, rank_.machine, how, window, rank_.deadline());
      break;
    case ControlWay::implied:
      control = make_implied_control(rank_.machine, how, window);
  }
  return std::make_unique<RunFlow>(parts, std::move(control), window);
}

RangeFailure Cycles::put(const PutRequest& request, const Plan& steps) {
  const std::int64_t first_byte = first_byte_of(*request.file, request.var, request.record);
  const std::int64_t row = request.file->output->chunk_row(request.var, request.record);
  RangeFailure failure;
  for (std::size_t round = 0; round < steps.rounds.size(); ++round) {
    const Need need = need_of(steps.reserves[round], steps.element_bytes, first_byte);
    const Reservation place = reserve(need, series_of(request, row, round));
    if (row != 0) request.file->output->note_holders(request.var, round, holders(steps.rounds.size()));
    const Entry entry{request.file, request.var, request.record, &steps, round, place, request.fill};
    batch_.add(entry);
    {
      const Stopwatch watch(rank_.tally.put_seconds);
      failure.merge(stage(cycle_, entry, request.buffer, rank_.staging, rank_.reach));
    }
    if (run_->flow.full(cycle_, rank_.staging.tile_bytes())) finish();
  }
  rank_.tally.bytes_put += request.layout->elements_held() * request.key.element_bytes;
  ++rank_.tally.puts;
  return failure;
}

Reservation Cycles::reserve(const Need& need, std::int64_t series) {
  for (;;) {
    switch (rank_.staging.budget().next_step(need, open_, cycle_.number)) {
      case RoomStep::begin_cycle:
        begin(series);
        break;
      case RoomStep::finish_cycle:
        rank_.trace.main().mark(Mark::full, {.number = cycle_.number});
        finish();
        break;
      case RoomStep::await_messages:
        if (!run_->flow.make_room(rank_.staging.budget().in_the_way(need))) agreement_.join_out_of_sync();
        break;
      case RoomStep::reserve:
        return rank_.staging.reserve(need, cycle_.number);
    }
  }
}

void Cycles::begin(std::int64_t series) {
  at_rest_ = false;
  ++cycle_.number;
  cycle_.wanted = static_cast<int>(roles_.writers().size());
  cycle_.series = series;
  if (!run_->flow.begin(cycle_)) agreement_.join_out_of_sync();
  open_ = true;
}

// With two hops a rank may not know them yet: each cycle counts as held by others. Tiles of another number of rounds
// are cut elsewhere.
std::uint64_t Cycles::holders(std::size_t rounds) const noexcept {
  if (cycle_.fixed) return 0;
  if (rank_.config->hops == HopKind::two) return cycle_.number;
  std::uint64_t ranks = rounds;
  for (const Slot& slot : cycle_.slots) ranks = mix(ranks, static_cast<std::uint64_t>(slot.rank));
  return ranks;
}

void Cycles::finish(std::string_view call) {
  if (!open_) return;
  if (batch_.writes_collectively()) agree_to_write(call);
  if (!run_->flow.finish(cycle_)) agreement_.join_out_of_sync();
  batch_.clear();
  rank_.staging.close();
  open_ = false;
  ++rank_.tally.cycles;
}

void Cycles::end_record() {
  ++rank_.tally.records;
  if (ends_with_record(rank_.staging.tile_bytes(), batch_.writes_collectively(), *rank_.config)) finish();
}

void Cycles::flush(std::string_view call) {
  try {
    finish(call.empty() ? cycle_call : call);
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
  open_ = false;
  restart();
}

void Cycles::drop() {
  batch_.clear();
  rank_.staging.close();
  open_ = false;
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
