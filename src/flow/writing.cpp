// SPDX-License-Identifier: Apache-2.0
#include "flow/writing.hpp"

#include <utility>

namespace weir {

Writing::Writing(const FlowParts& parts, Control& control) : parts_(parts), control_(control), duties_(parts) {
  if (parts.config.overlap == OverlapKind::background) thread_ = std::make_unique<WriterThread>(thread_work());
}

WriterThread::Work Writing::thread_work() {
  return {[this](const Duty& duty) { return duty.complete(parts_.board) && (duty.forced || released() >= duty.cycle); },
          [this](Duty& duty) { write_beside(duty); },
          [this](const Duty& duty) {
            if (parts_.board.all_put(duty.cycle)) return false;
            parts_.board.sleep_until_put(duty.cycle);
            return true;
          },
          [this](const Duty* next) { tell_neighbours(next ? next->cycle - 1 : made_.load()); }};
}

bool Writing::add(const Cycle& cycle, std::int64_t tile_bytes) {
  Duty* duty = duties_.make(cycle, tile_bytes, control_.relayed(cycle.number), cycle.batch.writes_collectively());
  if (duty && must_prepare(*duty)) return false;
  begin(duty, cycle.number);
  return true;
}

void Writing::prepare() {
  prepare_tiles(duties_.back());
  begin(&duties_.back(), duties_.back().cycle);
}

void Writing::begin(Duty* duty, std::uint32_t cycle) {
  if (duty && thread_ && !duty->collective) thread_->add(*duty);
  made_ = cycle;
}

// The writer thread's.
void Writing::write_beside(Duty& duty) {
  while (!take_turn(duty)) {
    if (thread_->stopping()) return;
    parts_.board.sleep_until_turn(most_at_once(duty));
  }
  {
    const RollCall::InStorage here(parts_.roll_call);
    const HiddenSpan span(parts_.trace, Step::write, duty.seconds, duty.hidden_seconds, {.number = duty.cycle});
    write_tiles(duty, parts_.staging, parts_.comm.number(), parts_.trace.writer());
  }
  parts_.trace.writer().mark(Mark::written, {.number = duty.cycle});
  parts_.board.end_writing();
  if (control_.from_thread()) say_written(duty);
}

// As the scheduler says; the thread asks it itself where it may, else the rank keeps it up to date.
std::int64_t Writing::released() {
  return control_.from_thread() ? control_.released() : released_.load();
}

bool Writing::release(std::int64_t unit) {
  return released_.exchange(unit) != unit;
}

void Writing::look_again() {
  if (thread_) thread_->look_again();
}

void Writing::write_what_may_be() {
  while (!duties_.empty() && duties_.front().complete(parts_.board) && control_.released() >= duties_.front().cycle &&
         take_turn(duties_.front())) {
    const Span span(parts_.trace.main(), Step::write, parts_.tally.slack_seconds, {.number = duties_.front().cycle});
    write_in_turn(duties_.front());
  }
}

void Writing::write_oldest() {
  Duty& duty = duties_.front();
  if (thread_) {
    if (!duty.done) {
      const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = duty.cycle});
      thread_->await(duty, parts_.deadline());
    }
    return take_done();
  }
  const Span span(parts_.trace.main(), Step::write, parts_.tally.write_seconds, {.number = duty.cycle});
  const Deadline deadline = parts_.deadline();
  while (!take_turn(duty)) {
    require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(duty, deadline); });
    parts_.board.sleep_until_turn(most_at_once(duty));
  }
  write_in_turn(duty);
}

void Writing::write_together() {
  Duty& duty = duties_.back();
  const Span span(parts_.trace.main(), Step::write, parts_.tally.write_seconds, {.number = duty.cycle});
  write_tiles(duty, parts_.staging, parts_.comm.number(), parts_.trace.main());
  end(duty);
}

bool Writing::take_turn(const Duty& duty) {
  return parts_.board.begin_writing(most_at_once(duty));
}

// The plan's owners do not take turns.
int Writing::most_at_once(const Duty& duty) const {
  return control_.fixed() ? parts_.machine.ranks() : weir::most_at_once(duty, parts_);
}

void Writing::write_in_turn(Duty& duty) {
  parts_.write_and_wait(
      duty, [this, &duty] { write_tiles(duty, parts_.staging, parts_.comm.number(), parts_.trace.main()); });
  parts_.board.end_writing();
  end(duty);
}

void Writing::end(const Duty& duty) {
  parts_.trace.main().mark(Mark::written, {.number = duty.cycle});
  say_written(duty);
  duties_.pop();
  take_done();
}

void Writing::say_written(const Duty& duty) {
  for (const HeldTile& tile : duty.tiles) control_.written(duty.cycle, tile.place);
}

void Writing::take_done() {
  while (thread_ && !duties_.empty() && duties_.front().done) {
    if (!control_.from_thread()) say_written(duties_.front());
    duties_.pop();
  }
  tell_neighbours(duties_.empty() ? made_.load() : duties_.front().cycle - 1);
}

// They need not wait until this rank comes to their cycle to learn that places out of the window are free.
void Writing::tell_neighbours(std::uint32_t written) {
  if (!control_.by_window()) return;
  const std::lock_guard lock(telling_);
  if (!later(written, told_)) return;
  told_ = written;
  parts_.board.say_written(written);
}

void Writing::drop() {
  if (thread_) thread_->drop();
  while (!duties_.empty()) duties_.pop();
}

void Writing::restart(std::uint32_t cycle) {
  const std::lock_guard lock(telling_);
  made_ = told_ = cycle;
}

}  // namespace weir
