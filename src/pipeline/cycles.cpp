// SPDX-License-Identifier: Apache-2.0
#include "pipeline/cycles.hpp"

#include <utility>

#include "run/controls.hpp"

namespace weir {

namespace {

constexpr std::int64_t flush_point = 101;
constexpr std::int64_t settle_point = 103;

// Of a variable's record in its file. Alike on all ranks.
std::int64_t first_byte_of(const OpenFile& file, int var, std::int64_t record) {
  const Geometry& places = file.output->geometry();
  const auto number = static_cast<std::size_t>(var);
  return number < places.begin.size() ? places.begin[number] + record * places.record_bytes : 0;
}

}  // namespace

Cycles::Cycles(RankContext& rank, Meetings& meetings, const Roles& roles, const Comm* link)
    : rank_(rank), meetings_(meetings), roles_(roles), flow_(make_flow(link)) {}

std::unique_ptr<RunFlow> Cycles::make_flow(const Comm* link) {
  const RunParts parts{rank_.config,      rank_.comm,    rank_.machine,     rank_.reach, rank_.staging,
                       rank_.host_status, batch_,        rank_.tally,       rank_.trace, meetings_.noted(),
                       rank_.roll_call,   rank_.storage, rank_.writer_cores};
  if (rank_.config.strategy != StrategyKind::dynamic)
    return std::make_unique<RunFlow>(parts, make_fixed_control(), fewest_places);
  const int window = units_in_flight(rank_.machine, rank_.staging.places(), static_cast<int>(roles_.writers().size()));
  const ScheduleParameters how = schedule_parameters(rank_.config, rank_.staging.places());
  std::unique_ptr<Control> control;
  switch (control_way(link != nullptr, rank_.machine.hosts(), rank_.reach.shared())) {
    case ControlWay::remote:
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

RangeFailure Cycles::put(const Offer& offer, const Plan& steps) {
  RangeFailure failure;
  for (std::size_t round = 0; round < steps.rounds.size(); ++round) {
    const std::int64_t first_byte = first_byte_of(*offer.file, offer.var, offer.record);
    const Reservation place = reserve(need_of(steps.reserves[round], steps.element_bytes, first_byte));
    const Entry entry{offer.file, offer.var, offer.record, &steps, round, place, offer.fill};
    batch_.add(entry);
    {
      const Stopwatch watch(rank_.tally.put_seconds);
      if (rank_.config.leave_out == LeaveOut::place)
        stage_unplaced(cycle_, entry, offer.buffer, rank_.staging, rank_.reach);
      else
        failure.merge(stage(cycle_, entry, offer.buffer, rank_.staging, rank_.reach));
    }
    if (flow_->full(rank_.staging.tile_bytes())) finish();
  }
  rank_.tally.bytes_put += offer.layout->elements_held() * offer.key.element_bytes;
  ++rank_.tally.puts;
  return failure;
}

// What reserve_in_cycle() asks for.
struct Cycles::Memory {
  Cycles& cycles;
  bool open() const { return !cycles.batch_.empty(); }
  std::uint32_t number() const { return cycles.cycle_.number; }
  void begin() { cycles.begin(); }
  void full() {
    cycles.rank_.trace.main().mark(Mark::full, {.number = number()});
    cycles.finish();
  }
  void make_room(std::uint32_t earlier) {
    if (!cycles.flow_->make_room(earlier)) cycles.meetings_.meet_out_of_sync();
  }
};

// Memory in the open cycle, or in a new one.
Reservation Cycles::reserve(const Need& need) {
  return reserve_in_cycle(rank_.staging, need, Memory{*this});
}

void Cycles::begin() {
  at_rest_ = false;
  ++cycle_.number;
  cycle_.wanted = static_cast<int>(roles_.writers().size());
  if (!flow_->begin(cycle_)) meetings_.meet_out_of_sync();
}

void Cycles::finish(std::string_view call) {
  if (batch_.empty()) return;
  if (batch_.writes_collectively()) agree_to_write(call);
  if (!flow_->finish(cycle_)) meetings_.meet_out_of_sync();
  batch_.clear();
  rank_.staging.close();
  ++rank_.tally.cycles;
}

void Cycles::end_record() {
  ++rank_.tally.records;
  if (record_ends_cycle(rank_.staging.tile_bytes(), batch_.writes_collectively(), rank_.config)) finish();
}

void Cycles::flush(std::string_view call) {
  try {
    finish(call.empty() ? cycle_call : call);
    if (!flow_->settle()) meetings_.meet_out_of_sync();
  } catch (const Error& error) {
    meetings_.explain(error, call.empty() ? "" : std::string(call) + ": ");
    throw;
  }
}

void Cycles::settle() {
  flush();
  meetings_.meet({settle_point, 0, "put of what was put before", nullptr}, {});
  at_rest_ = true;
}

// Until all ranks agree on what is left in the batch: a file that failed on one rank leaves it on all.
void Cycles::agree_to_write(std::string_view call) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = cycle_.number});
  for (;;) {
    const Status common = meetings_.agree_on({flush_point, 0, call, nullptr}, nullptr);
    if (common.ok()) return;
    meetings_.fail(common);
    if (common.subject < 0) common.raise();
    batch_.drop_failed();
  }
}

Traffic Cycles::traffic() const noexcept {
  return {past_.messages + flow_->messages(), past_.relayed + flow_->relayed(),
          past_.message_bytes + flow_->message_bytes()};
}

void Cycles::go_on_with(std::unique_ptr<RunFlow> flow) {
  past_ = traffic();
  flow_ = std::move(flow);
  cycle_ = Cycle{.number = cycle_.number + most_places, .slots = {}};
  batch_.clear();
  restart();
}

void Cycles::drop() {
  batch_.clear();
  rank_.staging.close();
  at_rest_ = true;
}

void Cycles::end(std::uint32_t furthest) {
  cycle_.number = furthest + most_places;
  flow_->end(cycle_.number);
}

void Cycles::restart() {
  flow_->restart(cycle_.number);
  rank_.host_status.restart(cycle_.number);
}

}  // namespace weir
