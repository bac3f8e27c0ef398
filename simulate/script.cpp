// SPDX-License-Identifier: Apache-2.0
#include "simulate/script.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "memory/memory_budget.hpp"
#include "plan/strategies/strategies.hpp"
#include "simulate/traffic.hpp"

namespace weir::simulate {

namespace {

constexpr std::int64_t header_bytes = 128;  // of the file, beside what each variable adds to it
constexpr std::int64_t variable_header_bytes = 96;

class ScriptBuilder {
 public:
  explicit ScriptBuilder(const ScriptInputs& inputs)
      : in_(inputs),
        places_(places_of(inputs.work)),
        strategy_(make_strategy(inputs.config)),
        budget_(memory_shares(inputs.config, inputs.machine, needs_messages(inputs.machine, inputs.shared_memory)),
                inputs.config.hops == HopKind::two) {
    script_.places = budget_.shares().places;
    script_.writers = strategy_->writers(inputs.machine, inputs.config);
    script_.part_files = strategy_->part_files();
    check_orders();
    // Other libraries deal slabs to their writers in turn, wherever the bytes are: as `servers` does.
    if (inputs.puts_alone && inputs.config.strategy == StrategyKind::remap) strategy_ = make_servers();
  }

  Script make() {
    for (std::int64_t record = 0; record < in_.work.records; ++record) {
      acts_ = &script_.output.emplace_back();
      if (record == 0) put_all(false, 0);
      put_all(true, record);
      end_record();
    }
    acts_ = &script_.close;
    finish();
    script_.plans = std::ssize(script_.plan_costs);
    add_traffic();
    return std::move(script_);
  }

 private:
  // Decomposition, element bytes, writers, place.
  using Key = std::tuple<int, int, std::ptrdiff_t, PlanPlace>;

  void check_orders() const {
    if (in_.orders.empty()) return;
    require(dynamic(), WEIR_EARGUMENT, "orders are for the strategy dynamic: nobody else chooses its writers");
    const auto fixed = std::count_if(in_.work.variables.begin(), in_.work.variables.end(),
                                     [](const Variable& variable) { return !variable.record; });
    const std::int64_t puts = fixed + (std::ssize(in_.work.variables) - fixed) * in_.work.records;
    require(std::ssize(in_.orders) == puts, WEIR_EARGUMENT,
            "there are " + std::to_string(in_.orders.size()) + " orders for " + std::to_string(puts) +
                " puts: give one for each");
    for (const Order& order : in_.orders)
      require(order.writers >= 1 && order.writers <= in_.machine.ranks() && order.wait_rounds >= 0, WEIR_EARGUMENT,
              "an order has from 1 writer to as many as there are ranks, and waits for 0 rounds or more");
  }

  // Of the put that comes; nullptr: the configuration holds.
  const Order* order() const noexcept { return in_.orders.empty() ? nullptr : &in_.orders[puts_]; }
  std::vector<int> writers() const {
    if (!order()) return script_.writers;
    return choose_writers(in_.machine, order()->writers, in_.config.writers_per_host);
  }

  bool dynamic() const noexcept { return in_.config.strategy == StrategyKind::dynamic; }

  void put_all(bool record, std::int64_t number) {
    for (std::size_t v = 0; v < in_.work.variables.size(); ++v)
      if (in_.work.variables[v].record == record) put(v, number);
  }

  void put(std::size_t v, std::int64_t record) {
    const std::int64_t begin = places_.begin[v] + record * places_.record_bytes;
    const PlanCost& plan = plan_of(v, record);
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
      reserve(need_of(plan.rounds[round].most, plan.element_bytes, begin));
      CycleScript& cycle = script_.cycles.back();
      acts_->push_back({Act::Kind::put, cycle_number(), cycle.entries.size()});
      cycle.entries.push_back({&plan, round, begin});
      cycle.tile_bytes = budget_.used().tile;
      cycle.slots = std::max(cycle.slots, static_cast<int>(std::ssize(writers())));
      if (order() && std::ssize(script_.orders) < cycle_number())
        script_.orders.push_back({order()->flush, order()->wait_rounds});
      open_ = true;
      if (dynamic() && (order() || unit_is_full(budget_.used().tile, in_.config))) finish();
    }
    if (in_.puts_alone) finish();
    ++puts_;
  }

  int cycle_number() const noexcept { return static_cast<int>(script_.cycles.size()); }

  // What reserve_in_cycle() asks for.
  struct Cycles {
    ScriptBuilder& builder;
    bool open() const { return builder.open_; }
    std::uint32_t number() const { return static_cast<std::uint32_t>(builder.cycle_number()); }
    void begin() { builder.begin(); }
    void full() { builder.finish(); }
    void make_room(std::uint32_t earlier) {
      builder.acts_->push_back({Act::Kind::make_room, static_cast<int>(earlier)});
      builder.budget_.give_back(earlier);
    }
  };

  void reserve(const Need& need) {
    static_cast<void>(reserve_in_cycle(budget_, need, Cycles{*this}));
    const std::int64_t tiles = budget_.used().tile * std::min(script_.places, cycle_number());
    script_.high_water = std::max(script_.high_water, tiles + budget_.packed_in_use() + budget_.used().received);
  }

  void begin() {
    script_.cycles.emplace_back();
    acts_->push_back({Act::Kind::begin, cycle_number()});
  }

  void finish() {
    if (!open_) return;
    acts_->push_back({Act::Kind::finish, cycle_number()});
    budget_.close();
    open_ = false;
  }

  // As Cycles::end_record.
  void end_record() {
    const bool has_records =
        std::any_of(in_.work.variables.begin(), in_.work.variables.end(), [](const Variable& v) { return v.record; });
    if (has_records && record_ends_cycle(budget_.used().tile, in_.target.collective(), in_.config)) finish();
  }

  const PlanCost& plan_of(std::size_t v, std::int64_t record) {
    const Variable& variable = in_.work.variables[v];
    const std::int64_t bytes = in_.work.elements(variable) * variable.element_bytes;
    const auto count = std::ssize(writers());
    const FilePlace in_file = place_in_file({places_.fixed_end, places_.fixed_end, places_.record_bytes},
                                            places_.begin[v], variable.record, record);
    const PlanPlace place =
        plan_place(*strategy_, {bytes, in_.config.bundle_bytes, count, hosts()}, in_file, {in_.target.stripe_bytes});
    const Key key{variable.decomposition, variable.element_bytes, count, place};
    const auto found = plans_.find(key);
    if (found != plans_.end()) return *found->second;
    script_.plan_costs.push_back(std::make_unique<PlanCost>(make_plan(variable, place)));
    return *plans_.emplace(key, script_.plan_costs.back().get()).first->second;
  }

  int hosts() const { return in_.puts_alone ? 1 : in_.machine.hosts(); }  // other libraries deal in turn

  PlanCost make_plan(const Variable& variable, const PlanPlace& place) const {
    const Decomposition& decomposition = in_.work.decompositions[static_cast<std::size_t>(variable.decomposition)];
    PlanRequest request = request_at(place, variable.element_bytes, in_.config.bundle_bytes);
    request.shape = decomposition.shape;
    request.flat = decomposition.layout(0).flat();
    request.writers = writers();
    request.hosts = hosts();
    const auto plan = [&] {
      return plan_costs(
          {in_.machine, *strategy_, request, decomposition, in_.work.ranks, in_.shared_memory, dynamic()});
    };
    const auto needs = [](const PlanCost& made) {
      std::vector<Need> bytes;
      for (const RoundCost& round : made.rounds) bytes.push_back(need_of(round.most, made.element_bytes));
      return bytes;
    };
    return plan_within(budget_, request, plan, needs);
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
  std::unique_ptr<Strategy> strategy_;
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

FileOffsets places_of(const Workload& work) {
  std::vector<VariableSize> variables;
  for (const Variable& variable : work.variables)
    variables.push_back({variable.record, work.elements(variable) * variable.element_bytes});
  return place_variables(header_bytes + variable_header_bytes * std::ssize(variables), variables);
}

Script make_script(const ScriptInputs& inputs) {
  return ScriptBuilder(inputs).make();
}

}  // namespace weir::simulate
