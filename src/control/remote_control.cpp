// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "control/control.hpp"
#include "control/words.hpp"
#include "mpi/outbox.hpp"

namespace weir {

namespace {

class RemoteControl final : public Control {
 public:
  RemoteControl(const Comm& link, const Machine& machine, double timeout_seconds)
      : link_(link), outbox_(link, to_control), timeout_seconds_(timeout_seconds) {
    if (link_.rank() != 0) return;
    std::vector<std::int64_t> words(machine.host_of.begin(), machine.host_of.end());
    words.insert(words.begin(), {start_word, epoch_});
    say(words);
  }

  // Nothing may be under way when the communicator goes: every message either way is followed by a last one. But after
  // an error of a beginning nobody comes to that.
  ~RemoteControl() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || abandoned_) return;
    if (std::uncaught_exceptions() > 0) {
      abandon();
      return;
    }
    const Deadline deadline(timeout_seconds_);
    try {
      say(finish_word, 0);
      for (Patience patience; !deadline.passed(); patience.pause())
        while (hear())
          if (heard_[0] == farewell_word) return;
    } catch (const Error&) {
      return;  // MPI is in pieces: there is nobody to tell
    }
  }

  void offer(std::int64_t unit, int seats) override { say(offer_word, unit, seats); }

  bool seats(std::int64_t unit, std::vector<Seat>& seats) override {
    listen();
    const Known* known = find(unit);
    if (!known || known->seats.empty()) return false;
    seats = known->seats;
    return true;
  }

  std::optional<int> relay(std::int64_t unit) override {
    const Known* known = find(unit);
    return known ? known->relay : std::nullopt;
  }
  int relayed(std::int64_t unit) override { return known_of(unit).relayed; }
  void settled(std::int64_t unit) override {
    for (Known& known : known_)
      if (known.unit <= unit) known.unit = nothing;
  }

  void written(std::int64_t unit, int place) override { say(written_word, unit, place); }
  bool from_thread() const noexcept override { return false; }

  void release(std::int64_t unit) override {
    if (link_.rank() == 0) say(release_word, unit);
    released_ = std::max(released_, unit);
  }

  std::int64_t released() override {
    listen();
    return released_;
  }

  void end(std::int64_t unit) override {
    ++epoch_;
    if (link_.rank() == 0) say(restart_word, unit);
  }

  void restart(std::int64_t unit) override {
    for (Known& known : known_) known.unit = nothing;
    released_ = unit;
  }

  void abandon() noexcept override {
    abandoned_ = true;
    try {
      say(abandon_word, 0);
    } catch (const Error&) {  // it then waits until the program ends it
    }
  }
  std::int64_t messages() const noexcept override { return messages_; }

 private:
  void say(ControlWord word, std::int64_t unit, std::int64_t value = 0) {
    const std::int64_t words[] = {word, epoch_, unit, value};
    say(words);
  }
  void say(std::span<const std::int64_t> words) {
    outbox_.send(words, link_.size() - 1);
    ++messages_;
  }

  bool hear() {
    int control = link_.size() - 1;
    return receive_if_there(link_, control, to_rank, heard_, Deadline(timeout_seconds_));
  }

  void listen() {
    while (hear()) {
      if (heard_[1] != epoch_) continue;
      const std::int64_t unit = heard_[2];
      released_ = std::max(released_, heard_[3]);
      if (heard_[0] == relay_word) known_of(unit).relay = static_cast<int>(heard_[4]);
      if (heard_[0] != manned_word) continue;
      known_of(unit).relayed = static_cast<int>(heard_[4]);
      std::vector<Seat>& seats = known_of(unit).seats;
      for (std::size_t i = 5; i + 1 < heard_.size(); i += 2)
        seats.push_back({static_cast<int>(heard_[i]), static_cast<int>(heard_[i + 1])});
    }
  }

  static constexpr std::int64_t nothing = -1;
  struct Known {
    std::int64_t unit = nothing;
    std::optional<int> relay;
    int relayed = 0;
    std::vector<Seat> seats;  // none while nobody knows them
  };
  Known* find(std::int64_t unit) noexcept {
    const auto found =
        std::find_if(known_.begin(), known_.end(), [&](const Known& known) { return known.unit == unit; });
    return found == known_.end() ? nullptr : &*found;
  }
  // Made where it is not there, in the memory of one that is settled.
  Known& known_of(std::int64_t unit) {
    if (Known* known = find(unit)) return *known;
    Known* known = find(nothing);
    if (!known) known = &known_.emplace_back();
    known->unit = unit;
    known->relay.reset();
    known->relayed = 0;
    known->seats.clear();
    return *known;
  }

  const Comm& link_;
  Outbox outbox_;
  double timeout_seconds_;
  bool abandoned_ = false;
  std::int64_t epoch_ = 0;
  std::int64_t released_ = 0;
  std::int64_t messages_ = 0;
  std::vector<std::int64_t> heard_;
  std::vector<Known> known_;  // of units in flight, and of some that were; in no order
};

}  // namespace

std::unique_ptr<Control> make_remote_control(const Comm& link, const Machine& machine, double timeout_seconds) {
  return std::make_unique<RemoteControl>(link, machine, timeout_seconds);
}

void abandon_control(const Comm& link) noexcept {
  try {
    const std::int64_t words[] = {abandon_word, 0};
    Outbox(link, to_control).send(words, link.size() - 1);
  } catch (const Error&) {  // it then waits until the program ends it
  }
}

}  // namespace weir
