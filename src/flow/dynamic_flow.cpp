// SPDX-License-Identifier: Apache-2.0
// Holders that the scheduler chooses (Wang & Huang 2025, sections 3.2 to 3.4).
//
// Why nothing hangs: a rank that comes to cycle n has done its duties of cycles up to n - window before it waits for
// anything else, and the window is so narrow that the cycles in it leave places free on somebody. So who waits for
// seats, for room in the send memory, or for pieces, waits only for ranks that have not come to this call yet; and they
// come, since a put is collective.
#include <algorithm>
#include <iterator>
#include <utility>

#include "flow/flow.hpp"
#include "flow/writer_thread.hpp"
#include "forward/courier.hpp"

namespace weir {

namespace {

// A unit of this many bytes (or bundle_size, if that is larger) on its fullest seat is not made larger.
constexpr std::int64_t unit_bytes = 4LL << 20;

class DynamicFlow final : public Flow {
 public:
  DynamicFlow(const FlowParts& parts, std::unique_ptr<Control> control, int seats, int window)
      : parts_(parts),
        control_(std::move(control)),
        seats_(seats),
        window_(static_cast<std::uint32_t>(window)),
        background_(parts.config.overlap == OverlapKind::background),
        slack_(parts.config.overlap == OverlapKind::slack),
        courier_(parts.comm, parts.reach, parts.staging) {
    if (background_) thread_ = std::make_unique<WriterThread>(thread_work());
  }

  bool begin(Cycle& cycle) override {
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = next_});
    next_ = cycle.number;
    if (lost_) return false;
    if (!retire(cycle.number - window_)) return false;
    progress();
    if (control_->by_window()) {
      parts_.board.say_written(cycle.number - window_);
      if (!await_window(cycle.number - window_)) return false;
    }
    return seat(cycle);
  }

  void say_lost() override {
    lost_ = true;
    if (!courier_.rung()) courier_.ring();
  }

  bool make_room(std::uint32_t cycle) override {
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = next_});
    return retire(cycle) && send_all(cycle);
  }

  bool finish(Cycle& cycle) override {
    if (lost_) return false;
    parts_.staging.synchronize();
    {
      const Span span(parts_.trace.main(), Step::forward, parts_.tally.forward_seconds, {.number = next_});
      courier_.send(cycle);
    }
    const bool collective = writes_collectively(cycle);
    Duty* duty = make_duty(cycle, collective);
    parts_.board.say_put(cycle.number);
    if (collective) {
      if (!retire(cycle.number - 1) || !await_pieces(*duty)) return false;
      const Span span(parts_.trace.main(), Step::write, parts_.tally.write_seconds, {.number = next_});
      write_tiles(*duty, parts_.staging);
      end_duty(*duty);
    } else if (duty && thread_) {
      thread_->add(*duty);
    } else if (duty && !slack_) {
      return retire(cycle.number);
    }
    progress();
    return true;
  }

  bool settle() override {
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = next_});
    control_->release(next_);
    return retire(next_) && send_all(next_);
  }

  bool full(std::int64_t tile_bytes) const noexcept override {
    return tile_bytes >= std::max(unit_bytes, parts_.config.bundle_bytes);
  }

  // A rank that comes last leaves the writing to its next, earlier coming: nobody would wait for it now.
  void progress() override {
    receive();
    take_done();
    if (!slack_ || parts_.board.all_others_put(next_)) return;
    while (!duties_.empty() && may_write(*duties_.front()) && take_turn(*duties_.front())) {
      const Span span(parts_.trace.main(), Step::write, parts_.tally.slack_seconds, {.number = next_});
      write_in_turn(*duties_.front());
    }
  }

  void pause(const std::function<void()>& change) override { thread_ ? thread_->pause(change) : change(); }

  void end(std::uint32_t cycle) override {
    if (thread_) thread_->drop();
    while (!duties_.empty()) recycle();
    courier_.drain(parts_.deadline());
    control_->end(cycle);
  }

  void restart(std::uint32_t cycle) override {
    next_ = cycle;
    lost_ = false;
    control_->restart(cycle);
    parts_.staging.give_back(cycle);
  }

  bool beside() const noexcept override { return background_ || slack_; }
  void forget_plans() override { courier_.forget(); }

  void abandon() noexcept override {
    thread_.reset();
    control_->abandon();
    courier_.abandon();
  }

  std::int64_t messages() const noexcept override { return courier_.messages(); }
  std::int64_t message_bytes() const noexcept override { return courier_.bytes(); }
  std::int64_t control_messages() const noexcept override { return control_->messages(); }

 private:
  WriterThread::Work thread_work() {
    return {
        [this](const Duty& duty) { return duty.complete(parts_.board) && (duty.forced || released() >= duty.cycle); },
        [this](Duty& duty) { write_beside(duty); },
        [this](const Duty& duty) {
          if (parts_.board.all_put(duty.cycle)) return false;
          parts_.board.sleep_until_put(duty.cycle);
          return true;
        }};
  }

  // The writer thread's.
  void write_beside(Duty& duty) {
    while (!take_turn(duty)) {
      if (thread_->stopping()) return;
      parts_.board.sleep_until_turn(most_at_once(duty));
    }
    {
      const HiddenSpan span(parts_.trace, Step::write, duty.seconds, duty.hidden_seconds, {.number = duty.cycle});
      write_tiles(duty, parts_.staging);
    }
    parts_.board.end_writing();
    if (control_->from_thread()) say_written(duty);
  }

  // As the scheduler says; the thread asks it itself where it may, else the rank keeps it up to date.
  std::int64_t released() { return control_->from_thread() ? control_->released() : released_.load(); }

  static bool writes_collectively(const Cycle& cycle) {
    const auto& entries = cycle.batch.entries();
    return std::any_of(entries.begin(), entries.end(),
                       [](const Entry& entry) { return entry.file->output->collective(); });
  }

  // Until the scheduler has said who holds the tiles of this cycle.
  bool seat(Cycle& cycle) {
    bool seated = control_->seats(cycle.number, cycle.seats);
    if (!seated) {
      parts_.trace.main().mark(Mark::offered, {.number = cycle.number});
      control_->offer(cycle.number, seats_);
      seated = control_->seats(cycle.number, cycle.seats);
    }
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !seated; seated = control_->seats(cycle.number, cycle.seats)) {
      if (parted(cycle.number - 1)) return false;
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] {
        return "nobody was made a writer of cycle " + std::to_string(cycle.number) + within(deadline) +
               ": the scheduler does not answer, or no rank has room" + absent(cycle.number - 1);
      });
      progress();
      patience.pause();
    }
    parts_.trace.main().mark(Mark::manned, {.number = cycle.number, .peer = cycle.seats.front().rank});
    return true;
  }

  static std::string within(const Deadline& deadline) { return " within " + std::to_string(deadline.seconds()) + " s"; }

  std::string absent(std::uint32_t cycle) const {
    const std::string ranks = parts_.board.not_put(cycle);
    return ranks.empty() ? "" : "; rank(s) " + ranks + " have not put cycle " + std::to_string(cycle);
  }

  // Whether a cycle will never be complete: a rank has lost step, here or elsewhere, or does other things than this
  // one.
  bool parted(std::uint32_t cycle) {
    return lost_ || parts_.board.anybody_lost() || parts_.board.parted(cycle) || courier_.rung();
  }

  // Until the ranks of this host have done their duties up to a cycle.
  bool await_window(std::uint32_t cycle) {
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !parts_.board.all_written(cycle); patience.pause()) {
      if (parted(cycle)) return false;
      progress();
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] {
        return "rank(s) " + parts_.board.not_written(cycle) + " of this host have not written cycle " +
               std::to_string(cycle) + within(deadline);
      });
    }
    return true;
  }

  // nullptr where this rank holds nothing of the cycle.
  Duty* make_duty(const Cycle& cycle, bool always) {
    tiles_.clear();
    for (std::size_t s = 0; s < cycle.seats.size(); ++s)
      if (cycle.seats[s].rank == parts_.comm.rank()) tiles_.push_back({static_cast<int>(s), cycle.seats[s].place});
    if (tiles_.empty() && !always) return nullptr;
    if (spare_.empty()) spare_.push_back(std::make_unique<Duty>());
    duties_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    Duty& duty = *duties_.back();
    duty.cycle = cycle.number;
    duty.entries = cycle.batch.entries();
    duty.tiles = tiles_;
    duty.seconds = duty.hidden_seconds = 0;
    duty.forced = duty.done = false;
    duty.missing = 0;
    for (const HeldTile& tile : duty.tiles) {
      parts_.staging.hold(tile.place, parts_.staging.tile_bytes());
      for (const Entry& entry : duty.entries) {
        const Round& round = tile_plan(entry, tile).rounds[entry.round];
        duty.missing += round.contributors - round.near_contributors;
      }
    }
    return &duty;
  }

  bool may_write(const Duty& duty) { return duty.complete(parts_.board) && control_->released() >= duty.cycle; }

  int most_at_once(const Duty& duty) const {
    if (parts_.config.writers_at_once > 0) return parts_.config.writers_at_once;
    const bool one = std::any_of(duty.entries.begin(), duty.entries.end(),
                                 [](const Entry& entry) { return entry.file->output->one_at_a_time(); });
    return one ? 1 : parts_.machine.ranks();
  }

  bool take_turn(const Duty& duty) { return parts_.board.begin_writing(most_at_once(duty)); }

  void write_in_turn(Duty& duty) {
    write_tiles(duty, parts_.staging);
    parts_.board.end_writing();
    end_duty(duty);
  }

  void end_duty(const Duty& duty) {
    say_written(duty);
    recycle();
  }

  // This rank's own write, whoever else is writing; somebody waits.
  void write(Duty& duty) {
    const Span span(parts_.trace.main(), Step::write, parts_.tally.write_seconds, {.number = next_});
    const Deadline deadline = parts_.deadline();
    while (!take_turn(duty)) {
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(duty, deadline); });
      parts_.board.sleep_until_turn(most_at_once(duty));
    }
    write_in_turn(duty);
  }

  void say_written(const Duty& duty) {
    for (const HeldTile& tile : duty.tiles) control_->written(duty.cycle, tile.place);
  }

  // The oldest duty is done: takes what it has found.
  void recycle() {
    Duty& duty = *duties_.front();
    parts_.tally.write_seconds += duty.seconds;
    parts_.tally.hidden_seconds += duty.hidden_seconds;
    for (const HeldTile& tile : duty.tiles) parts_.staging.hold(tile.place, 0);
    std::move(duty.failures.begin(), duty.failures.end(), std::back_inserter(parts_.noted));
    duty.failures.clear();
    spare_.push_back(std::move(duties_.front()));
    duties_.erase(duties_.begin());
  }

  void take_done() {
    while (thread_ && !duties_.empty() && duties_.front()->done) {
      if (!control_->from_thread()) say_written(*duties_.front());
      recycle();
    }
  }

  void receive() {
    for (const auto& duty : duties_) {
      const std::int64_t before = duty->missing;
      Status status = courier_.receive(*duty);
      if (!status.ok()) lose_step(std::move(status));
      if (thread_ && before > 0 && duty->missing == 0) thread_->look_again();
    }
    if (control_->from_thread() || !thread_) return;
    const std::int64_t released = control_->released();
    if (released_.exchange(released) != released) thread_->look_again();
  }

  // Pieces of something else than this rank has put: nothing can be made of the cycle.
  void lose_step(Status status) {
    parts_.noted.push_back(std::move(status));
    parts_.board.say_lost();
    say_lost();
  }

  // Does this rank's duties up to a cycle, waiting for the pieces that are missing. False where a rank has lost step.
  bool retire(std::uint32_t cycle) {
    take_done();
    while (!duties_.empty() && static_cast<std::int32_t>(duties_.front()->cycle - cycle) <= 0) {
      Duty& duty = *duties_.front();
      duty.forced = true;
      if (thread_) thread_->look_again();
      if (!await_pieces(duty)) return false;
      if (!thread_) {
        write(duty);
        continue;
      }
      const Deadline deadline = parts_.deadline();
      while (!duty.done) {
        thread_->wait_for(duty);
        require(duty.done || !deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(duty, deadline); });
      }
      take_done();
    }
    return true;
  }

  std::string not_written(const Duty& duty, const Deadline& deadline) const {
    return in_words(duty.entries) + " was not written" + within(deadline) +
           ": the disk, or a rank of this host that writes too, does not come to an end";
  }

  bool await_pieces(Duty& duty) {
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !duty.complete(parts_.board); patience.pause()) {
      receive();
      if (duty.complete(parts_.board)) break;
      if (parted(duty.cycle)) return false;
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return incomplete(duty, deadline); });
    }
    return true;
  }

  std::string incomplete(const Duty& duty, const Deadline& deadline) const {
    const std::string ranks = parts_.board.not_put(duty.cycle);
    const std::string what = in_words(duty.entries) + within(deadline);
    if (!ranks.empty()) return "rank(s) " + ranks + " of this host did not come to the put of " + what;
    return std::to_string(duty.missing.load()) + " piece(s) have not come from ranks of other hosts of the put of " +
           what;
  }

  bool send_all(std::uint32_t cycle) {
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !courier_.sent(cycle); patience.pause()) {
      receive();
      if (parted(cycle)) return false;
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] {
        return "rank(s) " + courier_.slow(cycle) + " did not take what was sent to them" + within(deadline);
      });
    }
    return true;
  }

  FlowParts parts_;
  std::unique_ptr<Control> control_;
  int seats_;
  std::uint32_t window_;
  bool background_, slack_;
  Courier courier_;
  bool lost_ = false;       // this rank does not do what others do
  std::uint32_t next_ = 0;  // the cycle this rank has come to
  std::atomic<std::int64_t> released_ = 0;
  std::vector<std::unique_ptr<Duty>> duties_;  // oldest first
  std::vector<std::unique_ptr<Duty>> spare_;
  std::vector<HeldTile> tiles_;
  std::unique_ptr<WriterThread> thread_;
};

}  // namespace

std::unique_ptr<Flow> make_dynamic_flow(const FlowParts& parts, std::unique_ptr<Control> control, int seats,
                                        int window) {
  return std::make_unique<DynamicFlow>(parts, std::move(control), seats, window);
}

}  // namespace weir
