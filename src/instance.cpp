// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

#include <algorithm>
#include <utility>

#include "config_agreement.hpp"
#include "mpi/agree.hpp"
#include "mpi/running_mpi.hpp"
#include "report.hpp"
#include "run/controls.hpp"
#include "trace_file.hpp"
#include "write/trouble.hpp"

namespace weir {

namespace {

constexpr std::int64_t start_point = 401;
constexpr std::int64_t layout_point = 402;
constexpr std::int64_t free_point = 403;

// Whether what is written at the end could be written now.
Status endings_trouble(const Config& config) {
  for (const auto& [key, path] : {std::pair{"report", config.report}, std::pair{"trace", config.trace}}) {
    if (path.empty() || path == "-") continue;
    if (const auto trouble = writing_trouble(path)) return {WEIR_EIO, key + (": " + *trouble), -1};
  }
  return {};
}

// Runs `body`, and keeps its error. Who has lost a rank meets nobody any more.
template <class Body>
void attempt(Status& status, Body body) {
  try {
    body();
  } catch (const Error& error) {
    status.merge({error.code(), error.what(), -1});
    if (ends_instance(error.code())) throw;
  }
}

// A scalar is an array of one element.
Layout nothing_of(const Shape& shape) {
  return Layout::boxes(shape.empty() ? Shape{1} : shape, {}, {}, {});
}

// weir_put_vara of a rank that has nothing.
void put_nothing(File& file, int var, Type type) {
  const auto& variables = file.schema().variables();
  const bool known = var >= 0 && var < static_cast<int>(variables.size());
  const Shape none(known ? variables[static_cast<std::size_t>(var)].dims.size() : 0, 0);
  file.puts().put_box(var, none, none, type, nullptr);
}

}  // namespace

Instance::Instance(MPI_Comm world, const char* config, const Caller& caller)
    : Instance(
          world, [&] { return load_config(config); }, caller) {
  if (all_.rank() == 0) say_notes(config_, "weir");
}

Instance::Instance(MPI_Comm world, const Config& config) : Instance(world, [&] { return config; }, {}) {}

Instance::Instance(MPI_Comm world, const std::function<Config()>& load, const Caller& caller)
    : layouts_(caller.counting) {
  const std::string mismatch = mpi_mismatch();
  require(mismatch.empty(), WEIR_EMPI, mismatch);
  Status status;
  try {
    asked_ = config_ = load();
    anchor(config_);
    if (config_.strategy == StrategyKind::automatic) config_.strategy = StrategyKind::dynamic;  // until it is advised
    settle(config_);
    require(config_.progress != ProgressKind::thread || any_thread_may_call(), WEIR_ECONFIG,
            "progress: thread wants MPI_THREAD_MULTIPLE: initialise MPI by MPI_Init_thread with it, or take progress: "
            "auto");
  } catch (const Error& error) {
    status = {error.code(), error.what(), -1};
  }
  const Deadline deadline(asked_.timeout_seconds);
  all_ = Comm::duplicate(world, deadline);
  all_.call_ranks(caller.ranks);
  if (status.ok() && all_.rank() == 0) status = endings_trouble(config_);
  agree_to_start(status);
  const int reserved = reserved_ranks(config_);
  require(all_.size() > reserved, WEIR_ECONFIG, [&] {
    return "the configuration reserves " + std::to_string(reserved) + " rank(s) of " + std::to_string(all_.size()) +
           ": start the model with more";
  });
  reserved_ = all_.rank() >= all_.size() - reserved;
  model_ = reserved > 0 ? all_.split(reserved_ ? 1 : 0, deadline) : Comm::duplicate(all_.raw(), deadline);
  const bool servers = config_.strategy == StrategyKind::servers;
  if (servers) lead_ = Lead(all_, reserved);
  const bool controlled = reserved > 0 && !servers;
  try {
    comm_ = Comm::duplicate(servers ? all_.raw() : model_.raw(), deadline);
    comm_.call_ranks(caller.ranks);
    if (!reserved_ || servers) begin(controlled, deadline);
  } catch (const Error&) {
    if (controlled && !reserved_) abandon_control(all_);
    lead_.give_up();
    throw;
  }
}

void Instance::begin(bool controlled, const Deadline& deadline) {
  if (!config_.trace.empty()) trace_.start(traced_events(comm_.size()), began_);
  const Span span(trace_.main(), Step::call, {});
  if (config_.sink_bandwidth > 0)
    storage_ =
        std::make_unique<StorageClock>(comm_, StorageSpeed{config_.sink_bandwidth, config_.writer_bandwidth}, deadline);
  pipeline_ = std::make_unique<Pipeline>(config_, comm_, controlled ? &all_ : nullptr, trace_, layouts_);
  if (pipeline_->machine().hosts() == 1) comm_.meet_in_memory(pipeline_->rank().staging.meeting_slots());
  group_ = std::make_unique<CommitGroup>(config_, comm_, *pipeline_, trace_);
  if (asked_.strategy == StrategyKind::automatic) pipeline_->advice().ask_for(asked_);
  if (comm_.rank() == 0 && !config_.report.empty() && config_.report != "-") start_status();
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
  const Status common = agree(all_, {start_point, signature(asked_), "weir_init", nullptr}, mine, deadline);
  if (common.code == WEIR_EMISMATCH) throw Error(WEIR_ECONFIG, difference_in_words(all_, asked_, deadline));
  common.raise();
  anchor(asked_);
}

void Instance::serve() {
  if (config_.strategy == StrategyKind::servers) return follow();
  try {
    serve_control(all_, schedule_parameters(config_, fewest_places), config_.timeout_seconds);
  } catch (const Error&) {
    comm_.abandon();
    model_.abandon();
    all_.abandon();
    throw;
  }
}

Told Instance::hear() {
  const Span span(trace_.main(), Step::wait, {});
  return Lead::hear(all_, {config_.timeout_seconds, &pipeline_->rank().roll_call});
}

// Errors are all ranks' and the model has them; only one that ends the instance ends the serving.
void Instance::follow() {
  for (Verb verb = Verb::create; verb != Verb::finish;) {
    try {
      const Told told = hear();
      verb = told.verb;
      follow(told);
    } catch (const Error& error) {
      if (error.code() == WEIR_ETIMEOUT || error.code() == WEIR_EMPI) {
        abandon();
        throw;
      }
    }
  }
}

void Instance::follow(const Told& told) {
  const auto word = [&](std::size_t i) { return told.words[i]; };
  const auto number = [&](std::size_t i) { return static_cast<int>(told.words[i]); };
  const auto file = [&]() -> File& {
    const auto found = files_.find(number(0));
    require(found != files_.end(), WEIR_EINTERNAL, "a server is told of a file that is not open");
    return *found->second;
  };
  const auto type = [&](std::size_t i) { return static_cast<Type>(told.words[i]); };
  switch (told.verb) {
    case Verb::create:
      return static_cast<void>(create(told.text(), number(0)));
    case Verb::open:
      return static_cast<void>(open(told.text(), number(0)));
    case Verb::define:
      return file().definitions().adopt(told);
    case Verb::enddef:
      return file().definitions().enddef();
    case Verb::redef:
      return redef(file());
    case Verb::put:
      return file().puts().put(number(1), word(2), number(3), type(4), nullptr);
    case Verb::put_box:
      return put_nothing(file(), number(1), type(2));
    case Verb::put_whole:
      return file().puts().put_whole(number(1), word(2), type(3), nullptr);
    case Verb::plan:
      return static_cast<void>(file().puts().plan_json(number(1), number(2)));
    case Verb::get:
      return file().gets().get(number(1), word(2), number(3), type(4), nullptr);
    case Verb::get_box:
      return file().gets().get_nothing(number(1), type(2));
    case Verb::prefetch: {
      const std::vector<int> vars(told.words.begin() + 3, told.words.end());
      return file().gets().prefetch(vars, word(1), number(2));
    }
    case Verb::sync:
      return sync(file());
    case Verb::sync_all:
      return sync_all();
    case Verb::close:
      return close(file());
    case Verb::add_layout:
      return static_cast<void>(define_layout(told.words, [&] { return nothing_of(told.words); }));
    case Verb::free_layout:
      return free_layout(number(0));
    case Verb::report:
      return static_cast<void>(report());
    case Verb::finish:
      return finish();
    case Verb::give_up:
      return;  // hear() throws
  }
}

File& Instance::create(const std::string& path, int mode) {
  const Lead::Call call(lead_, Verb::create, {mode}, std::as_bytes(std::span(path)));
  const int serial = next_file_++;
  return *(files_[serial] = File::create(context(), serial, path, mode));
}

File& Instance::open(const std::string& path, int mode) {
  const Lead::Call call(lead_, Verb::open, {mode}, std::as_bytes(std::span(path)));
  const int serial = next_file_++;
  return *(files_[serial] = File::open(context(), serial, path, mode));
}

File& Instance::attach(const Attached& attached) {
  const int serial = next_file_++;
  const FileSummary* const former = history_.attachment(attached.path);
  File& file =
      *(files_[serial] = File::attach(context(), serial, attached, former != nullptr ? former->bytes_written : 0));
  if (former != nullptr) history_.remove(former->serial);
  return file;
}

void Instance::leave(File& file) {
  file.leave();
  forget(file);
}

// That are being written, by their numbers.
template <class Belongs>
std::vector<File*> Instance::writing(Belongs belongs) const {
  std::vector<File*> found;
  for (const auto& [serial, file] : files_)
    if (file->commits().takes_part() && belongs(*file)) found.push_back(file.get());
  return found;
}

// Of a file that is committed by itself: none.
std::vector<File*> Instance::group_of(const File& file) const {
  if (!file.commits().takes_part() || !in_commit_group(asked_, file.path())) return {};
  return writing([&](const File& other) { return in_commit_group(asked_, other.path()); });
}

void Instance::sync(File& file) {
  const std::vector<File*> group = group_of(file);
  if (group.size() < 2) return file.sync();
  const Lead::Call call(lead_, Verb::sync, {file.open_file().serial});
  group_->commit(group, "weir_sync");
}

void Instance::redef(File& file) {
  const Lead::Call call(lead_, Verb::redef, {file.open_file().serial});
  sync(file);
  file.redef();
}

void Instance::sync_all() {
  const Lead::Call call(lead_, Verb::sync_all, {});
  const std::vector<File*> all = writing([](const File&) { return true; });
  if (all.size() == 1) all.front()->sync();
  if (all.size() > 1) group_->commit(all, "weir_sync_all");
}

// A group that cannot be committed as one is told so; the file is committed all the same. One that has failed leaves
// the others alone.
void Instance::close(File& file) {
  const std::vector<File*> group = file.open_file().failure.ok() ? group_of(file) : std::vector<File*>{};
  if (group.size() < 2) return close(file, File::Ending::commits);
  const Lead::Call call(lead_, Verb::close, {file.open_file().serial});
  Status status;
  attempt(status, [&] { group_->commit(group, "weir_close"); });
  const bool committed = status.ok() || status.code == WEIR_ERANGE;
  attempt(status, [&] { close(file, committed ? File::Ending::is_committed : File::Ending::commits); });
  status.raise();
}

void Instance::close(File& file, File::Ending ending) {
  Status status;
  attempt(status, [&] { file.close(ending); });
  if (group_) group_->leave(file);
  forget(file);
  status.raise();
}

void Instance::forget(File& file) {
  const OpenFile& closed = file.open_file();
  if (trace_.on()) traced_files_[closed.serial] = traced(closed);
  if (file.summary()) history_.add(*file.summary());
  files_.erase(closed.serial);
}

// A layout that is flat on one rank is flat on all, so that one planner serves them.
int Instance::add_layout(IndexView shape, Layout layout, Status status) {
  const Lead::Call call(lead_, Verb::add_layout, shape, {});
  std::uint64_t signature = shape.size();
  for (std::int64_t length : shape) signature = mix(signature, static_cast<std::uint64_t>(length));
  std::int64_t flat = layout.flat() ? 1 : 0;
  const std::string what = "weir_def_layout of an array " + in_words(shape, layouts_.counting());
  pipeline_->meetings().meet({layout_point, signature, what, nullptr, true}, std::move(status), nullptr, &flat);
  return layouts_.add(flat ? layout.flattened() : std::move(layout));
}

void Instance::free_layout(int layout) {
  const Lead::Call call(lead_, Verb::free_layout, {layout});
  Status status;
  try {
    layouts_.at(layout);
  } catch (const Error& error) {
    status = {error.code(), error.what(), no_file};
  }
  const std::string what = "weir_free_layout of layout " + layouts_.counting().number(layout);
  pipeline_->meetings().meet({free_point, static_cast<std::uint64_t>(layout), what, nullptr, true}, status);
  pipeline_->settle();
  pipeline_->plans().forget(layout);
  pipeline_->own_reading().forget(layout);
  layouts_.remove(layout);
}

void Instance::finish() {
  const Lead::Call call(lead_, Verb::finish, {});
  Status status;
  while (!files_.empty()) {
    try {
      close(*files_.begin()->second);
    } catch (const Error& error) {
      if (ends_instance(error.code())) throw;  // who has lost a rank meets nobody any more
      status.merge({error.code(), error.what(), -1});
    }
  }
  attempt(status, [&] { pipeline_->meetings().come_to_the_end("weir_finalize"); });
  pipeline_->advice().remember(now_seconds() - began_, trace_.calls().seconds(now_seconds()));
  const std::string json = config_.report.empty() ? std::string() : report_now();
  if (trace_.on()) attempt(status, [&] { write_trace_of_files(); });
  if (!config_.report.empty()) attempt(status, [&] { write_report_of_all(json); });
  if (status_) status_->end(status.ok());
  status_.reset();
  // Nobody takes away a file that another rank still reads.
  attempt(status, [&] { pipeline_->meetings().wait_for_all("weir_finalize"); });
  status.raise();
}

// Rank 0 writes it, and all ranks get its error.
void Instance::write_report_of_all(const std::string& json) {
  Status status;
  const auto write = [where = config_.report, json] { return write_report(where, json), Status(); };
  if (comm_.rank() == 0) attempt(status, [&] { pipeline_->storage().run(write, "writing " + config_.report).raise(); });
  broadcast(comm_, status, 0, pipeline_->deadline(), "weir_finalize");
  status.raise();
}

void Instance::write_trace_of_files() {
  for (const auto& [serial, file] : files_) traced_files_[serial] = traced(file->open_file());
  write_trace(
      {config_, comm_, pipeline_->machine(), traced_files_, &pipeline_->storage(), &pipeline_->rank().roll_call},
      trace_);
}

void Instance::Delete::operator()(Instance* instance) const noexcept {
  if (instance->lingers_) return;
  if (instance->pipeline_ && instance->pipeline_->progress_thread()) instance->pipeline_->progress_thread()->stop();
  delete instance;
}

void Instance::abandon() noexcept {
  if (status_) status_->end(false);
  status_.reset();
  lead_.give_up();
  lingers_ = !pipeline_->abandon();
  comm_.abandon();
  model_.abandon();
  all_.abandon();
}

}  // namespace weir
