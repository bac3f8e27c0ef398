// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/config.hpp"
#include "base/text.hpp"
#include "configuration.hpp"
#include "instance/config_agreement.hpp"
#include "mpi/agree.hpp"

namespace weir::cfio2 {

namespace {

constexpr std::size_t most_open_files = 64;

// Never destroyed: a program may end without cfio2_finalize, and then MPI is no more.
std::map<MPI_Fint, std::unique_ptr<Session>>& sessions() {
  static auto& all = *new std::map<MPI_Fint, std::unique_ptr<Session>>;
  return all;
}

void check_arguments(int io_process_per_node, int io_process_per_var) {
  require(io_process_per_node >= 1 && io_process_per_var >= 1, WEIR_EARGUMENT,
          "cfio2_init with {} I/O processes per node and {} per variable; at least one rank must write: give 1 or more "
          "of each",
          io_process_per_node, io_process_per_var);
}

}  // namespace

void Session::begin(MPI_Comm comm, int io_process_per_node, int io_process_per_var) {
  require(comm != MPI_COMM_NULL, WEIR_EARGUMENT,
          "cfio2_init without a communicator; give one that holds the control process and the ranks that put");
  Session* before = find(comm);
  require(before == nullptr || before->served(), WEIR_ESTATE,
          "cfio2_init was called twice on this communicator; call cfio2_finalize before the second call");
  const Comm all = Comm::duplicate(comm);
  Config config;
  std::string text;
  Status status;
  try {
    check_arguments(io_process_per_node, io_process_per_var);
    text = configuration_text(io_process_per_node, io_process_per_var);
    config = load_config(text.c_str());
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  const Deadline deadline(config.timeout_seconds);
  const std::string call = formatted("cfio2_init with {} I/O processes per node and {} per variable",
                                     io_process_per_node, io_process_per_var);
  agree(all, {AgreementPoint::cfio2_start, mix(0, call), call}, status, deadline).raise();
  const Status common =
      agree(all, {AgreementPoint::cfio2_configuration, signature(config), "cfio2_init"}, {}, deadline);
  if (!common.ok()) throw Error(WEIR_ECONFIG, difference_in_words(all, config, deadline));
  std::unique_ptr<Session> session(new Session);
  session->start(all.raw(), config, text);
  sessions()[MPI_Comm_c2f(comm)] = std::move(session);
}

void Session::start(MPI_Comm comm, const Config& config, const std::string& text) {
  control_ = Control(comm, config);
  const Started started = control_.start(text);
  if (started.weir == nullptr) {
    control_ = {};
    return;
  }
  model_ = started.model;
  const bool part_files = writes_parts(config);
  Comm putting = Comm::duplicate(model_);
  putting.call_ranks(control_.numbers());
  shared_ = std::make_unique<Shared>(started.weir, std::move(putting), config.timeout_seconds, part_files);
  defines_early_ = !part_files;
  hold_limit_bytes_ = config.buffer_limit_bytes;
}

Session* Session::find(MPI_Comm comm) noexcept {
  const auto found = sessions().find(MPI_Comm_c2f(comm));
  return found == sessions().end() ? nullptr : found->second.get();
}

Session& Session::of(MPI_Comm comm) {
  Session* session = find(comm);
  require(session != nullptr, WEIR_ESTATE, "cfio2 is not running on this communicator; call cfio2_init first");
  return *session;
}

void Session::end(MPI_Comm comm) {
  of(comm);
  const std::unique_ptr<Session> session = std::move(sessions()[MPI_Comm_c2f(comm)]);
  sessions().erase(MPI_Comm_c2f(comm));
  if (!session->served()) session->finish();
}

void Session::finish() {
  Status status = shared_->broken();
  try {
    if (status.ok()) commit_all("cfio2_finalize", true);
  } catch (const Error& error) {
    status.merge({error.code(), error.what()});
  }
  const int code = weir_finalize(&shared_->handle());
  if (code != WEIR_OK) {
    status.merge({static_cast<Code>(code), weir_init_error()});
    shared_->note(static_cast<Code>(code), weir_init_error());
  }
  control_.leave(shared_->abandoned());
  if (!shared_->abandoned()) MPI_Comm_free(&model_);
  status.raise();
}

Output* Session::output(const std::string& path) noexcept {
  const auto found =
      std::find_if(outputs_.begin(), outputs_.end(), [&](const auto& output) { return output->path() == path; });
  return found == outputs_.end() ? nullptr : found->get();
}

void Session::put(const Put& put, const Status& refused) {
  if (served()) return;
  shared_->broken().raise();
  if (put.path.empty()) {
    lost_.merge({refused.code, formatted("rank {}: {}", shared_->comm().number(), refused.message)});
    refused.raise();
  }
  leave_last(put.path);
  Output& output = output_for(put);
  Status status;
  try {
    output.put(put, refused);
  } catch (const Error& error) {
    status = {error.code(), error.what()};
    shared_->note(error.code(), error.what());
  }
  if (output.changes() > 0 && std::find(left_.begin(), left_.end(), put.path) != left_.end()) defines_early_ = false;
  watch_memory(put);
  status.raise();
}

void Session::put_attribute(const std::string& path, std::string var, Attribute attribute, const Status& refused) {
  if (served()) return;
  shared_->broken().raise();
  Output* there = output(path);
  require(there != nullptr, WEIR_ESTATE,
          "cfio2_put_att into {} before a put; an attribute comes after the file's first cfio2_put_vara", path);
  there->put_attribute(std::move(var), std::move(attribute), refused);
}

// A program that goes on to another file has, as a rule, put all variables of the last one.
void Session::leave_last(const std::string& path) {
  if (path == last_path_) return;
  Output* last = output(last_path_);
  if (defines_early_ && last != nullptr && last->changes() > 0) {
    define(*last, formatted("cfio2_put_vara into {} after {}", path, last_path_));
    left_.push_back(last_path_);
  }
  last_path_ = path;
}

Output& Session::output_for(const Put& put) {
  Output* there = output(put.path);
  if (there != nullptr && put.append) return *there;
  if (there != nullptr) {
    try {
      there->close("cfio2_put_vara with append = 0");
    } catch (const Error& error) {
      keep(error);
    }
    drop(put.path);
  }
  if (outputs_.size() >= most_open_files) try {
      commit_all("cfio2_put_vara into one file more", false);
    } catch (const Error& error) {
      keep(error);
    }
  outputs_.push_back(std::make_unique<Output>(*shared_, put.path, put.append));
  last_path_ = put.path;
  return *outputs_.back();
}

// Even shares, and not what this rank holds: all ranks must find the same.
void Session::watch_memory(const Put& put) {
  std::int64_t held = 0;
  for (const auto& output : outputs_) held += output->held_bytes();
  if (held <= hold_limit_bytes_) return;
  for (const auto& output : outputs_)
    define(*output, formatted("{} and, beyond buffer_limit, {}", put.in_words(), output->path()));
}

// An error of a file that the program did not ask about is told at its next call for that file, or the next wait.
void Session::define(Output& output, const std::string& call) {
  try {
    output.define(call);
  } catch (const Error& error) {
    keep(error);
  }
}

void Session::keep(const Error& error) {
  late_.merge({error.code(), error.what()});
  shared_->note(error.code(), error.what());
}

void Session::drop(const std::string& path) noexcept {
  const auto found =
      std::find_if(outputs_.begin(), outputs_.end(), [&](const auto& output) { return output->path() == path; });
  (*found)->discard();
  outputs_.erase(found);
}

void Session::wait() {
  if (served()) return;
  commit_all("cfio2_wait_output", false);
}

void Session::commit_all(const std::string& call, bool closing) {
  std::vector<std::string> lines;
  for (const auto& output : outputs_) lines.push_back(output->summary());
  Status status = shared_->agree_on(call, lines, std::exchange(lost_, {}));
  const bool in_sync = status.ok();
  status.merge(std::exchange(late_, {}));
  std::vector<std::unique_ptr<Output>> staying;
  for (auto& output : std::exchange(outputs_, {})) {
    try {
      if (in_sync && closing) output->close(call);
      if (in_sync && !closing && output->commit(call)) staying.push_back(std::move(output));
    } catch (const Error& error) {
      status.merge({error.code(), error.what()});
      shared_->note(error.code(), error.what());
    }
    if (output) output->discard();
  }
  outputs_ = std::move(staying);
  left_.clear();
  last_path_.clear();
  status.raise();
}

}  // namespace weir::cfio2
