// SPDX-License-Identifier: Apache-2.0
#include "engine/run_world.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.hpp"

namespace weir {

RunWorld::RunWorld(const RunParts& parts)
    : parts_(parts), transport_(parts.comm, parts.reach, parts.staging, {parts.trace, parts.tally}, parts.deadline()) {}

void RunWorld::say_out_of_sync() {
  parts_.host_status.say_out_of_sync();
  transport_.desync_notice().send();
}

bool RunWorld::has_diverged(std::uint32_t cycle) {
  return parts_.host_status.anybody_out_of_sync() || parts_.host_status.has_diverged(cycle) ||
         transport_.desync_notice().received();
}

void RunWorld::await_turn(int most, Wait* wait) {
  if (wait && wait->deadline.passed()) throw Error(WEIR_ETIMEOUT, too_late(*wait));
  parts_.host_status.sleep_until_turn(most);
}

std::unique_ptr<PendingWrite> RunWorld::take_puts(std::uint32_t cycle, std::unique_ptr<PendingWrite> spare) {
  if (!spare) spare = std::make_unique<PendingPuts>();
  PendingPuts& puts = of(*spare);
  parts_.batch.hand_over(puts.entries);
  const auto any = [&](auto holds) { return std::any_of(puts.entries.begin(), puts.entries.end(), holds); };
  puts.cycle = cycle;
  puts.tile_bytes = parts_.staging.tile_bytes();
  puts.owns_tile = any([](const Entry& entry) { return entry.steps().tile.elements > 0; });
  puts.collective = writes_collectively(puts.entries);
  puts.one_at_a_time = any([](const Entry& entry) { return entry.file->output->one_at_a_time(); });
  return spare;
}

std::int64_t RunWorld::pieces_to_come(const PendingWrite& pending, const HeldTile& tile, bool fixed,
                                      bool sent_via_relay) const {
  std::int64_t count = 0;
  for (const Entry& entry : of(pending).entries) {
    if (fixed) {
      count += std::ssize(entry.steps().incoming);
    } else {
      const SlotPlan& slot = entry.slot(tile.owner_or_slot);
      count += pieces_by_message(slot.contributors, slot.near_contributors, sent_via_relay);
    }
  }
  return count;
}

void RunWorld::send(const Cycle& cycle, const PendingWrite& puts) {
  if (cycle.sent_via_relay(rank())) return transport_.send_to_relay(cycle, of(puts).entries);
  parts_.staging.synchronize();
  transport_.send(cycle, of(puts).entries);
}

// What the rank waits for may be slow, and is a call to a storage then; what all ranks write together is MPI's.
void RunWorld::write(PendingWrite& pending) {
  const auto write = [&] {
    write_tiles(of(pending), parts_.staging, parts_.comm.number(), parts_.trace.main());
    return Status();
  };
  const bool by_storage_thread = !pending.collective && uses_storage(of(pending));
  Status status = by_storage_thread ? parts_.storage.run(write, "a write") : outcome_to_agree_on(write);
  if (!status.ok()) note(std::move(status));  // no file's: not even its failure could be kept
}

void RunWorld::write_in_background(PendingWrite& pending) {
  PendingPuts& put = of(pending);
  const LivenessCheck::InStorage here(parts_.liveness_check);
  const HiddenSpan span(parts_.trace, Step::write, put.seconds, put.hidden_seconds, {.number = pending.cycle});
  Status status = outcome_of([&] {
    write_tiles(put, parts_.staging, parts_.comm.number(), parts_.trace.writer());
    return Status();
  });
  if (!status.ok()) put.failures.push_back(std::move(status));
}

void RunWorld::close(PendingWrite& pending) {
  PendingPuts& put = of(pending);
  parts_.tally.write_seconds += std::exchange(put.seconds, 0);
  parts_.tally.hidden_seconds += std::exchange(put.hidden_seconds, 0);
  std::move(put.failures.begin(), put.failures.end(), std::back_inserter(parts_.noted));
  put.failures.clear();
}

void RunWorld::spent(Account account, double begin, std::uint32_t cycle) {
  const auto [step, sum] = [&]() -> std::pair<Step, double*> {
    switch (account) {
      case Account::forward:
        return {Step::forward, &parts_.tally.forward_seconds};
      case Account::write:
        return {Step::write, &parts_.tally.write_seconds};
      case Account::slack:
        return {Step::write, &parts_.tally.slack_seconds};
      case Account::wait:
        break;
    }
    return {Step::wait, &parts_.tally.wait_seconds};
  }();
  const double end = now();
  *sum += end - begin;
  TraceLane& lane = parts_.trace.main();
  if (lane.on()) lane.add({begin, end, {.number = cycle}, static_cast<std::uint8_t>(step), 0});
}

void RunWorld::mark(Mark mark, const Detail& detail, bool background) {
  (background ? parts_.trace.writer() : parts_.trace.main()).mark(mark, detail);
}

// What is under way between hosts moves, in most MPI libraries, only while its ranks look.
void RunWorld::pause(Wait& wait) {
  if (wait.deadline.passed()) throw Error(WEIR_ETIMEOUT, too_late(wait));
  wait.backoff.pause(transport_.under_way() ? Backoff::short_sleep : Backoff::longest_sleep);
}

std::unique_ptr<BackgroundWriter> RunWorld::make_background_writer(BackgroundWriter::Work work) {
  const auto sleep = [&host_status = parts_.host_status](const PendingWrite& pending) {
    if (host_status.all_put(pending.cycle)) return false;
    host_status.sleep_until_put(pending.cycle);
    return true;
  };
  auto thread = std::make_unique<WriterThread>(
      std::move(work), sleep, [this] { return deadline(); }, parts_.writer_cores);
  writer_thread_ = thread.get();
  return thread;
}

bool RunWorld::abandon() noexcept {
  transport_.abandon();
  return !writer_thread_ || writer_thread_->abandon();
}

std::string RunWorld::too_late(const Wait& wait) const {
  const std::string time = within(wait.deadline);
  switch (wait.what) {
    case Awaited::pieces:
      return incomplete(of(*wait.pending)) + time;
    case Awaited::window:
      return not_written(wait.cycle) + time;
    case Awaited::sent:
      return formatted("rank(s) {} did not receive what was sent to them{}", transport_.slow(wait.cycle), time);
    case Awaited::turn:
      return weir::not_written(*wait.pending, wait.deadline);
    case Awaited::slots:
    case Awaited::assignment:
      break;
  }
  const std::string ranks = parts_.host_status.not_put(wait.cycle - 1);
  return formatted(
      "timed out: no rank was assigned to write cycle {}{}: the scheduler does not answer, or no rank has a free "
      "buffer{}",
      wait.cycle, time, ranks.empty() ? "" : formatted("; rank(s) {} have not put cycle {}", ranks, wait.cycle - 1));
}

std::string RunWorld::incomplete(const PendingPuts& pending) const {
  const std::string ranks = parts_.host_status.not_put(pending.cycle), what = in_words(pending.entries);
  if (!ranks.empty()) return formatted("rank(s) {} of this host did not reach the put of {}", ranks, what);
  return formatted("{} piece(s) from ranks of other hosts have not arrived for the put of {}", pending.missing.load(),
                   what);
}

std::string RunWorld::not_written(std::uint32_t cycle) const {
  const std::string late = parts_.host_status.not_put(cycle);
  if (!late.empty()) return formatted("rank(s) {} of this host did not reach the put of cycle {}", late, cycle);
  return formatted("rank(s) {} of this host have not written cycle {}", parts_.host_status.not_written(cycle), cycle);
}

std::string within(const Deadline& deadline) {
  return formatted(" within {:f} s", deadline.seconds());
}

std::string not_written(const PendingWrite& pending, const Deadline& deadline) {
  return formatted(
      "{} was not written{}: a storage call of this rank, or of another writer on this host, has not returned",
      in_words(static_cast<const PendingPuts&>(pending).entries), within(deadline));
}

}  // namespace weir
