// SPDX-License-Identifier: Apache-2.0
#include "engine/agreement.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mpi/agree.hpp"

namespace weir {

namespace {

constexpr std::size_t most_described = 100'000;

std::string line_in_words(const PutLog::Line& line, PutLog::Detail detail) {
  const OpenFile& file = *line.file;
  std::string text = formatted("put of \"{}\"", file.schema.variables()[static_cast<std::size_t>(line.var)].name);
  if (file.schema.is_record(line.var)) text += formatted(" record {}", file.counting.number(line.record));
  text += formatted(" into {}", file.path);
  return detail == PutLog::Detail::plain ? text : formatted("{} by layout {}", text, file.counting.number(line.layout));
}

}  // namespace

void PutLog::add(const Line& line) {
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.file->serial));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.var));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.record));
  signature_ = mix(signature_, static_cast<std::uint64_t>(line.layout));
  if (lines_.size() < most_described) lines_.push_back(line);
}

void PutLog::clear() noexcept {
  lines_.clear();
  lines_of_gone_files_.clear();
  signature_ = 0;
}

void PutLog::leave(const OpenFile& file) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].file != &file) continue;
    lines_of_gone_files_[i] = line_in_words(lines_[i], Detail::with_layouts);
    lines_[i].file = nullptr;
  }
}

std::vector<std::string> PutLog::describe(Detail detail) const {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    words.push_back(lines_[i].file ? line_in_words(lines_[i], detail) : lines_of_gone_files_.at(i));
  return words;
}

namespace {

// A rank comes here because another is out of sync. That one is at another point and has failed: all ranks get its
// failure.
const Point out_of_sync_point{AgreementPoint::out_of_sync, 0, "flush", nullptr};

}  // namespace

Agreement::Agreement(RankContext& rank, OngoingWork& work) : rank_(rank), work_(work), computes_(rank.computes()) {}

void Agreement::leave(const OpenFile& file) {
  std::erase(files_, &file);
  put_log_.leave(file);
}

Status Agreement::agree_on(Point point, Question* question) {
  const std::function<std::vector<std::string>()> history = [this] {
    return put_log_.describe(PutLog::Detail::with_layouts);
  };
  point.signature = mix(point.signature, put_log_.signature());
  point.history = &history;
  rank_.host_status.say_met(++count_);
  Question own;
  if (!question) question = &own;
  const double came = now_seconds();
  const double computed = computes_ ? load_imbalance_.computed(times_at_agreement(came)) : 0.0;
  question->computed = computed;
  try {
    Status common = agree(rank_.comm, point, take_noted(), rank_.deadline(), question);
    load_imbalance_.met(computed, question->computed, times_at_agreement(came));
    return common;
  } catch (const Error& error) {
    explain(error, "");
    throw;
  }
}

// The agreement's own wait is in no sum yet.
LoadImbalance::Times Agreement::times_at_agreement(double came) const {
  const double now = now_seconds();
  return {now, rank_.trace.calls().seconds(now), rank_.tally.wait_seconds + now - came};
}

void Agreement::explain(const Error& error, const std::string& call) {
  if (error.code() != WEIR_ETIMEOUT) return;
  std::string text = call + error.what();
  if (!std::exchange(explained_, true)) {
    const std::string here = rank_.host_status.absent(count_);
    if (!rank_.liveness_check.diagnosis().empty()) text += "; " + rank_.liveness_check.diagnosis();
    if (!here.empty()) text += formatted("; on this host, rank(s) {} did not reach this collective call", here);
    const std::vector<std::string> puts = put_log_.describe(PutLog::Detail::plain);
    if (!call.starts_with("put of") && !puts.empty())
      text += formatted("; the last call of this rank was {}", puts.back());
  }
  throw Error(error.code(), text, error.where());
}

void Agreement::agree_at(const Point& point, Status mine, const OpenFile* file, std::int64_t* question) {
  agree_at(point, std::move(mine), file, question, false);
}

void Agreement::agree_to_read(const Point& point, Status mine, std::int64_t* question) {
  if (!mine.ok()) mine.scope = {Scope::this_call};
  agree_at(point, std::move(mine), nullptr, question, true);
}

void Agreement::agree_at(const Point& point, Status mine, const OpenFile* file, std::int64_t* question, bool to_read) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = work_.cycle()});
  note(std::move(mine));
  for (;;) {
    Question answer{question ? *question : 0, true};
    Status common = agree_on(point, &answer);
    if (common.ok()) {
      if (question) *question = answer.value;
      return put_log_.clear();
    }
    if (to_read && answer.together && common.code == WEIR_EMISMATCH) common.scope = {Scope::this_call};
    // This rank left out a call and is at `point`, to which all ranks come in the end. The others were at the point of
    // the call that it left out. They have this rank's failure now and come to `point` next, so it agrees once more.
    const bool astray = out_of_sync_ && point.everybody && !answer.together;
    fail(common);
    if (!astray && (common.scope.kind != Scope::one_file || (file && common.scope == Scope::of(file->serial))))
      common.raise();
  }
}

// Others may be at points of calls that this rank has left out. They get its failure at each, and come to the end at
// last.
void Agreement::final_agreement(std::string_view call) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = work_.cycle()});
  Status first;
  for (Question answer{0, false}; !answer.together;) {
    answer.value = 0;
    const Status common = agree_on({AgreementPoint::end, 0, call, nullptr, true}, &answer);
    if (common.ok()) break;
    fail(common);
    first.merge(common);
  }
  first.raise();
}

void Agreement::wait_for_all(std::string_view call) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = work_.cycle()});
  try {
    barrier(rank_.comm, rank_.deadline(), call);
  } catch (const Error& error) {
    explain(error, "");
    throw;
  }
}

Status Agreement::try_agree_at(const Point& point, Status mine) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = work_.cycle()});
  note(std::move(mine));
  Question answer{0, true};
  const Status common = agree_on(point, &answer);
  if (common.ok() || answer.together || common.scope.kind == Scope::one_file) return common;
  fail(common);
  throw Error(common.code, common.message);
}

void Agreement::note(Status status) {
  if (!status.ok()) noted_.push_back(std::move(status));
}

void Agreement::fall_out_of_sync(Status status) {
  note(std::move(status));
  out_of_sync_ = true;
  work_.say_out_of_sync();
}

void Agreement::join_out_of_sync() {
  work_.say_out_of_sync();
  agree_at(out_of_sync_point, {});
}

void Agreement::forget() noexcept {
  put_log_.clear();
  noted_.clear();
  out_of_sync_ = false;
}

// What concerns all files first: the others are then over with it, and nothing is left for a later call to tell.
Status Agreement::take_noted() {
  if (noted_.empty()) return {};
  auto next = std::find_if(noted_.begin(), noted_.end(), [](const Status& status) { return status.of_all_files(); });
  if (next == noted_.end()) next = noted_.begin();
  Status taken = std::move(*next);
  noted_.erase(next);
  return taken;
}

void Agreement::fail(const Status& status) {
  ++rank_.tally.failures;
  if (status.scope.kind == Scope::this_call) return;
  work_.pause([&] {
    for (OpenFile* file : files_)
      if (status.of_all_files() || status.scope == Scope::of(file->serial)) file->failure.merge(status);
  });
  if (status.of_all_files()) work_.recover();
}

}  // namespace weir
