// SPDX-License-Identifier: Apache-2.0
#include "simulate/script.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "flow/steps.hpp"
#include "plan/strategies.hpp"
#include "schedule/rounds.hpp"
#include "simulate/traffic.hpp"

namespace weir::simulate {

namespace {

constexpr std::int64_t header_bytes = 128;  // of the file, besides what each variable adds to it
constexpr std::int64_t variable_header_bytes = 96;

class ScriptBuilder {
 public:
  explicit ScriptBuilder(const ScriptInputs& inputs)
      : in_(inputs),
        places_(places_of(inputs.work, inputs.config)),
        roles_(inputs.config, inputs.machine),
        budget_(inputs.config, inputs.machine, inputs.shared_memory) {
    script_.tile_buffers = budget_.shares().tile_buffers;
    script_.writers = roles_.writers();
    check_orders();
    pack_variables();
    // Other libraries deal slabs to their writers in turn, wherever the bytes are: as `servers` does.
    if (inputs.puts_alone && inputs.config.strategy == StrategyKind::remap) others_strategy_ = make_servers();
  }

  Script make() {
    for (std::int64_t record = 0; record < in_.work.records; ++record) {
      acts_ = &script_.output.emplace_back();
      if (record == 0) put_all(false, 0);
      put_all(true, record);
    }
    acts_ = &script_.close;
    finish();
    script_.plans = std::ssize(script_.plan_costs);
    add_traffic();
    return std::move(script_);
  }

 private:
  // Writers, of which orders want more or fewer.
  using Key = std::pair<std::ptrdiff_t, PlanKey>;

  void check_orders() const {
    if (in_.orders.empty()) return;
    require(dynamic() && in_.config.control == ControlKind::rank, WEIR_EARGUMENT,
            "orders are for the strategy dynamic with control: rank, which carries them out");
    const auto fixed = std::count_if(in_.work.variables.begin(), in_.work.variables.end(),
                                     [](const Variable& variable) { return !variable.record; });
    const std::int64_t puts = fixed + (std::ssize(in_.work.variables) - fixed) * in_.work.records;
    require(std::ssize(in_.orders) == puts, WEIR_EARGUMENT, "there are {} orders for {} puts: give one for each",
            in_.orders.size(), puts);
    for (const Order& order : in_.orders)
      require(order.writers >= 1 && order.writers <= in_.machine.ranks(), WEIR_EARGUMENT,
              "an order has from 1 writer to as many as there are ranks");
  }

  void pack_variables() {
    if (!in_.packing) return;
    for (const Variable& variable : in_.work.variables)
      script_.packed.push_back(
          in_.packing->variable(shape_of(variable), variable.element_bytes, variable.record, roles_));
  }
  const Shape& shape_of(const Variable& variable) const {
    return in_.work.decompositions[static_cast<std::size_t>(variable.decomposition)].shape;
  }
  const PackedVariable* packed(std::size_t v) const { return script_.packed.empty() ? nullptr : &script_.packed[v]; }
  Granule granule(std::size_t v) const { return packed(v) ? packed(v)->granule : Granule{}; }

  // Of the put that comes; nullptr: the configuration holds.
  const Order* order() const noexcept { return in_.orders.empty() ? nullptr : &in_.orders[puts_]; }
  std::vector<int> writers(const Granule& granule) const {
    if (!order()) return granule.any() ? roles_.writers_of(granule) : script_.writers;
    return choose_writers(in_.machine, order()->writers, in_.config.writers_per_host);
  }

  bool dynamic() const noexcept { return in_.config.strategy == StrategyKind::dynamic; }

  void put_all(bool record, std::int64_t number) {
    for (std::size_t v = 0; v < in_.work.variables.size(); ++v)
      if (in_.work.variables[v].record == record) put(v, number);
  }

  void put(std::size_t v, std::int64_t record) {
    const PlanCost& plan = plan_of(v, record);
    const std::int64_t first_byte = places_.first_byte(static_cast<int>(v), record);
    const std::ptrdiff_t slots = std::ssize(writers(granule(v)));
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
      reserve(need_of(plan.reserves[round], plan.element_bytes, first_byte));
      put({&plan, round, first_byte, packed(v)}, slots);
      if (full()) finish();
    }
    if (in_.puts_alone) finish();
    ++puts_;
    if (ends_record(v) && ends_with_record(budget_.tile_bytes(), in_.target.collective(), in_.config)) finish();
  }

  // Variables are put in their order.
  bool ends_record(std::size_t last) const {
    const auto is_record = [this](std::size_t v) { return in_.work.variables[v].record; };
    const auto was_put = [last](std::size_t v) { return v <= last; };
    return is_record(last) && record_is_complete(in_.work.variables.size(), is_record, was_put);
  }

  void put(const Entry& entry, std::ptrdiff_t slots) {
    CycleScript& cycle = script_.cycles.back();
    acts_->push_back({Act::Kind::put, cycle_number(), cycle.entries.size()});
    cycle.entries.push_back(entry);
    cycle.tile_bytes = budget_.tile_bytes();
    cycle.slots = std::max(cycle.slots, static_cast<int>(slots));
    if (order() && std::ssize(script_.flushes) < cycle_number()) script_.flushes.push_back(order()->flush);
    const std::int64_t tiles = budget_.tile_bytes() * std::min(script_.tile_buffers, cycle_number());
    script_.high_water = std::max(script_.high_water, tiles + budget_.packed_in_use() + budget_.used().received);
  }

  int cycle_number() const noexcept { return static_cast<int>(script_.cycles.size()); }
  void act(Act::Kind kind, int cycle) { acts_->push_back({kind, cycle}); }

  // As Cycles (engine/cycles.hpp) does.
  void reserve(const Need& need) {
    for (;;) {
      switch (budget_.next_step(need, open_, static_cast<std::uint32_t>(cycle_number()))) {
        case RoomStep::begin_cycle:
          script_.cycles.emplace_back();
          act(Act::Kind::begin, cycle_number());
          open_ = true;
          break;
        case RoomStep::finish_cycle:
          finish();
          break;
        case RoomStep::await_messages: {
          const std::uint32_t earlier = budget_.in_the_way(need);
          act(Act::Kind::make_room, static_cast<int>(earlier));
          budget_.give_back(earlier);
          break;
        }
        case RoomStep::reserve:
          budget_.reserve(need, static_cast<std::uint32_t>(cycle_number()));
          return;
      }
    }
  }
  // Records in chunks of several are not simulated, so there are no series.
  bool full() const noexcept { return order() || cycle_is_full(budget_.tile_bytes(), !dynamic(), 0, in_.config); }
  void finish() {
    if (!open_) return;
    if (in_.target.collective()) act(Act::Kind::agree, cycle_number());
    act(Act::Kind::finish, cycle_number());
    budget_.close();
    open_ = false;
  }

  const PlanCost& plan_of(std::size_t v, std::int64_t record) {
    const Variable& variable = in_.work.variables[v];
    const std::vector<int> owners = writers(granule(v));
    const Owning own{others_strategy_ ? *others_strategy_ : roles_.strategy(),
                     {owners, hosts(), in_.config.bundle_bytes}};
    const PlanKey key{variable.decomposition, variable.element_bytes, WEIR_FILL,
                      plan_place_of(in_.work, places_, {v, record}, own, {in_.target.stripe_bytes, granule(v)})};
    const auto [found, is_new] = plans_.try_emplace({std::ssize(owners), key});
    if (is_new) {
      script_.plan_costs.push_back(std::make_unique<PlanCost>(make_plan(key, own)));
      found->second = script_.plan_costs.back().get();
    }
    return *found->second;
  }

  int hosts() const { return in_.puts_alone ? 1 : in_.machine.hosts(); }  // other libraries deal in turn

  PlanCost make_plan(const PlanKey& key, const Owning& own) const {
    const Decomposition& decomposition = in_.work.decompositions[static_cast<std::size_t>(key.layout)];
    PlanRequest request = request_of(key, decomposition.layout(0), own.owners);
    return plan_within(budget_, request, [&] {
      return plan_costs({in_.machine, own.strategy, request, decomposition, in_.work.ranks, in_.shared_memory,
                         has_open_slots(in_.config, request)});
    });
  }

  // Cycles of the same plans have the same traffic.
  void add_traffic() {
    std::map<std::vector<const RoundCost*>, const Traffic*> known;
    for (CycleScript& cycle : script_.cycles) {
      std::vector<const RoundCost*> what;
      for (const Entry& entry : cycle.entries) what.push_back(&entry.costs());
      const auto [found, is_new] = known.emplace(what, nullptr);
      if (is_new) {
        script_.traffics.push_back(std::make_unique<Traffic>(make_traffic(cycle.entries, in_.machine, dynamic())));
        found->second = script_.traffics.back().get();
      }
      cycle.traffic = found->second;
    }
  }

  const ScriptInputs& in_;
  FileOffsets places_;
  Roles roles_;
  std::unique_ptr<Strategy> others_strategy_;  // of other libraries, where none of Weir's does the same
  MemoryBudget budget_;
  Script script_;
  std::vector<Act>* acts_ = nullptr;
  std::map<Key, const PlanCost*> plans_;
  std::size_t puts_ = 0;
  bool open_ = false;
};

}  // namespace

int Script::most_slots() const noexcept {
  int most = 1;
  for (const CycleScript& each : cycles) most = std::max(most, each.slots);
  return most;
}

FileOffsets places_of(const Workload& work, const Config& config) {
  std::vector<VariableSize> variables;
  for (const Variable& variable : work.variables)
    variables.push_back({variable.record, work.elements(variable) * variable.element_bytes});
  const std::int64_t header = header_bytes + variable_header_bytes * std::ssize(variables);
  return place_variables(header, variables, alignment_of(config));
}

PlanPlace plan_place_of(const Workload& work, const FileOffsets& places, const VariableRecord& what, const Owning& own,
                        const CutRule& cuts) {
  const Variable& variable = work.variables[what.variable];
  return weir::place_of({places, static_cast<int>(what.variable), work.elements(variable), variable.element_bytes,
                         variable.record, what.record},
                        own, cuts);
}

Script make_script(const ScriptInputs& inputs) {
  return ScriptBuilder(inputs).make();
}

}  // namespace weir::simulate
