// SPDX-License-Identifier: Apache-2.0
#include "core/rank_group.hpp"

#include <vector>

#include "base/error.hpp"
#include "core/missing_ranks.hpp"
#include "instance/config_agreement.hpp"

namespace weir::bridge {

namespace {

using Kept = std::shared_ptr<RankGroup>;

int forget(MPI_Comm, int, void* kept, void*) {
  delete static_cast<Kept*>(kept);
  return MPI_SUCCESS;
}

// The attribute by which a communicator keeps its group; a duplicate of it gets a group of its own.
int group_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr);
    return made;
  }();
  return key;
}

bool mpi_has_ended() noexcept {
  int ended = 0;
  MPI_Finalized(&ended);
  return ended != 0;
}

Reason reason_of(const Config* config, const FileRule* rule) {
  if (config == nullptr) return Reason::configuration;
  if (rule != nullptr && rule->off) return Reason::rule;
  return writes_parts(*config) ? Reason::strategy : Reason::none;
}

// All groups, in the order in which they began. Never destroyed: what lives at exit stays as it is.
std::vector<Kept>& groups() {
  static auto* const all = new std::vector<Kept>;
  return *all;
}

void finish_groups() {
  for (const Kept& group : groups()) group->finish();
}

// Two threads that each write on a communicator of their own must not meet in one group: then only a group is taken
// whose communicators are freed and whose files are closed.
bool may_share(const Kept& group) {
  constexpr long only_in_groups = 1;
  return !any_thread_may_call() || group.use_count() == only_in_groups;
}

// A group of the same ranks in the same order that may serve this communicator too, as far as this rank knows. Local.
Kept group_of_same_ranks(MPI_Comm comm) {
  for (const Kept& group : groups()) {
    int result = MPI_UNEQUAL;
    if (!group->broken().ok() || !may_share(group)) continue;
    check_mpi(MPI_Comm_compare(comm, group->comm().raw(), &result), "MPI_Comm_compare");
    if (result == MPI_CONGRUENT) return group;
  }
  return nullptr;
}

}  // namespace

Status Running::call(const std::function<void()>& body) {
  if (!broken.ok()) return broken;
  try {
    const Instance::Visit inside(*weir);
    body();
    return {};
  } catch (const std::exception&) {
    Status status = caught();
    if (ends_instance(status.code)) abandon(status);
    return status;
  }
}

void Running::abandon(const Status& why) noexcept {
  broken = why;
  weir->abandon();
}

// A launcher that hands LD_PRELOAD on to some nodes only makes ranks that never come.
Kept RankGroup::begun(Process& process, MPI_Comm comm) try {
  const Kept known = group_of_same_ranks(comm);
  const Kept begun(new RankGroup(process, comm));
  if (begun->all_have(known != nullptr)) return known;
  groups().push_back(begun);
  return begun;
} catch (const Error& error) {
  constexpr double listening_seconds = 3;
  const std::string absent = error.code() == WEIR_ETIMEOUT ? missing_ranks(comm, listening_seconds) : "";
  if (absent.empty()) throw;
  throw Error(error.code(),
              "{}: rank(s) {} did not reach this call, perhaps because the bridge is not loaded there: pass LD_PRELOAD "
              "to all nodes (mpirun -x LD_PRELOAD, srun --export=ALL,LD_PRELOAD=...)",
              error.what(), absent);
}

Kept RankGroup::of(Process& process, MPI_Comm comm) {
  void* kept = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, group_key(), static_cast<void*>(&kept), &found), "MPI_Comm_get_attr");
  if (found != 0) return *static_cast<Kept*>(kept);
  auto* const place = new Kept;
  check_mpi(MPI_Comm_set_attr(comm, group_key(), place), "MPI_Comm_set_attr");
  const Kept group = *place = begun(process, comm);
  static const bool once = (process.at_finalize(finish_groups), true);
  static_cast<void>(once);
  return group;
}

RankGroup::RankGroup(Process& process, MPI_Comm comm)
    : process_(process), comm_(Comm::duplicate(comm, deadline())), difference_(compare_configurations()) {}

bool RankGroup::all_have(bool mine) const {
  std::int64_t lacking[] = {mine ? 0 : 1};
  allreduce_max(comm_, lacking, deadline(), "the first opening of a file");
  return lacking[0] == 0;
}

std::string RankGroup::compare_configurations() const {
  const Config* const config = process_.config();
  const std::int64_t has_one = config != nullptr ? 1 : 0;
  const std::int64_t keys = config != nullptr ? static_cast<std::int64_t>(signature(*config) >> 1) : 0;
  std::int64_t most[] = {has_one, -has_one, keys, -keys};
  allreduce_max(comm_, most, deadline(), "the first opening of a file");
  if (most[1] == 0) tell_wrong_configurations();
  if (most[0] != -most[1]) return "the configuration of some ranks is invalid";
  return most[2] != -most[3] ? difference_in_words(comm_, *config, deadline()) : "";
}

// By the first of the ranks that have none. Collective.
void RankGroup::tell_wrong_configurations() const {
  const std::vector<int> wrong =
      ranks_where(process_.config() == nullptr, comm_, deadline(), "the first opening of a file");
  if (comm_.number() != wrong.front()) return;
  process_.tell_wrong_configuration(std::ssize(wrong) == comm_.size() ? "" : named_ranks(wrong));
}

Deadline RankGroup::deadline() const {
  return Deadline(process_.config() != nullptr ? process_.config()->timeout_seconds : Deadline::usual_seconds);
}

void RankGroup::wait_for_all(const std::string& what) const {
  broken_.raise();
  barrier(comm_, deadline(), what);
}

const Config* RankGroup::config_for(const std::string& path) {
  const Config* const config = process_.config();
  return config != nullptr && difference_.empty() ? process_.config_of(rule_for(*config, path)) : nullptr;
}

Reason RankGroup::reason_for(const std::string& path) {
  const Config* const config = config_for(path);
  return reason_of(config, config != nullptr ? rule_for(*process_.config(), path) : nullptr);
}

bool RankGroup::makes(const std::string& path) {
  if (reason_for(path) != Reason::none) return false;
  return config_for(path)->format != FormatKind::automatic || process_.feeds_streams(path);
}

RankGroup::~RankGroup() {
  if (!process_.forked() && !mpi_has_ended()) finish();
}

void RankGroup::note(const std::string& sentence) {
  if (comm_.rank() == 0) process_.note(sentence);
}

RankGroup::Decision RankGroup::decide(const std::string& path, Reason obstacle, std::int64_t signature) {
  broken_.raise();
  if (!difference_.empty()) {
    note(formatted("{}: handled by the underlying library: {}", path, difference_));
    return {Reason::configuration, {}, ""};
  }
  const Config* const config = config_for(path);
  const FileRule* const rule = config != nullptr ? rule_for(*process_.config(), path) : nullptr;
  const Reason reason = reason_for(path);
  const auto mine = static_cast<std::int64_t>(reason != Reason::none ? reason : obstacle);
  std::int64_t most[] = {mine, signature, -signature};
  allreduce_max(comm_, most, deadline(), formatted("opening of {}", path));
  if (most[0] != 0) return {static_cast<Reason>(most[0]), {}, ""};
  if (most[1] != -most[2]) return {Reason::differing, {}, ""};
  return {Reason::none, *config, rule != nullptr ? rule->pattern : ""};
}

RankGroup::Decision RankGroup::decide_packed(const std::string& path, Reason obstacle, std::int64_t signature) {
  Decision decision = decide(path, obstacle, signature);
  if (decision.reason != Reason::none) return decision;
  decision.config = process_.packed_config_of(rule_for(*process_.config(), path));
  decision.rule += " (packed)";
  return decision;
}

bool RankGroup::is_to_go_back(const std::string& path) {
  const Config* const config = config_for(path);
  return config != nullptr && (config->records || config->until_time) && reason_for(path) == Reason::none;
}

void RankGroup::created(const std::string& path) {
  if (is_to_go_back(path)) own_.insert(path);
}

// Weir opens the file by the rule and commits it; then a library finds the records that stay.
void RankGroup::go_back(const std::string& path) {
  if (!is_to_go_back(path) || !own_.insert(path).second) return;
  const Decision decision = decide(path, Reason::none, 0);
  if (decision.reason != Reason::none) return;
  Running& with = running(decision);
  with.call([&] {
        FileTable& files = with.weir->files();
        files.close(files.open(path, WEIR_WRITE, {}, false));
      })
      .raise();
}

Running& RankGroup::running(const Decision& decision) {
  auto& found = running_[decision.rule];
  if (found) return *found;
  broken_.raise();
  Config config = decision.config;
  if (config.strategy == StrategyKind::servers) {
    config.strategy = StrategyKind::remap;
    note("strategy servers must reserve ranks at program start, which a bridge cannot do: remap is used instead");
  }
  if (config.control == ControlKind::rank) {
    config.control = ControlKind::hosted;
    config.hops = HopKind::one;
    note(
        "control: rank must reserve a rank at program start, which a bridge cannot do: control: hosted is used "
        "instead");
  }
  found = std::make_unique<Running>(Instance::Owner(new Instance(comm_.raw(), config)));
  return *found;
}

void RankGroup::abandon(const Status& why) noexcept {
  broken_ = why;
  comm_.abandon();
  for (auto& [rule, running] : running_)
    if (running && running->broken.ok()) running->abandon(why);
}

void RankGroup::finish() noexcept {
  for (auto& [rule, running] : running_)
    if (running) finish(*running);
  running_.clear();
  comm_ = Comm();
}

void RankGroup::finish(Running& running) {
  if (!running.broken.ok()) return;
  try {
    running.weir->finish();
  } catch (const Error& error) {
    if (comm_.rank() == 0) process_.say(error.what());
    if (ends_instance(error.code())) running.weir->abandon();
  }
}

}  // namespace weir::bridge
