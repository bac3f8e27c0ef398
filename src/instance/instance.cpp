// SPDX-License-Identifier: Apache-2.0
#include "instance/instance.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/error.hpp"
#include "engine/controls.hpp"
#include "instance/config_agreement.hpp"
#include "instance/report.hpp"
#include "instance/report_file.hpp"
#include "instance/server_loop.hpp"
#include "mpi/agree.hpp"
#include "mpi/running_mpi.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

// Whether what is written at the end could be written now.
Status endings_problem(const Config& config) {
  for (const auto& [key, path] : {std::pair{"report", config.report}, std::pair{"trace", config.trace}}) {
    if (path.empty() || path == "-") continue;
    auto problem = writability_problem(path);
    const bool is_replaced = path == config.report && !target_problem(path);
    if (!problem && is_replaced) problem = name_problem(path);
    if (problem) return {WEIR_EIO, key + (": " + *problem)};
  }
  return {};
}

}  // namespace

Instance::Instance(MPI_Comm world, const char* config, const Caller& caller)
    : Instance(
          world, [&] { return load_config(config); }, caller) {
  if (all_.rank() == 0) say_notes(*config_, "weir");
}

Instance::Instance(MPI_Comm world, const Config& config) : Instance(world, [&] { return config; }, {}) {}

Instance::Instance(MPI_Comm world, const std::function<Config()>& load, const Caller& caller)
    : layouts_(caller.counting) {
  const std::string mismatch = mpi_mismatch();
  require(mismatch.empty(), WEIR_EMPI, mismatch);
  Status status;
  try {
    Config config = asked_ = load();
    make_paths_absolute(config);
    if (config.strategy == StrategyKind::automatic) config.strategy = StrategyKind::dynamic;  // until it is advised
    resolve_defaults(config);
    config_ = std::make_shared<const Config>(std::move(config));
    require(
        config_->progress != ProgressKind::thread || any_thread_may_call(), WEIR_ECONFIG,
        "progress: thread needs MPI_THREAD_MULTIPLE: initialise MPI by MPI_Init_thread with it, or set progress: auto");
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  const Deadline deadline(asked_.timeout_seconds);
  all_ = Comm::duplicate(world, deadline);
  all_.call_ranks(caller.ranks);
  if (status.ok() && all_.rank() == 0) status = endings_problem(*config_);
  agree_to_start(status);
  const int reserved = reserved_ranks(*config_);
  require(all_.size() > reserved, WEIR_ECONFIG,
          "the configuration reserves {} rank(s) of {}: start the model with more", reserved, all_.size());
  reserved_ = all_.rank() >= all_.size() - reserved;
  model_ = reserved > 0 ? all_.split(reserved_ ? 1 : 0, deadline) : Comm::duplicate(all_.raw(), deadline);
  const bool servers = config_->strategy == StrategyKind::servers;
  if (servers) call_broadcast_ = CallBroadcast(all_, reserved);
  const bool controlled = reserved > 0 && !servers;
  try {
    comm_ = Comm::duplicate(servers ? all_.raw() : model_.raw(), deadline);
    comm_.call_ranks(caller.ranks);
    if (!reserved_ || servers) begin(controlled);
  } catch (const Error&) {
    if (controlled && !reserved_) abandon_control(all_);
    call_broadcast_.give_up();
    throw;
  }
}

void Instance::begin(bool controlled) {
  if (!config_->trace.empty()) trace_.start(traced_events(comm_.size()), began_);
  const Span span(trace_.main(), Step::call, {});
  pipeline_ = std::make_unique<Pipeline>(config_, comm_, controlled ? &all_ : nullptr, trace_, layouts_);
  if (pipeline_->machine().hosts() == 1) comm_.reduce_in_memory(pipeline_->rank().staging.reduction_slots());
  if (comm_.rank() == 0) say_memory_warning();
  files_ = std::make_unique<FileTable>(context(), asked_);
  StreamsConfig sent = parse_streams(asked_.streams, asked_.restart);
  feeds_ = std::make_unique<Feeds>(context(), model_, *files_, sent, asked_.folder);
  std::erase_if(sent.streams, [](const StreamConfig& stream) { return !stream.of.empty(); });
  streams_ = std::make_unique<Streams>(context(), model_, *files_, std::move(sent), asked_.folder);
  if (asked_.strategy == StrategyKind::automatic) pipeline_->advice().ask_for(asked_);
  if (comm_.rank() == 0 && !config_->report.empty() && config_->report != "-") start_status();
}

void Instance::say_memory_warning() const {
  const std::string warning = pipeline_->rank().memory_warning();
  if (!warning.empty()) std::fprintf(stderr, "weir: %s\n", warning.c_str());
}

MPI_Comm Instance::duplicate_model() try {
  return Comm::duplicate(model_.raw(), pipeline_->deadline()).release();
} catch (const Error&) {
  abandon();
  throw;
}

// All ranks get the error of the lowest that failed, or the first key in which they differ.
void Instance::agree_to_start(const Status& mine) {
  const Deadline deadline(asked_.timeout_seconds);
  const Status common = agree(all_, {AgreementPoint::start, signature(asked_), "weir_init", nullptr}, mine, deadline);
  if (common.code == WEIR_EMISMATCH) throw Error(WEIR_ECONFIG, difference_in_words(all_, asked_, deadline));
  common.raise();
  make_paths_absolute(asked_);
}

void Instance::serve() {
  if (config_->strategy == StrategyKind::servers) return run_server(*this, all_);
  try {
    serve_control(all_, schedule_parameters(*config_, fewest_tile_buffers), config_->timeout_seconds);
  } catch (const Error&) {
    comm_.abandon();
    model_.abandon();
    all_.abandon();
    throw;
  }
}

void Instance::finish() {
  Status status;
  if (!reserved_) {
    files_->close_watched(status);
    attempt(status, [&] { feeds_->finish(); });
    attempt(status, [&] { streams_->finish(); });
    files_->tell_definitions();
  }
  const CallBroadcast::Call call(call_broadcast_, CallKind::finish, {});
  files_->close_all(status);
  attempt(status, [&] { pipeline_->agreement().final_agreement("weir_finalize"); });
  pipeline_->advice().remember(now_seconds() - began_, trace_.calls().seconds(now_seconds()));
  const std::string json = config_->report.empty() ? std::string() : report_now();
  if (trace_.on()) attempt(status, [&] { write_trace_of_files(); });
  if (!config_->report.empty()) attempt(status, [&] { write_report_of_all(json); });
  if (status_) status_->end(status.ok());
  status_.reset();
  // No rank takes away a file that another rank still reads.
  attempt(status, [&] { pipeline_->agreement().wait_for_all("weir_finalize"); });
  status.raise();
}

// Rank 0 writes it, and all ranks get its error.
void Instance::write_report_of_all(const std::string& json) {
  Status status;
  const auto write = [where = config_->report, json] {
    if (where == "-")
      say_report(json);
    else
      add_to_report(where, [&](const std::string& file) { return with_instance(file, json); });
    return Status();
  };
  if (comm_.rank() == 0)
    attempt(status, [&] { pipeline_->storage().run(write, formatted("writing {}", config_->report)).raise(); });
  status = broadcast_value(comm_, status, 0, pipeline_->deadline(), "weir_finalize");
  status.raise();
}

void Instance::write_trace_of_files() {
  write_trace({*pipeline_->rank().config, comm_, pipeline_->machine(), files_->traced_files(), &pipeline_->storage(),
               &pipeline_->rank().liveness_check},
              trace_);
}

void Instance::Delete::operator()(Instance* instance) const noexcept {
  if (instance->leaked_after_timeout_) return;
  if (instance->pipeline_ && instance->pipeline_->progress_thread()) instance->pipeline_->progress_thread()->stop();
  delete instance;
}

void Instance::abandon() noexcept {
  if (status_) status_->end(false);
  status_.reset();
  call_broadcast_.give_up();
  leaked_after_timeout_ = !pipeline_->abandon();
  comm_.abandon();
  model_.abandon();
  all_.abandon();
}

// Makes an instance's report, and its status while it runs.

std::string Instance::report() {
  const CallBroadcast::Call call(call_broadcast_, CallKind::report, {});
  pipeline_->agreement().agree_at({AgreementPoint::report, 0, "weir_report", nullptr, true}, {});
  return report_now();
}

std::string Instance::report_now() {
  const double now = now_seconds();
  return report_json(*pipeline_->rank().config, comm_, *pipeline_, {now - began_, trace_.calls().seconds(now)},
                     files_->history(), all_streams());
}

StreamsCounts Instance::all_streams() const {
  StreamsCounts all = streams_->counts();
  feeds_->add_to(all);
  return all;
}

void Instance::start_status() {
  const Machine& machine = pipeline_->machine();
  status_ = std::make_unique<RunStatus>(
      config_->report,
      RunStatus::Run{std::string(name(asked_.strategy)), machine.ranks(), machine.hosts(), config_->buffer_limit_bytes,
                     began_},
      RunStatus::Sight{[this] { return trace_.calls().seconds(now_seconds()); },
                       [this] { return pipeline_->rank().liveness_check.in_storage_seconds(); },
                       [this] { return pipeline_->rank().host_status.behind(); }});
  tell_status();
}

// Where a record or a commit has ended, or something failed, since the last time.
void Instance::tell_status() noexcept try {
  const Tally& tally = pipeline_->tally();
  const Milestones now{tally.records, tally.failures, tally.commit_seconds};
  if (now == shown_) return;
  shown_ = now;
  RunStatus::Counts counts{tally,
                           trace_.calls().seconds(now_seconds()),
                           pipeline_->rank().staging.host_high_water_bytes(),
                           files_->opened(),
                           {},
                           last_warning()};
  for (const auto& [serial, file] : files_->open_files())
    if (file->phase() == FilePhase::writing)
      counts.open.push_back({file->path(), file->records(), file->committed_records()});
  status_->tell(std::move(counts));
} catch (const std::exception&) {
  // No memory to tell: the run goes on, and is told of at the next record.
}

std::string Instance::last_warning() const {
  for (const auto& [serial, file] : files_->open_files())
    if (!file->open_file().failure.ok()) return file->open_file().failure.message;
  const std::vector<std::string>& storage = pipeline_->rank().liveness_check.notes();
  if (!storage.empty()) return storage.back();
  return config_->notes.empty() ? std::string() : config_->notes.back();
}

}  // namespace weir
