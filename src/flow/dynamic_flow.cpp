// SPDX-License-Identifier: Apache-2.0
// Holders that the scheduler chooses (Wang & Huang 2025, sections 3.2 to 3.4). Why nothing hangs is told in flow.hpp.
#include <utility>

#include "flow/duty_list.hpp"
#include "flow/flow.hpp"
#include "flow/writer_thread.hpp"
#include "forward/courier.hpp"

namespace weir {

namespace {

class DynamicFlow final : public Flow {
 public:
  DynamicFlow(const FlowParts& parts, std::unique_ptr<Control> control, int seats, int window)
      : parts_(parts),
        control_(std::move(control)),
        seats_(seats),
        window_(static_cast<std::uint32_t>(window)),
        background_(parts.config.overlap == OverlapKind::background),
        slack_(parts.config.overlap == OverlapKind::slack),
        courier_(parts.comm, parts.reach, parts.staging, parts.deadline()),
        duties_(parts) {
    if (background_) thread_ = std::make_unique<WriterThread>(thread_work());
  }

  bool begin(Cycle& cycle) override {
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = next_});
    next_ = cycle.number;
    if (lost_) return false;
    if (!retire(cycle.number - window_)) return false;
    progress();
    if (control_->by_window() && !await_window(cycle.number - window_)) return false;
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
      if (cycle.relay < 0) courier_.send(cycle);
      if (cycle.relay >= 0 && cycle.relay != parts_.comm.rank()) courier_.send_to_relay(cycle);
    }
    parts_.board.say_put(put_ = cycle.number);
    if (open_.empty() && cycle.relay < 0) {
      make_duty(cycle, parts_.staging.tile_bytes());
    } else {
      open_.push_back({cycle, parts_.staging.tile_bytes()});
      make_duties();
    }
    if (cycle.batch.writes_collectively()) {
      if (!write_collectively(cycle.number)) return false;
    } else if (!thread_ && !slack_) {
      return retire(cycle.number);
    }
    // Not between hosts, where others wait for what this rank sends.
    if (thread_ && parts_.machine.hosts() == 1) WriterThread::let_it_run();
    progress();
    return true;
  }

  bool settle() override {
    const Span span(parts_.trace.main(), Step::wait, parts_.tally.wait_seconds, {.number = next_});
    parts_.trace.main().mark(Mark::released, {.number = next_});
    control_->release(next_);
    return retire(next_) && send_all(next_);
  }

  bool full(std::int64_t tile_bytes) const noexcept override { return unit_is_full(tile_bytes, parts_.config); }

  // A rank that comes last leaves the writing to its next, earlier coming: nobody would wait for it now.
  void progress() override {
    listen();
    if (!slack_ || parts_.board.all_others_put(next_)) return;
    while (!duties_.empty() && may_write(duties_.front()) && take_turn(duties_.front())) {
      const Span span(parts_.trace.main(), Step::write, parts_.tally.slack_seconds, {.number = next_});
      write_in_turn(duties_.front());
    }
  }

  void listen() override {
    receive();
    take_done();
  }

  bool expects() const override {
    return !lost_ && (!open_.empty() || courier_.sending() || duties_.under_way(released_.load()));
  }

  void pause(const std::function<void()>& change) override { thread_ ? thread_->pause(change) : change(); }

  void end(std::uint32_t cycle) override {
    if (thread_) thread_->drop();
    open_.clear();
    while (!duties_.empty()) duties_.pop();
    courier_.drain(parts_.deadline());
    control_->end(cycle);
  }

  void restart(std::uint32_t cycle) override {
    next_ = put_ = cycle;
    lost_ = false;
    control_->restart(cycle);
    parts_.staging.give_back(cycle);
  }

  bool beside() const noexcept override { return background_ || slack_; }
  void forget_plans() override { courier_.forget(); }
  std::int64_t recipe_bytes() const noexcept override { return courier_.recipe_bytes(); }

  bool abandon() noexcept override {
    control_->abandon();
    courier_.abandon();
    return !thread_ || thread_->abandon();
  }

  std::int64_t messages() const noexcept override { return courier_.messages(); }
  std::int64_t relayed() const noexcept override { return courier_.relayed(); }
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
      parts_.board.sleep_until_turn(most_at_once(duty, parts_));
    }
    {
      const RollCall::InStorage here(parts_.roll_call);
      const HiddenSpan span(parts_.trace, Step::write, duty.seconds, duty.hidden_seconds, {.number = duty.cycle});
      write_tiles(duty, parts_.staging, parts_.comm.number());
    }
    parts_.trace.writer().mark(Mark::written, {.number = duty.cycle});
    parts_.board.end_writing();
    if (control_->from_thread()) say_written(duty);
  }

  // As the scheduler says; the thread asks it itself where it may, else the rank keeps it up to date.
  std::int64_t released() { return control_->from_thread() ? control_->released() : released_.load(); }

  // A cycle whose pieces are put, and whose duty is not made.
  struct Open {
    Cycle cycle;
    std::int64_t tile_bytes;
  };

  // Until the scheduler has said who holds the tiles of this cycle, or who relays its pieces.
  bool seat(Cycle& cycle) {
    cycle.seats.clear();
    cycle.relay = -1;
    if (!learn_seats(cycle)) {
      parts_.trace.main().mark(Mark::offered, {.number = cycle.number});
      control_->offer(cycle.number, seats_);
    }
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !learn_way(cycle); patience.pause()) {
      if (!may_go_on(cycle.number, deadline)) return false;
      progress();
    }
    return true;
  }

  // The relay that this rank was told counts on its parcel, though the seats be known by now.
  bool learn_way(Cycle& cycle) {
    const bool seats = learn_seats(cycle);
    return learn_relay(cycle) || seats;
  }

  bool learn_seats(Cycle& cycle) {
    if (!cycle.seats.empty()) return true;
    if (!control_->seats(cycle.number, cycle.seats)) return false;
    parts_.trace.main().mark(Mark::manned, {.number = cycle.number, .peer = cycle.seats.front().rank});
    return true;
  }

  bool learn_relay(Cycle& cycle) {
    const std::optional<int> relay = control_->relay(cycle.number);
    if (!relay) return false;
    cycle.relay = *relay;
    parts_.trace.main().mark(Mark::relay, {.number = cycle.number, .peer = *relay});
    return true;
  }

  // Whoever waits for a cycle's seats.
  bool may_go_on(std::uint32_t cycle, const Deadline& deadline) {
    if (parted(cycle - 1)) return false;
    require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return not_manned(cycle, parts_.board, deadline); });
    return true;
  }

  // Of the open cycles whose seats are known, in their order. What this rank kept of one goes to the holders now.
  void make_duties() {
    while (!open_.empty() && learn_seats(open_.front().cycle)) {
      const Cycle& cycle = open_.front().cycle;
      if (cycle.relay == parts_.comm.rank()) courier_.send(cycle);
      make_duty(cycle, open_.front().tile_bytes);
      open_.erase(open_.begin());
    }
  }

  void make_duty(const Cycle& cycle, std::int64_t tile_bytes) {
    const bool collective = cycle.batch.writes_collectively();
    Duty* duty = duties_.make(cycle, tile_bytes, control_->relayed(cycle.number), collective);
    if (duty && thread_ && !collective) thread_->add(*duty);
    control_->settled(cycle.number);
  }

  bool await_duties(std::uint32_t cycle) {
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !open_.empty() && !later(open_.front().cycle.number, cycle); patience.pause()) {
      if (!may_go_on(open_.front().cycle.number, deadline)) return false;
      receive();
    }
    return true;
  }

  // All ranks have a duty, if only to take part.
  bool write_collectively(std::uint32_t cycle) {
    if (!retire(cycle - 1) || !await_duties(cycle)) return false;
    Duty& duty = duties_.back();
    if (!await_pieces(duty)) return false;
    const Span span(parts_.trace.main(), Step::write, parts_.tally.write_seconds, {.number = next_});
    write_tiles(duty, parts_.staging, parts_.comm.number());
    end_duty(duty);
    return true;
  }

  // Whether a cycle will never be complete: a rank has lost step, or does other things than this one.
  bool parted(std::uint32_t cycle) {
    return lost_ || parts_.board.anybody_lost() || parts_.board.parted(cycle) || courier_.rung();
  }

  // Until the ranks of this host have done their duties up to a cycle.
  bool await_window(std::uint32_t cycle) {
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !parts_.board.all_written(cycle); patience.pause()) {
      if (parted(cycle)) return false;
      progress();
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(cycle, parts_.board, deadline); });
    }
    return true;
  }

  bool may_write(const Duty& duty) { return duty.complete(parts_.board) && control_->released() >= duty.cycle; }
  bool take_turn(const Duty& duty) { return parts_.board.begin_writing(most_at_once(duty, parts_)); }

  void write_in_turn(Duty& duty) {
    parts_.write_and_wait(duty, [this, &duty] { write_tiles(duty, parts_.staging, parts_.comm.number()); });
    parts_.board.end_writing();
    end_duty(duty);
  }

  void end_duty(const Duty& duty) {
    parts_.trace.main().mark(Mark::written, {.number = duty.cycle});
    say_written(duty);
    duties_.pop();
    tell_written();
  }

  // This rank's own write, whoever else is writing; somebody waits.
  void write(Duty& duty) {
    const Span span(parts_.trace.main(), Step::write, parts_.tally.write_seconds, {.number = next_});
    const Deadline deadline = parts_.deadline();
    while (!take_turn(duty)) {
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return not_written(duty, deadline); });
      parts_.board.sleep_until_turn(most_at_once(duty, parts_));
    }
    write_in_turn(duty);
  }

  void say_written(const Duty& duty) {
    for (const HeldTile& tile : duty.tiles) control_->written(duty.cycle, tile.place);
  }

  void take_done() {
    while (thread_ && !duties_.empty() && duties_.front().done) {
      if (!control_->from_thread()) say_written(duties_.front());
      duties_.pop();
    }
    tell_written();
  }

  // Neighbours need not wait until this rank comes to their cycle to learn that places out of the window are free.
  void tell_written() {
    if (!control_->by_window()) return;
    const std::uint32_t last = duties_.empty() ? put_ : duties_.front().cycle - 1;
    if (std::exchange(told_, last) != last) parts_.board.say_written(last);
  }

  void receive() {
    courier_.listen();
    make_duties();
    bool relay = true;  // not before what older cycles have to pass on
    for (const auto& duty : duties_) {
      const std::int64_t before = duty->missing;
      Status status = courier_.receive(*duty, relay);
      if (!status.ok()) lose_step(std::move(status));
      relay = relay && duty->relayed == 0;
      if (thread_ && before > 0 && duty->missing == 0) thread_->look_again();
    }
    if (control_->from_thread() || !thread_) return;
    const std::int64_t released = control_->released();
    if (released_.exchange(released) == released) return;
    parts_.trace.main().mark(Mark::released, {.number = released});
    thread_->look_again();
  }

  // Pieces of something else than this rank has put: nothing can be made of the cycle.
  void lose_step(Status status) {
    parts_.noted.push_back(std::move(status));
    parts_.board.say_lost();
    say_lost();
  }

  // Does this rank's duties up to a cycle, waiting for the pieces that are missing. False where a rank has lost step.
  bool retire(std::uint32_t cycle) {
    if (!await_duties(cycle)) return false;
    take_done();
    while (!duties_.empty() && !later(duties_.front().cycle, cycle)) {
      Duty& duty = duties_.front();
      duty.forced = true;
      if (thread_) thread_->look_again();
      if (!await_pieces(duty)) return false;
      thread_ ? thread_->await(duty, parts_.deadline()) : write(duty);
      take_done();
    }
    return true;
  }

  bool await_pieces(Duty& duty) {
    const Deadline deadline = parts_.deadline();
    for (Patience patience; !duty.complete(parts_.board); patience.pause()) {
      receive();
      if (duty.complete(parts_.board)) break;
      if (parted(duty.cycle)) return false;
      require(!deadline.passed(), WEIR_ETIMEOUT, [&] { return incomplete(duty, parts_.board, deadline); });
    }
    return true;
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
  std::uint32_t put_ = 0;   // the last one whose pieces it has put
  std::uint32_t told_ = 0;  // up to here its tiles are written, as it has told its neighbours
  std::atomic<std::int64_t> released_ = 0;
  std::vector<Open> open_;  // oldest first
  DutyList duties_;
  std::unique_ptr<WriterThread> thread_;
};

}  // namespace

std::unique_ptr<Flow> make_dynamic_flow(const FlowParts& parts, std::unique_ptr<Control> control, int seats,
                                        int window) {
  return std::make_unique<DynamicFlow>(parts, std::move(control), seats, window);
}

}  // namespace weir
