// SPDX-License-Identifier: Apache-2.0
#include "pipeline/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "plan/layouts.hpp"

namespace weir {

namespace {

constexpr std::int64_t flush_point = 101;
constexpr std::int64_t settle_point = 103;
constexpr std::int64_t recovery_point = 105;
constexpr std::int64_t end_point = 108;
// Who comes here because a neighbour is out of sync meets ranks at other points: that one has failed, and is heard.
const Point out_of_sync_point{104, 0, "flush", nullptr};

// Of a variable's record in its file. Alike on all ranks.
std::int64_t first_byte_of(const OpenFile& file, int var, std::int64_t record) {
  const Geometry& places = file.output->geometry();
  const auto number = static_cast<std::size_t>(var);
  return number < places.begin.size() ? places.begin[number] + record * places.record_bytes : 0;
}

}  // namespace

RangeFailure Pipeline::put(const Offer& offer) {
  const Plan& steps = plan(offer.key, *offer.layout, *offer.file, offer.var);
  journal_.add({offer.file, offer.var, offer.record, offer.key.layout});
  try {
    return put(offer, steps);
  } catch (const Error& error) {
    explain(error, "put of " + in_words({{offer.file, offer.var, offer.record, &steps, 0, {}, {}}}) + ": ");
    throw;
  }
}

RangeFailure Pipeline::put(const Offer& offer, const Plan& steps) {
  RangeFailure failure;
  for (std::size_t round = 0; round < steps.rounds.size(); ++round) {
    const std::int64_t first_byte = first_byte_of(*offer.file, offer.var, offer.record);
    const Reservation place = reserve(need_of(steps.reserves[round], steps.element_bytes, first_byte));
    const Entry entry{offer.file, offer.var, offer.record, &steps, round, place, offer.fill};
    batch_.add(entry);
    {
      const Stopwatch watch(tally_.put_seconds);
      if (config_.leave_out == LeaveOut::place)
        stage_unplaced(cycle_, entry, offer.buffer, staging_, reach_);
      else
        failure.merge(stage(cycle_, entry, offer.buffer, staging_, reach_));
    }
    if (flow_->full(staging_.tile_bytes())) finish_cycle();
  }
  tally_.bytes_put += offer.layout->elements_held() * offer.key.element_bytes;
  ++tally_.puts;
  return failure;
}

// What reserve_in_cycle() asks for.
struct Pipeline::Cycles {
  Pipeline& pipeline;
  bool open() const { return !pipeline.batch_.empty(); }
  std::uint32_t number() const { return pipeline.cycle_.number; }
  void begin() { pipeline.begin_cycle(); }
  void full() {
    pipeline.trace_.main().mark(Mark::full, {.number = number()});
    pipeline.finish_cycle();
  }
  void make_room(std::uint32_t earlier) {
    if (!pipeline.flow_->make_room(earlier)) pipeline.meet_out_of_sync();
  }
};

// Memory in the open cycle, or in a new one.
Reservation Pipeline::reserve(const Need& need) {
  return reserve_in_cycle(staging_, need, Cycles{*this});
}

void Pipeline::begin_cycle() {
  at_rest_ = false;
  ++cycle_.number;
  cycle_.wanted = static_cast<int>(writers_.size());
  if (!flow_->begin(cycle_)) meet_out_of_sync();
}

void Pipeline::finish_cycle(std::string_view call) {
  if (batch_.empty()) return;
  if (batch_.writes_collectively()) agree_to_write(call);
  if (!flow_->finish(cycle_)) meet_out_of_sync();
  batch_.clear();
  staging_.close();
  ++tally_.cycles;
}

void Pipeline::end_record(const OpenFile& file) {
  ++tally_.records;
  if (record_ends_cycle(staging_.tile_bytes(), batch_.writes_collectively(), config_)) finish_cycle();
  if (advice_) consult(file);
}

void Pipeline::flush(std::string_view call) {
  try {
    finish_cycle(call.empty() ? cycle_call : call);
    if (!flow_->settle()) meet_out_of_sync();
  } catch (const Error& error) {
    explain(error, call.empty() ? "" : std::string(call) + ": ");
    throw;
  }
}

void Pipeline::settle() {
  flush();
  meet({settle_point, 0, "put of what was put before", nullptr}, {});
  at_rest_ = true;
}

// Until all ranks agree on what is left in the batch: a file that failed on one rank leaves it on all.
void Pipeline::agree_to_write(std::string_view call) {
  const Span span(trace_.main(), Step::wait, tally_.wait_seconds, {.number = cycle_.number});
  for (;;) {
    const Status common = agree_on({flush_point, 0, call, nullptr}, nullptr);
    if (common.ok()) return;
    fail(common);
    if (common.subject < 0) common.raise();
    batch_.drop_failed();
  }
}

// With what this rank noted, and the journal to name the first difference by.
Status Pipeline::agree_on(Point point, Question* question) {
  const std::function<std::vector<std::string>()> history = [this] {
    return journal_.describe(Journal::Detail::with_layouts);
  };
  point.signature = mix(point.signature, journal_.signature());
  point.history = &history;
  host_status_.say_met(++meetings_);
  Question own;
  if (!question) question = &own;
  const double came = now_seconds();
  const double computed = computes_ ? lateness_.computed(times_of_meeting(came)) : 0.0;
  question->computed = computed;
  try {
    Status common = agree(comm_, point, take_noted(), deadline(), question);
    lateness_.met(computed, question->computed, times_of_meeting(came));
    return common;
  } catch (const Error& error) {
    explain(error, "");
    throw;
  }
}

// The meeting's own wait is in no sum yet.
Lateness::Times Pipeline::times_of_meeting(double came) const {
  const double now = now_seconds();
  return {now, trace_.calls().seconds(now), tally_.wait_seconds + now - came};
}

// Throws a wait's end in words that say more: in which call, and who is not there. Once: the instance is over.
void Pipeline::explain(const Error& error, const std::string& call) {
  if (error.code() != WEIR_ETIMEOUT) return;
  std::string text = call + error.what();
  if (!std::exchange(explained_, true)) {
    const std::string here = host_status_.absent(meetings_);
    if (!roll_call_.verdict().empty()) text += "; " + roll_call_.verdict();
    if (!here.empty()) text += "; of this host, rank(s) " + here + " did not come to meet";
    const std::vector<std::string> puts = journal_.describe(Journal::Detail::plain);
    if (!call.starts_with("put of") && !puts.empty()) text += "; last, this rank called " + puts.back();
  }
  throw Error(error.code(), text, error.where());
}

void Pipeline::meet(const Point& point, Status mine, const OpenFile* file, std::int64_t* question) {
  meet(point, std::move(mine), file, question, false);
}

void Pipeline::meet_to_read(const Point& point, Status mine, std::int64_t* question) {
  if (!mine.ok()) mine.subject = no_file;
  meet(point, std::move(mine), nullptr, question, true);
}

void Pipeline::meet(const Point& point, Status mine, const OpenFile* file, std::int64_t* question, bool to_read) {
  const Span span(trace_.main(), Step::wait, tally_.wait_seconds, {.number = cycle_.number});
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
void Pipeline::come_to_the_end(std::string_view call) {
  const Span span(trace_.main(), Step::wait, tally_.wait_seconds, {.number = cycle_.number});
  Status first;
  for (Question answer{0, false}; !answer.together;) {
    answer.value = 0;
    const Status common = agree_on({end_point, 0, call, nullptr, true}, &answer);
    if (common.ok()) break;
    fail(common);
    first.merge(common);
  }
  first.raise();
}

void Pipeline::wait_for_all(std::string_view call) {
  const Span span(trace_.main(), Step::wait, tally_.wait_seconds, {.number = cycle_.number});
  try {
    barrier(comm_, deadline(), call);
  } catch (const Error& error) {
    explain(error, "");
    throw;
  }
}

Status Pipeline::ask(const Point& point, Status mine) {
  const Span span(trace_.main(), Step::wait, tally_.wait_seconds, {.number = cycle_.number});
  note(std::move(mine));
  return agree_on(point, nullptr);
}

void Pipeline::note(Status status) {
  if (!status.ok()) noted_.push_back(std::move(status));
}

void Pipeline::fall_out_of_sync(Status status) {
  note(std::move(status));
  out_of_sync_ = true;
  flow_->say_out_of_sync();
}

// This rank goes to meet, and does not put or write before: its host is told, which may not have heard otherwise.
void Pipeline::meet_out_of_sync() {
  flow_->say_out_of_sync();
  meet(out_of_sync_point, {});
}

// All files have failed, on all ranks: nothing is left to write, and all are in sync again.
void Pipeline::recover() {
  batch_.clear();
  staging_.close();
  journal_.clear();
  noted_.clear();
  for (auto& [key, kept] : plans_) kept.used = 0;  // ranks have not used the same ones
  out_of_sync_ = false;
  at_rest_ = true;
  Question cycle{cycle_.number, true};
  const Point point{recovery_point, 0, "recovery", nullptr};
  static_cast<void>(agree(comm_, point, {}, deadline(), &cycle));
  cycle_.number = static_cast<std::uint32_t>(cycle.value) + most_places;
  flow_->end(cycle_.number);
  Question numbers{layouts_.next(), true};
  static_cast<void>(agree(comm_, point, {}, deadline(), &numbers));
  layouts_.restart(static_cast<int>(numbers.value));
  flow_->restart(cycle_.number);
  host_status_.restart(cycle_.number);
  static_cast<void>(agree(comm_, point, {}, deadline()));
}

Status Pipeline::take_noted() {
  if (noted_.empty()) return {};
  Status first = std::move(noted_.front());
  noted_.erase(noted_.begin());
  return first;
}

void Pipeline::fail(const Status& status) {
  ++tally_.failures;
  if (status.subject == no_file) return;
  flow_->pause([&] {
    for (OpenFile* file : files_)
      if (status.subject < 0 || status.subject == file->serial) file->failure.merge(status);
  });
  if (status.subject < 0) recover();
}

}  // namespace weir
