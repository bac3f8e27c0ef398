// SPDX-License-Identifier: Apache-2.0
#include "simulate/simulation.hpp"

#include <limits>
#include <optional>

#include "base/config.hpp"
#include "base/text.hpp"
#include "plan/chunk_grid.hpp"
#include "simulate/job.hpp"
#include "simulate/model.hpp"
#include "simulate/rank_placement.hpp"
#include "simulate/rank_world.hpp"
#include "simulate/running.hpp"
#include "simulate/simulated_file.hpp"

namespace weir::simulate {

namespace {

class Run {
 public:
  Run(Job& job, const RunRequest& request)
      : job_(job), model_(job, request.seed), led_(job.engine), output_(request.output), ranks_(job) {}

  std::int64_t control_messages() const noexcept { return ranks_.control_messages(); }
  std::int64_t relayed_messages() const noexcept { return ranks_.relayed; }

  void run() {
    run_all(job_, [this](int rank) { live(rank); });
  }

 private:
  bool models(int rank) const noexcept { return rank < job_.in.work.ranks; }

  void live(int rank) {
    if (output_) call(rank, 0, [&] { SimulatedFile(job_, rank).make(); });
    for (std::int64_t record = 0; record < job_.in.work.records; ++record) {
      if (models(rank)) model_.compute(rank, record);
      if (output_) call(rank, record + 1, [&] { put_all(rank, record); });
    }
    if (output_) call(rank, job_.in.work.records + 1, [&] { close(rank); });
  }

  // Servers make the model's calls when they hear of them, from rank 0.
  template <class What>
  void call(int rank, std::int64_t number, What what) {
    if (rank == 0) {
      begun_ = number;
      led_.tell();
    }
    while (!models(rank) && begun_ < number) led_.wait();
    RankState& state = job_.rank(rank);
    const double begin = job_.now();
    if (models(rank)) state.call_began = begin;
    ranks_.enter_call(rank);
    what();
    ranks_.leave_call(rank);
    if (models(rank)) state.times.visible += job_.now() - begin;
    state.call_began = -1;
  }

  void put_all(int rank, std::int64_t record) {
    for (const Act& act : job_.in.script.output[static_cast<std::size_t>(record)]) perform(rank, act, record);
  }

  void perform(int rank, const Act& act, std::int64_t record) {
    switch (act.kind) {
      case Act::Kind::put: {
        const Entry& entry = job_.in.script.cycle(act.cycle).entries[act.entry];
        const std::int64_t held = entry.costs().held[static_cast<std::size_t>(rank)];
        return job_.copy(rank, held * entry.plan->element_bytes, Step::put, record);
      }
      case Act::Kind::begin:
        return ranks_.begin(rank, act.cycle);
      case Act::Kind::agree:
        return job_.barrier(rank);
      case Act::Kind::finish:
        return ranks_.finish(rank, act.cycle);
      case Act::Kind::make_room:
        return ranks_.make_room(rank, act.cycle);
    }
    throw Error(WEIR_EINTERNAL, "an act is not known");
  }

  void close(int rank) {
    for (const Act& act : job_.in.script.close) perform(rank, act, -1);
    ranks_.drain(rank);
    SimulatedFile(job_, rank).commit();
  }

  Job& job_;
  Model model_;
  Signal led_;
  std::int64_t begun_ = -1;
  bool output_;
  Ranks ranks_;
};

Target packed_target(const Profile& profile, const Config& config, const Machine& machine) {
  require(!writes_parts(config), WEIR_EARGUMENT,
          "a strategy that writes part files writes classic ones: leave out format, or take another strategy");
  const SinkKind sink = sink_of_packed(config);
  const bool apart = config.format == FormatKind::zarr || keeps_nothing(sink);
  require(apart || may_write_apart(machine.hosts(), profile.storage.coherent), WEIR_EIO,
          "{} keeps no writes of several hosts apart, so that Weir refuses netCDF-4 there: take format=zarr, or let "
          "one host write",
          profile.name);
  return {sink, 0};
}

Target target_of(const Profile& profile, const Config& config, const Machine& machine, const Striping& striping) {
  if (Packing::packs(config)) return packed_target(profile, config, machine);
  if (writes_parts(config)) return {sink_of_parts(config), 0, true};
  const SinkRule sink = sink_for(config, machine.hosts(), !profile.storage.shared, profile.storage.coherent);
  return {sink.kind, stripe_bytes_of(config, stripe_bytes_told(profile.storage.stripes, striping))};
}

}  // namespace

Result simulate(const Profile& profile, const Workload& work, Config config, const RunRequest& request) {
  const RankPlacement placement = place_ranks(profile, work, config, request.ranks_per_node);
  const double begin = processor_seconds();
  const Target target = target_of(profile, config, placement.machine, request.striping);
  if (!request.orders.empty()) config.flush_after = std::numeric_limits<int>::max();
  std::optional<Packing> packing;
  if (request.output && Packing::packs(config)) packing.emplace(profile, config, request.packing);
  const Packing* const packs = packing ? &*packing : nullptr;
  const ScriptInputs inputs{
      work, placement.machine, config, target, placement.shared_memory, request.puts_alone, request.orders, packs};
  const Script script = request.output ? make_script(inputs) : Script();
  check_fit(profile, placement, script.high_water);
  const double planned = processor_seconds();
  Job job({profile, work, config, placement, script, target, request.striping, request.traced_ranks, request.puts_alone,
           packs});
  Run run(job, request);
  run.run();
  Result result;
  sum_up(job, result);
  result.bytes = request.output ? work.bytes() : 0;
  result.cycles = std::ssize(script.cycles);
  result.plans = script.plans;
  result.high_water_bytes = script.high_water;
  result.control_messages = run.control_messages();
  result.relayed_messages = run.relayed_messages();
  result.planning_cpu_seconds = planned - begin;
  result.running_cpu_seconds = processor_seconds() - planned;
  return result;
}

}  // namespace weir::simulate
