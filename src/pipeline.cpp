// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>
#include <utility>

#include "mpi/post.hpp"
#include "rearrange/tile.hpp"

namespace weir {

namespace {

constexpr std::int64_t flush_point = 101;
constexpr std::int64_t settle_point = 103;
constexpr std::int64_t recovery_point = 105;
// Who comes here because a neighbour has lost step meets ranks at other points: that one has failed, and is heard.
const Point lost_step_point{104, 0, "flush", nullptr};

}  // namespace

RangeFailure Pipeline::put(const Offer& offer) {
  const Plan& steps = plan(offer.key, *offer.layout, *offer.file, offer.var);
  journal_.add({offer.file, offer.var, offer.record, offer.key.layout});
  RangeFailure failure;
  for (std::size_t round = 0; round < steps.rounds.size(); ++round) {
    const Need bytes = need(steps, round);
    if (!staging_.fits(bytes)) flush();
    if (batch_.empty()) begin_cycle();
    const Entry entry{offer.file, offer.var, offer.record, &steps, round, staging_.reserve(bytes), offer.fill};
    batch_.add(entry);
    const Stopwatch watch(tally_.put_seconds);
    failure.merge(stage(entry, offer.buffer, staging_, host_rank_of_));
  }
  tally_.bytes_put += offer.layout->elements_held() * offer.key.element_bytes;
  ++tally_.puts;
  return failure;
}

// The half of the memory that this cycle fills was written by the cycle before the last one.
void Pipeline::begin_cycle() {
  const Stopwatch watch(tally_.wait_seconds);
  if (cycle_ > 1 && !board_.await_written(cycle_ - 1, deadline())) meet(lost_step_point, {});
}

void Pipeline::flush() {
  const std::uint32_t cycle = cycle_ + 1;
  if (writes_collectively()) agree_to_write();
  if (!put_in_place(cycle)) meet(lost_step_point, {});
  {
    const Stopwatch watch(tally_.forward_seconds);
    forward_.exchange(batch_, staging_, deadline());
  }
  rearrange();
  write();
  board_.say_written(cycle);
  cycle_ = cycle;
  batch_.clear();
  staging_.turn(cycle);
  ++tally_.cycles;
}

void Pipeline::settle() {
  flush();
  meet({settle_point, 0, "put of what was put before", nullptr}, {});
}

bool Pipeline::writes_collectively() const noexcept {
  return std::any_of(batch_.entries().begin(), batch_.entries().end(),
                     [](const Entry& entry) { return entry.file->output->collective(); });
}

// Says that this rank's pieces are in place; an owner waits for those of its host. False where a rank has lost step.
bool Pipeline::put_in_place(std::uint32_t cycle) {
  const Stopwatch watch(tally_.wait_seconds);
  staging_.synchronize();
  board_.say_put(cycle);
  const bool owner = std::any_of(batch_.entries().begin(), batch_.entries().end(),
                                 [](const Entry& entry) { return entry.steps().tile_elements > 0; });
  if (owner && !board_.await_put(cycle, deadline())) return false;
  staging_.synchronize();
  return true;
}

// Until all ranks agree on what is left in the batch: a file that failed on one rank leaves it on all.
void Pipeline::agree_to_write() {
  const Stopwatch watch(tally_.wait_seconds);
  for (;;) {
    const Status common = agree_on({flush_point, 0, "flush", nullptr}, nullptr);
    if (common.ok()) return;
    fail(common);
    if (common.subject < 0) common.raise();
    batch_.drop_failed();
  }
}

// With what this rank noted, and the journal to name the first difference by.
Status Pipeline::agree_on(Point point, Question* question) {
  const std::function<std::vector<std::string>()> history = [this] { return journal_.describe(); };
  point.signature = mix(point.signature, journal_.signature());
  point.history = &history;
  board_.say_met(++meetings_);
  try {
    return agree(comm_, point, take_noted(), deadline(), question);
  } catch (const Error& error) {
    const std::string absent = error.code() == WEIR_ETIMEOUT ? board_.absent(meetings_) : "";
    if (absent.empty()) throw;
    throw Error(error.code(), std::string(error.what()) + "; of this host, rank(s) " + absent, error.where());
  }
}

void Pipeline::rearrange() {
  const Stopwatch watch(tally_.rearrange_seconds);
  for (const Arrival& arrival : forward_.arrivals()) {
    const Entry& entry = batch_.entries()[arrival.entry];
    place(arrival.incoming->to_tile, arrival.bytes, staging_.own_tile(entry.place.tile), entry.plan->element_bytes);
  }
  for (const Entry& entry : batch_.entries())
    fill_holes(entry.steps(), staging_.own_tile(entry.place.tile), entry.fill, entry.plan->element_bytes);
}

void Pipeline::write() {
  const Stopwatch watch(tally_.write_seconds);
  for (OpenFile* file : files_) {
    ready_.clear();
    bool concerned = false;
    for (const Entry& entry : batch_.entries()) {
      if (entry.file != file) continue;
      concerned = true;
      if (entry.steps().tile_elements > 0)
        ready_.push_back({entry.var, entry.record, entry.plan, entry.round, staging_.own_tile(entry.place.tile)});
    }
    if (!concerned || (ready_.empty() && !file->output->collective())) continue;
    Status status = file->output->write(ready_);
    status.subject = file->serial;
    note(std::move(status));
  }
}

void Pipeline::meet(const Point& point, Status mine, const OpenFile* file, std::int64_t* question) {
  const Stopwatch watch(tally_.wait_seconds);
  note(std::move(mine));
  for (;;) {
    Question answer{question ? *question : 0, true};
    const Status common = agree_on(point, &answer);
    if (common.ok()) {
      if (question) *question = answer.value;
      return journal_.clear();
    }
    // The others were where this rank could not follow. They have heard of it, and come here next.
    const bool astray = lost_ && point.everybody && !answer.together;
    fail(common);
    if (!astray && (common.subject < 0 || (file && common.subject == file->serial))) common.raise();
  }
}

Status Pipeline::ask(const Point& point, Status mine) {
  const Stopwatch watch(tally_.wait_seconds);
  note(std::move(mine));
  return agree_on(point, nullptr);
}

void Pipeline::note(Status status) {
  if (!status.ok()) noted_.push_back(std::move(status));
}

void Pipeline::lose_step(Status status) {
  note(std::move(status));
  lost_ = true;
  board_.say_lost();
}

// All files have failed, on all ranks: nothing is left to write, and all are in step again.
void Pipeline::recover() {
  batch_.clear();
  journal_.clear();
  noted_.clear();
  lost_ = false;
  Question cycle{cycle_, true};
  const Point point{recovery_point, 0, "recovery", nullptr};
  static_cast<void>(agree(comm_, point, {}, deadline(), &cycle));
  cycle_ = static_cast<std::uint32_t>(cycle.value) + 2;
  staging_.turn(cycle_);
  board_.restart(cycle_);
  static_cast<void>(agree(comm_, point, {}, deadline()));
}

Status Pipeline::take_noted() {
  if (noted_.empty()) return {};
  Status first = std::move(noted_.front());
  noted_.erase(noted_.begin());
  return first;
}

void Pipeline::fail(const Status& status) {
  if (status.subject == no_file) return;
  for (OpenFile* file : files_)
    if (status.subject < 0 || status.subject == file->serial) file->failure.merge(status);
  if (status.subject < 0) recover();
}

}  // namespace weir
