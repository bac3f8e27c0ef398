// SPDX-License-Identifier: Apache-2.0
// The pipeline's beginning, and its plans: found by key, made by messages between ranks where they are new.
#include <algorithm>
#include <optional>
#include <utility>

#include "mpi/sparse_exchange.hpp"
#include "pipeline/pipeline.hpp"
#include "plan/tile_words.hpp"
#include "run/controls.hpp"

namespace weir {

namespace {

constexpr std::int64_t plan_point = 102;
constexpr std::int64_t memory_point = 107;
constexpr std::size_t most_plans = 4096;

// The ranks that share memory with this one, or the `ranks_per_host` among them that the configuration takes for a
// host.
Comm host_of(const Comm& comm, int ranks_per_host, const Deadline& deadline) {
  Comm host = Comm::of_host(comm, deadline);
  if (ranks_per_host > 0) host = host.split(host.rank() / ranks_per_host, deadline);
  return host;
}

// Servers come to a call when rank 0 has told them.
int ranks_that_lead(const Config& config, const Comm& comm) {
  return config.strategy == StrategyKind::servers ? comm.size() - config.servers : comm.size();
}

// A rank alone may as well be in a call to storage itself, for as long as that takes.
bool others_wait_for_storage(const Config& config, const Comm& comm) {
  if (config.sink == SinkKind::null || config.sink == SinkKind::memory) return false;
  return comm.size() > 1 || config.storage_timeout_seconds > 0;
}

Machine survey(const Comm& comm, const Comm& host, const Deadline& deadline) {
  std::int64_t leader = -comm.rank();
  allreduce_max(host, std::span(&leader, 1), deadline, "survey of hosts");
  return Machine::from_leaders(allgather(comm, static_cast<int>(-leader), deadline, "survey of hosts"));
}

// How sentences call them.
std::vector<int> numbers_of(const Comm& comm, std::vector<int> ranks) {
  for (int& rank : ranks) rank = comm.number_of(rank);
  return ranks;
}

}  // namespace

Pipeline::Pipeline(Config& config, const Comm& comm, const Comm* link, Trace& trace, Layouts& layouts)
    : config_(config),
      comm_(comm),
      trace_(trace),
      layouts_(layouts),
      roll_call_(comm,
                 {config.timeout_seconds, config.storage_timeout_seconds, config.report == "-" && comm.rank() == 0},
                 Deadline(config.timeout_seconds)),
      storage_(roll_call_, others_wait_for_storage(config, comm)),
      host_comm_(host_of(comm, config.ranks_per_host, deadline())),
      machine_(survey(comm, host_comm_, deadline())),
      reach_(machine_, comm.rank(),
             config.forward != ForwardKind::messages && (host_comm_.size() > 1 || comm.size() == 1)),
      staging_(share_memory()),
      host_status_(staging_.status_entries(), numbers_of(comm, machine_.neighbours(comm.rank())), host_comm_.rank(),
                   ranks_that_lead(config, comm)),
      computes_(comm.rank() < ranks_that_lead(config, comm)),
      strategy_(make_strategy(config)),
      writers_(strategy_->writers(machine_, config)),
      by_range_(make_range_strategy()),
      readers_(by_range_->writers(machine_, config)),
      flow_(make_flow(link)) {
  for (const auto& ranks : machine_.ranks_of) all_ranks_.insert(all_ranks_.end(), ranks.begin(), ranks.end());
  host_status_.restart(0);
  std::int64_t here = 0;
  allreduce_max(comm_, std::span(&here, 1), deadline(), "start");
  progress_thread_ = make_progress_thread();
}

MemoryShares Pipeline::shares() const {
  return memory_shares(config_, machine_, needs_messages(machine_, reach_.shared()));
}

// A host that has no memory to share is all ranks' error.
Staging Pipeline::share_memory() {
  std::optional<Staging> made;
  Status status;
  try {
    const Staging::Use use{reach_.shared(), needs_messages(machine_, reach_.shared()), config_.hops == HopKind::two};
    made.emplace(host_comm_, use, config_.buffer_limit_bytes, shares(), deadline());
  } catch (const Error& error) {
    if (ends_instance(error.code())) throw;  // who has lost a rank meets nobody any more
    status = {error.code(), "rank " + std::to_string(comm_.number()) + ": " + error.what(), -1};
  }
  agree(comm_, {memory_point, 0, "weir_init", nullptr}, status, deadline()).raise();
  return std::move(*made);
}

// For a flow that writes beside the model; another one expects nothing.
std::unique_ptr<ProgressThread> Pipeline::make_progress_thread() {
  const bool wanted = config_.progress != ProgressKind::calls && config_.overlap == OverlapKind::background;
  if (!wanted || reach_.everybody() || !any_thread_may_call()) return nullptr;
  return std::make_unique<ProgressThread>(
      ProgressThread::Work{[this] { flow_->listen(); }, [this] { return flow_ && flow_->expects(); }});
}

std::unique_ptr<RunFlow> Pipeline::make_flow(const Comm* link) {
  const RunParts parts{config_, comm_,  machine_, reach_, staging_,   host_status_,
                       batch_,  tally_, trace_,   noted_, roll_call_, storage_};
  if (config_.strategy != StrategyKind::dynamic)
    return std::make_unique<RunFlow>(parts, make_fixed_control(), fewest_places);
  const int window = units_in_flight(machine_, staging_.places(), static_cast<int>(writers_.size()));
  const ScheduleParameters how = schedule_parameters(config_, staging_.places());
  std::unique_ptr<Control> control;
  switch (control_way(link != nullptr, machine_.hosts(), reach_.shared())) {
    case ControlWay::remote:
      control = make_remote_control(*link, machine_, config_.timeout_seconds);
      break;
    case ControlWay::hosted:
      control = make_hosted_control(host_comm_, machine_, how, window, deadline());
      break;
    case ControlWay::implied:
      control = make_implied_control(machine_, how, window);
  }
  return std::make_unique<RunFlow>(parts, std::move(control), window);
}

bool Pipeline::abandon() noexcept {
  if (progress_thread_) progress_thread_->stop();
  const bool flow_ended = !flow_ || flow_->abandon();  // none while another way to write is being taken up
  const bool calls_ended = storage_.abandon();
  staging_.abandon(), host_comm_.abandon(), roll_call_.abandon();
  return flow_ended && calls_ended;
}

PlanRequest Pipeline::request(const PlanKey& key, const Layout& layout, const OpenFile& file) const {
  PlanRequest request = request_at(key.place, key.element_bytes, config_.bundle_bytes);
  request.shape = layout.shape();
  request.flat = layout.flat();
  request.cover = key.cover;
  request.read = key.read;
  request.writers = key.read ? readers_of(request.granule) : writers_of(request.granule);
  request.hosts = machine_.hosts();
  request.caller = {file.counting, comm_.numbers()};
  return request;
}

const Plan& Pipeline::plan(const PlanKey& key, const Layout& layout, const OpenFile& file, int var) {
  const auto found = plans_.find(key);
  if (found != plans_.end()) {
    found->second.used = ++uses_;
    return found->second.plan;
  }
  return add_plan(key, layout, file, var).plan;
}

Pipeline::KeptPlan& Pipeline::add_plan(const PlanKey& key, const Layout& layout, const OpenFile& file, int var) {
  std::uint64_t signature = mix(0, static_cast<std::uint64_t>(key.layout));
  signature = mix(signature, static_cast<std::uint64_t>(key.element_bytes * 1024 + key.place.first_writer));
  const std::string call = (key.read ? "get of \"" : "put of \"") +
                           file.schema.variables()[static_cast<std::size_t>(var)].name + "\" into " + file.path +
                           " by layout " + file.counting.number(key.layout);
  std::int64_t kept_bytes = plan_bytes();
  meet({plan_point, mix(mix(signature, call), static_cast<std::uint64_t>(key.place.stripe_phase)), call, nullptr}, {},
       &file, &kept_bytes);
  make_room_for_plans(kept_bytes);
  const Span span(trace_.main(), Step::plan, tally_.plan_seconds, {.file = file.serial, .var = var});
  ++tally_.plans;
  Plan made = make_plan(request(key, layout, file), layout, file, var);
  const std::int64_t bytes = memory_bytes(made);
  return plans_.emplace(key, KeptPlan{std::move(made), {}, bytes, ++uses_}).first->second;
}

// The largest rank's plans are kept within buffer_limit, whatever layouts come, and with stripes every record may lie
// differently and want plans of its own.
void Pipeline::make_room_for_plans(std::int64_t most_bytes) {
  if (plans_.size() < most_plans && most_bytes <= config_.buffer_limit_bytes) return;
  settle();
  flow_->forget_plans();
  do {
    forget_older_plans();
    most_bytes = plan_bytes();
    allreduce_max(comm_, std::span(&most_bytes, 1), deadline(), "planning");
  } while (most_bytes > config_.buffer_limit_bytes && !plans_.empty());
}

// The half of them that were used longest ago.
void Pipeline::forget_older_plans() {
  std::vector<std::pair<std::uint64_t, PlanKey>> ages;
  for (const auto& [key, kept] : plans_) ages.emplace_back(kept.used, key);
  std::sort(ages.begin(), ages.end());
  ages.resize((ages.size() + 1) / 2);
  for (const auto& [used, key] : ages) plans_.erase(key);
}

std::int64_t Pipeline::plan_bytes() const noexcept {
  constexpr std::int64_t node_bytes = sizeof(decltype(plans_)::value_type) + 48;
  std::int64_t bytes = flow_->recipe_bytes();
  for (const auto& [key, kept] : plans_) bytes += kept.bytes + node_bytes;
  return bytes;
}

void Pipeline::forget(int layout) {
  flow_->forget_plans();
  std::erase_if(own_plans_, [layout](const auto& entry) { return entry.first.first == layout; });
  std::erase_if(plans_, [layout](const auto& entry) { return entry.first.layout == layout; });
}

Plan Pipeline::make_plan(PlanRequest request, const Layout& layout, const OpenFile& file, int var) {
  const auto needs = [](const Plan& plan) {
    std::vector<Need> bytes;
    for (const Reserve& most : plan.reserves) bytes.push_back(need_of(most, plan.element_bytes));
    return bytes;
  };
  const auto plan_it = [&] {
    return plan_within(
        staging_.budget(), request, [&] { return plan_once(request, layout, file, var); }, needs);
  };
  if (!request.read || !request.granule.any()) return plan_it();
  try {
    return plan_it();
  } catch (const Error& error) {
    if (error.code() != WEIR_EMEMORY) throw;
  }
  // What is read may be cut anywhere: a chunk is then unpacked more than once.
  request.granule = {};
  request.rounds = 1;
  return plan_it();
}

Plan Pipeline::plan_once(const PlanRequest& request, const Layout& layout, const OpenFile& file, int var) {
  const Deadline end = deadline();
  const bool slots = config_.strategy == StrategyKind::dynamic && !request.read;
  const Strategy& strategy = request.read ? reading_strategy() : *strategy_;
  Planner planner({machine_, strategy, request, layout, comm_.rank(), reach_.shared(), slots});
  auto carry = [&](Messages list) {
    exchange_tag_ = (exchange_tag_ + 1) % 1000;
    return deliver(comm_, std::move(list), 100 + exchange_tag_, end);
  };
  Messages list = carry(planner.claim());
  list = carry(planner.appoint(list));
  list = carry(planner.arrange(list));
  Plan plan = planner.finish(list);
  Status status = planner.status();
  status.subject = file.attached ? no_file : file.serial;
  status.message = "put of \"" + file.schema.variables()[static_cast<std::size_t>(var)].name + "\" into " + file.path +
                   ": " + status.message;
  meet({plan_point, 0, "planning", nullptr}, std::move(status), &file);
  std::vector<std::int64_t> largest;
  for (const Round& round : plan.rounds)
    largest.insert(largest.end(), {round.tile_elements, round.packed_elements, round.received_elements});
  allreduce_max(comm_, largest, end, "planning");
  const Summary own = summarize(plan, comm_.rank(), machine_);
  std::int64_t sums[6] = {own.elements, own.between_hosts, own.messages, own.owners, own.stretches, own.filled};
  allreduce_sum(comm_, sums, end, "planning");
  plan.summary = {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
  for (std::size_t i = 0; i < largest.size(); i += 3)
    plan.reserves.push_back({largest[i], largest[i + 1], largest[i + 2]});
  if (slots) open_slots(plan);
  return plan;
}

// Every clerk tells all ranks what a holder of its slot must know: what the tile is made of, and how many will send.
void Pipeline::open_slots(Plan& plan) const {
  const Deadline end = deadline();
  const std::size_t rounds = plan.rounds.size(), slots = writers_.size();
  std::vector<std::int64_t> all(rounds * slots), near;
  for (std::size_t r = 0; r < rounds; ++r)
    for (Outgoing& out : plan.rounds[r].outgoing) {
      out.owner = static_cast<int>(std::find(writers_.begin(), writers_.end(), out.owner) - writers_.begin());
      all[r * slots + static_cast<std::size_t>(out.owner)] = 1;
    }
  near = all;
  allreduce_sum(comm_, all, end, "planning");
  if (reach_.shared()) allreduce_sum(host_comm_, near, end, "planning");
  for (std::size_t s = 0; s < slots; ++s) {
    std::vector<std::int64_t> words;
    if (comm_.rank() == writers_[s]) words = tile_words(plan);
    std::int64_t count = static_cast<std::int64_t>(words.size());
    broadcast(comm_, std::span(&count, 1), writers_[s], end, "planning");
    words.resize(static_cast<std::size_t>(count));
    broadcast(comm_, words, writers_[s], end, "planning");
    plan.slots.push_back(tiles_of(words, plan.element_bytes));
    for (std::size_t r = 0; r < rounds; ++r) {
      plan.slots[s].rounds[r].contributors = all[r * slots + s];
      plan.slots[s].rounds[r].near_contributors = near[r * slots + s];
    }
  }
  for (Round& round : plan.rounds) {
    round.stretches.clear();
    round.fills.clear();
    round.tile_elements = 0;
  }
}

}  // namespace weir
