// SPDX-License-Identifier: Apache-2.0
#include "simulate/reading_script.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "schedule/rounds.hpp"
#include "simulate/traffic.hpp"

namespace weir::simulate {

namespace {

ReadSums sums_of(const PlanCost& plan) {
  ReadSums sums;
  for (const RoundCost& round : plan.rounds)
    for (const TileCost& tile : round.tiles) {
      sums.elements += tile.elements;
      sums.stretches += tile.stretches;
    }
  return sums;
}

Given reversed(const Traffic& traffic, int ranks) {
  Given given;
  given.first_piece.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (const Traffic::Piece& piece : traffic.pieces)
    if (piece.by_message) ++given.first_piece[static_cast<std::size_t>(piece.owner) + 1];
  for (std::size_t r = 1; r < given.first_piece.size(); ++r) given.first_piece[r] += given.first_piece[r - 1];
  given.pieces.resize(given.first_piece.back());
  std::vector<std::uint32_t> next(given.first_piece.begin(), given.first_piece.end() - 1);
  for (int rank = 0; rank < ranks; ++rank)
    for (const Traffic::Piece& piece : traffic.pieces_of(rank))
      if (piece.by_message) given.pieces[next[static_cast<std::size_t>(piece.owner)]++] = {rank, piece.bytes};
  return given;
}

class ReadingScriptBuilder {
 public:
  explicit ReadingScriptBuilder(const ReadingInputs& inputs)
      : in_(inputs),
        roles_(inputs.config, inputs.machine),
        places_(places_of(inputs.work, inputs.config)),
        budget_(inputs.config, inputs.machine, inputs.shared_memory) {}

  ReadingScript make() {
    for (std::size_t v = 0; v < in_.work.variables.size(); ++v) get(v);
    script_.plans = std::ssize(script_.plan_costs);
    return std::move(script_);
  }

 private:
  struct Planned {
    const PlanCost* plan;
    bool by_host;
  };
  void get(std::size_t v) {
    const Variable& variable = in_.work.variables[v];
    const Planned planned = plan_of(v);
    Get& get = script_.gets.emplace_back();
    get.variable = variable.name;
    get.by_host = planned.by_host;
    std::vector<Entry> entries;
    const auto add = [&](std::size_t round, std::int64_t) {
      entries.push_back({planned.plan, round, places_.first_byte(static_cast<int>(v), 0)});
    };
    const auto end = [&](const Need& used) {
      script_.high_water = std::max(script_.high_water, used.tile * fewest_tile_buffers + used.packed + used.received);
      get.cycles.push_back(cycle_of(std::exchange(entries, {})));
    };
    each_reading_cycle(budget_, needs_of(*planned.plan, places_.first_byte(static_cast<int>(v), 0)), add, end);
  }

  // Cycles of the same rounds have the same traffic.
  ReadCycle cycle_of(std::vector<Entry> entries) {
    std::vector<const RoundCost*> what;
    for (const Entry& entry : entries) what.push_back(&entry.costs());
    const auto [found, is_new] = known_.emplace(std::move(what), script_.traffics.size());
    if (is_new) {
      script_.traffics.push_back(std::make_unique<Traffic>(make_traffic(entries, in_.machine, false)));
      script_.givens.push_back(std::make_unique<Given>(reversed(*script_.traffics.back(), in_.machine.ranks())));
    }
    return {std::move(entries), script_.traffics[found->second].get(), script_.givens[found->second].get()};
  }

  Planned plan_of(std::size_t v) {
    const Variable& variable = in_.work.variables[v];
    const Owning own = roles_.owning({}, true);
    const PlanKey key{variable.decomposition, variable.element_bytes, WEIR_NOFILL,
                      plan_place_of(in_.work, places_, {v, 0}, own, {in_.stripe_bytes}), true};
    const auto [found, is_new] = plans_.try_emplace(key);
    if (is_new) found->second = plan(key, own);
    return found->second;
  }

  Planned plan(const PlanKey& key, const Owning& own) {
    const Decomposition& decomposition = in_.work.decompositions[static_cast<std::size_t>(key.layout)];
    const Strategy* last = nullptr;
    const auto once = [&](const PlanRequest& request, const Strategy& strategy) {
      last = &strategy;
      return plan_costs({in_.machine, strategy, request, decomposition, in_.work.ranks, in_.shared_memory,
                         has_open_slots(in_.config, request)});
    };
    script_.plan_costs.push_back(
        std::make_unique<PlanCost>(plan_reading(request_of(key, decomposition.layout(0), own.owners),
                                                {roles_, in_.config, in_.machine, budget_}, once, sums_of)));
    return {script_.plan_costs.back().get(), last == &roles_.host_strategy()};
  }

  const ReadingInputs& in_;
  Roles roles_;
  FileOffsets places_;
  MemoryBudget budget_;
  ReadingScript script_;
  std::map<PlanKey, Planned> plans_;
  std::map<std::vector<const RoundCost*>, std::size_t> known_;
};

}  // namespace

ReadingScript make_reading_script(const ReadingInputs& inputs) {
  return ReadingScriptBuilder(inputs).make();
}

}  // namespace weir::simulate
