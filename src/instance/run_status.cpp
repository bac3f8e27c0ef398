// SPDX-License-Identifier: Apache-2.0
#include "instance/run_status.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.hpp"
#include "base/host.hpp"
#include "base/worker.hpp"

namespace weir {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto between_writes = std::chrono::seconds(1);
constexpr double heartbeat_seconds = 10;
constexpr double in_call_share = 0.9;  // of the time between two looks: the model is in a call that goes on
constexpr std::size_t most_files = 20;

void add_counts(Json& json, const RunStatus::Counts& counts) {
  const Tally& tally = counts.tally;
  const double slack = std::min(tally.slack_seconds, counts.call_seconds);
  const double visible = counts.call_seconds - slack, hidden = tally.hidden_seconds + slack;
  json["records"] = tally.records;
  json["bytes"] = tally.bytes_in_files;
  json["high_water_bytes"] = counts.high_water_bytes;
  json["output_seconds"] = visible + hidden;
  json["visible_seconds"] = visible;
  for (const StepTime& step : step_times) json["seconds"][step.name] = tally.*step.seconds;
  if (tally.accumulate_seconds > 0) json["seconds"]["accumulate"] = tally.accumulate_seconds;
  json["files"] = counts.files;
  json["open_files"] = Json::array();
  for (std::size_t i = 0; i < std::min(counts.open.size(), most_files); ++i) {
    const RunStatus::OpenFile& file = counts.open[i];
    json["open_files"].push_back({{"path", file.path}, {"records", file.records}, {"committed", file.committed}});
  }
  json["warning"] = counts.warning;
}

}  // namespace

struct RunStatus::Shared {
  std::string path;
  std::string host = host_name();
  Run run;
  Sight sight;
  // Under the worker's lock; until it is to stop, the sight may be asked under it.
  Counts counts;
  double told = 0;    // when the counts were
  bool fresh = true;  // no rank has written them
  bool well = false;
  double written = 0;
  double looked = 0, calls_before = 0;  // the last look at the model's calls
  double in_call = 0;                   // for how long the model has been seen in one call
  Worker worker;

  void write_on(Worker::Lock& lock);
  void write(Worker::Lock& lock);
  bool due();
  std::string text() const;
  void store(const std::string& words) const;
};

// Once a second, while the run goes on.
bool RunStatus::Shared::due() {
  const double now = now_seconds(), calls = sight.call_seconds();
  const bool in_call_all_along = calls - calls_before >= in_call_share * (now - looked);
  in_call = in_call_all_along ? in_call + (now - looked) : 0;
  looked = now, calls_before = calls;
  return fresh || in_call > 0 || now - written >= heartbeat_seconds;
}

std::string RunStatus::Shared::text() const {
  const double now = now_seconds();
  const bool running = !worker.stopping();
  Json json;
  json["weir_status"] = version;
  json["state"] = running ? "running" : "ended";
  json["host"] = host;
  json["process"] = getpid();
  json["strategy"] = run.strategy;
  json["ranks"] = run.ranks;
  json["hosts"] = run.hosts;
  json["elapsed_seconds"] = now - run.began;
  json["told_seconds"] = told - run.began;
  json["buffer_limit_bytes"] = run.buffer_limit_bytes;
  add_counts(json, counts);
  json["in_call_seconds"] = in_call;
  json["in_storage_seconds"] = running ? sight.storage_seconds() : 0.0;
  json["behind"] = running ? sight.behind() : std::string();
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

// What cannot be written is not told: the report, at the end, is what complains.
void RunStatus::Shared::store(const std::string& words) const {
  const std::string new_path = path + ".new";
  {
    std::ofstream file(new_path);
    file << words << "\n" << std::flush;
    if (!file.good()) return;
  }
  static_cast<void>(std::rename(new_path.c_str(), path.c_str()));
}

void RunStatus::Shared::write(Worker::Lock& lock) {
  const std::string words = text();
  fresh = false;
  written = now_seconds();
  lock.unlock();
  store(words);
  lock.lock();
}

void RunStatus::Shared::write_on(Worker::Lock& lock) {
  if (!worker.stopping()) write(lock);
  while (worker.sleep(lock, between_writes, [] { return false; }))
    if (due()) write(lock);
  if (!well) return write(lock);
  lock.unlock();
  static_cast<void>(::unlink(path.c_str()));
  lock.lock();
}

RunStatus::RunStatus(const std::string& report_path, const Run& run, Sight sight)
    : shared_(std::make_shared<Shared>()) {
  shared_->path = report_path + std::string(ending);
  shared_->run = run;
  shared_->sight = std::move(sight);
  shared_->told = shared_->looked = now_seconds();
  shared_->worker.begin([shared = shared_](Worker::Lock& lock) { shared->write_on(lock); });
}

void RunStatus::tell(Counts counts) {
  const auto lock = shared_->worker.lock();
  shared_->counts = std::move(counts);
  shared_->told = now_seconds();
  shared_->fresh = true;
}

void RunStatus::end(bool well) noexcept {
  if (!shared_->worker.begun()) return;
  shared_->worker.change([&] { shared_->well = well; });
  static_cast<void>(shared_->worker.abandon());
}

}  // namespace weir
