// SPDX-License-Identifier: Apache-2.0
#include "pipeline/meetings.hpp"

#include <algorithm>
#include <utility>

namespace weir {

namespace {

// Who comes here because a neighbour is out of sync meets ranks at other points: that one has failed, and is heard.
const Point out_of_sync_point{AgreementPoint::out_of_sync, 0, "flush", nullptr};

}  // namespace

Meetings::Meetings(RankContext& rank, Work& work) : rank_(rank), work_(work), computes_(rank.computes()) {}

void Meetings::leave(const OpenFile& file) {
  std::erase(files_, &file);
  journal_.leave(file);
}

Status Meetings::agree_on(Point point, Question* question) {
  const std::function<std::vector<std::string>()> history = [this] {
    return journal_.describe(Journal::Detail::with_layouts);
  };
  point.signature = mix(point.signature, journal_.signature());
  point.history = &history;
  rank_.host_status.say_met(++count_);
  Question own;
  if (!question) question = &own;
  const double came = now_seconds();
  const double computed = computes_ ? lateness_.computed(times_of_meeting(came)) : 0.0;
  question->computed = computed;
  try {
    Status common = agree(rank_.comm, point, take_noted(), rank_.deadline(), question);
    lateness_.met(computed, question->computed, times_of_meeting(came));
    return common;
  } catch (const Error& error) {
    explain(error, "");
    throw;
  }
}

// The meeting's own wait is in no sum yet.
Lateness::Times Meetings::times_of_meeting(double came) const {
  const double now = now_seconds();
  return {now, rank_.trace.calls().seconds(now), rank_.tally.wait_seconds + now - came};
}

void Meetings::explain(const Error& error, const std::string& call) {
  if (error.code() != WEIR_ETIMEOUT) return;
  std::string text = call + error.what();
  if (!std::exchange(explained_, true)) {
    const std::string here = rank_.host_status.absent(count_);
    if (!rank_.roll_call.verdict().empty()) text += "; " + rank_.roll_call.verdict();
    if (!here.empty()) text += "; of this host, rank(s) " + here + " did not come to meet";
    const std::vector<std::string> puts = journal_.describe(Journal::Detail::plain);
    if (!call.starts_with("put of") && !puts.empty()) text += "; last, this rank called " + puts.back();
  }
  throw Error(error.code(), text, error.where());
}

void Meetings::meet(const Point& point, Status mine, const OpenFile* file, std::int64_t* question) {
  meet(point, std::move(mine), file, question, false);
}

void Meetings::meet_to_read(const Point& point, Status mine, std::int64_t* question) {
  if (!mine.ok()) mine.subject = no_file;
  meet(point, std::move(mine), nullptr, question, true);
}

void Meetings::meet(const Point& point, Status mine, const OpenFile* file, std::int64_t* question, bool to_read) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = work_.cycle()});
  note(std::move(mine));
  for (;;) {
    Question answer{question ? *question : 0, true};
    Status common = agree_on(point, &answer);
    if (common.ok()) {
      if (question) *question = answer.value;
      return journal_.clear();
    }
    if (to_read && answer.together && common.code == WEIR_EMISMATCH) common.subject = no_file;
    // The others were where this rank could not follow. They have heard of it, and come here next.
    const bool astray = out_of_sync_ && point.everybody && !answer.together;
    fail(common);
    if (!astray && (common.subject < 0 || (file && common.subject == file->serial))) common.raise();
  }
}

// Others may have calls before this one that this rank has left out: they are told at each, and come here at last.
void Meetings::come_to_the_end(std::string_view call) {
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

void Meetings::wait_for_all(std::string_view call) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = work_.cycle()});
  try {
    barrier(rank_.comm, rank_.deadline(), call);
  } catch (const Error& error) {
    explain(error, "");
    throw;
  }
}

Status Meetings::ask(const Point& point, Status mine) {
  const Span span(rank_.trace.main(), Step::wait, rank_.tally.wait_seconds, {.number = work_.cycle()});
  note(std::move(mine));
  Question answer{0, true};
  const Status common = agree_on(point, &answer);
  if (common.ok() || answer.together || common.subject >= 0) return common;
  fail(common);
  throw Error(common.code, common.message);
}

void Meetings::note(Status status) {
  if (!status.ok()) noted_.push_back(std::move(status));
}

void Meetings::fall_out_of_sync(Status status) {
  note(std::move(status));
  out_of_sync_ = true;
  work_.say_out_of_sync();
}

void Meetings::meet_out_of_sync() {
  work_.say_out_of_sync();
  meet(out_of_sync_point, {});
}

void Meetings::forget() noexcept {
  journal_.clear();
  noted_.clear();
  out_of_sync_ = false;
}

// What concerns all files first: the others are then over with it, and nothing is left for a later call to tell.
Status Meetings::take_noted() {
  if (noted_.empty()) return {};
  auto next = std::find_if(noted_.begin(), noted_.end(), [](const Status& status) { return status.subject == -1; });
  if (next == noted_.end()) next = noted_.begin();
  Status taken = std::move(*next);
  noted_.erase(next);
  return taken;
}

void Meetings::fail(const Status& status) {
  ++rank_.tally.failures;
  if (status.subject == no_file) return;
  work_.pause([&] {
    for (OpenFile* file : files_)
      if (status.subject < 0 || status.subject == file->serial) file->failure.merge(status);
  });
  if (status.subject < 0) work_.recover();
}

}  // namespace weir
