// SPDX-License-Identifier: Apache-2.0
// Makes an instance's report, and its status while it runs.
#include <utility>

#include "instance.hpp"
#include "report.hpp"

namespace weir {

std::string Instance::report() {
  const CallBroadcast::Call call(call_broadcast_, CallKind::report, {});
  pipeline_->agreement().agree_at({AgreementPoint::report, 0, "weir_report", nullptr, true}, {});
  return report_now();
}

std::string Instance::report_now() {
  const double now = now_seconds();
  return report_json(config_, comm_, *pipeline_, {now - began_, trace_.calls().seconds(now)}, files_->history());
}

void Instance::start_status() {
  const Machine& machine = pipeline_->machine();
  status_ =
      std::make_unique<RunStatus>(config_.report,
                                  RunStatus::Run{std::string(name(asked_.strategy)), machine.ranks(), machine.hosts(),
                                                 config_.buffer_limit_bytes, began_},
                                  RunStatus::Sight{[this] { return trace_.calls().seconds(now_seconds()); },
                                                   [this] { return pipeline_->rank().liveness_check.in_storage_seconds(); },
                                                   [this] { return pipeline_->rank().host_status.behind(); }});
  tell_status();
}

// Where a record or a commit has ended, or something failed, since the last time.
void Instance::tell_status() noexcept try {
  const Tally& tally = pipeline_->tally();
  const Milestones now{tally.records, tally.failures, tally.commit_seconds};
  if (now == told_) return;
  told_ = now;
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
  return config_.notes.empty() ? std::string() : config_.notes.back();
}

}  // namespace weir
