// SPDX-License-Identifier: Apache-2.0
#include "flow/progress.hpp"

#include <utility>

namespace weir {

void Progress::say_out_of_sync() {
  out_of_sync_ = true;
  world_.say_out_of_sync();
}

// A rank that comes last leaves the writing to its next, earlier coming: no rank would wait for it now.
void Progress::go_on(std::uint32_t cycle) {
  return setup_.config.overlap == OverlapKind::slack ? use_slack(cycle) : listen();
}

void Progress::use_slack(std::uint32_t cycle) {
  listen();
  if (!world_.all_others_put(cycle)) writing_.write_ready();
}

void Progress::listen() {
  receive();
  writing_.take_done();
}

void Progress::receive() {
  world_.listen();
  open_.make_pending_writes();
  bool relay = true;  // not before what older cycles have to pass on
  for (const auto& pending : writing_.pending_writes()) {
    const std::int64_t before = pending->missing.load(std::memory_order_relaxed);
    if (before > 0) {
      Status failure = world_.receive(*pending, relay);
      if (!failure.ok()) fall_out_of_sync(std::move(failure));
      if (pending->missing == 0) writing_.notify();
    }
    relay = relay && pending->relayed == 0;
  }
  if (writing_.in_background() && !control_.from_thread()) follow_release();
}

// For the background writer, which cannot ask the scheduler.
void Progress::follow_release() {
  const std::int64_t released = control_.released();
  if (!writing_.release(released)) return;
  world_.mark(Mark::released, {.number = released});
  writing_.notify();
}

// Pieces of something else than this rank has put: nothing can be made of the cycle.
void Progress::fall_out_of_sync(Status status) {
  world_.note(std::move(status));
  say_out_of_sync();
}

}  // namespace weir
