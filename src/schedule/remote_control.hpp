// SPDX-License-Identifier: Apache-2.0
// Control by a reserved rank that runs the scheduler and answers messages (Wang & Huang 2025, section 3.1 and figure 6:
// the process in red). This header has both ends; engine/controls.hpp and simulate/ carry the messages. Pure, Local.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "schedule/control.hpp"

namespace weir {

// The kinds of messages: a few 64-bit words, first the kind, then the epoch (messages of an earlier epoch are void),
// then:
//
//   to the control rank   start, epoch, host of each rank
//                         offer, epoch, unit, slots, series
//                         written, epoch, unit, tile buffer
//                         release, epoch, unit
//                         restart, epoch, unit
//                         finish, epoch (of every rank, its last message)
//                         abandon, epoch
//   to a rank             farewell (the last message)
//                         relay, epoch, unit, last released unit, rank
//                         assigned, epoch, unit, last released unit, ranks to relay for, then of each slot:
//                         rank, tile buffer
//                         released, epoch, unit, last released unit
enum ControlWord : std::int64_t {
  start_word,
  offer_word,
  written_word,
  release_word,
  restart_word,
  finish_word,
  abandon_word,
  farewell_word,
  relay_word,
  assigned_word,
  released_word,
};

inline constexpr int to_control = 21;
inline constexpr int to_rank = 22;

// A unit's slots, which several ranks of a simulation may share.
using SharedSlots = std::shared_ptr<std::vector<Slot>>;

// Carries words between a rank of the model and the control rank; words of each direction keep their order.
class ControlLink {
 public:
  virtual ~ControlLink() = default;
  virtual void say(std::span<const std::int64_t> words) = 0;
  // Returns the next words for this rank, valid until the next call; empty if there are none.
  virtual std::span<const std::int64_t> hear() = 0;
  // Sets `slots` to the slots in the words heard last: in its own memory, or in memory that ranks share which hear the
  // same words.
  virtual void take_slots(std::span<const std::int64_t> words, SharedSlots& slots);
};

// A rank's end. Methods keep the contracts of Control.
class RemoteControl : public Control {
 public:
  // `link` outlives this. Rank 0 sends the hosts of the ranks.
  RemoteControl(ControlLink& link, const Machine& machine, int rank);

  void offer(std::int64_t unit, int slots, std::int64_t series) override;
  std::span<const Slot> slots(std::int64_t unit) override;
  std::optional<int> relay(std::int64_t unit) override;
  int relayed(std::int64_t unit) override { return known_of(unit).relayed; }
  void forget_up_to(std::int64_t unit) override;
  void written(std::int64_t unit, int tile_buffer) override { say(written_word, unit, tile_buffer); }
  bool thread_safe() const noexcept override;
  void release(std::int64_t unit) override;
  std::int64_t released() override;
  void end(std::int64_t unit) override;
  void restart(std::int64_t unit) override;
  std::int64_t messages() const noexcept override { return messages_; }

 protected:
  void say(ControlWord word, std::int64_t unit, std::int64_t value = 0);
  // Takes the words that have arrived. Returns whether the control rank has sent its last message.
  bool listen();

 private:
  static constexpr std::int64_t nothing = -1;
  struct Known {
    std::int64_t unit = nothing;
    std::optional<int> relay;
    int relayed = 0;
    bool has_slots = false;
    SharedSlots slots;  // of a forgotten unit: memory for the next one
  };
  void say(std::span<const std::int64_t> words);
  void understand(std::span<const std::int64_t> words);
  Known* find(std::int64_t unit) noexcept;
  Known& known_of(std::int64_t unit);

  ControlLink& link_;
  int rank_;
  std::int64_t epoch_ = 0;
  std::int64_t released_ = 0;
  std::int64_t messages_ = 0;
  std::vector<Known> known_;  // units in flight, and some that were; in no order
};

// Carries the control rank's words to the model's ranks.
class ControlAnswers {
 public:
  virtual ~ControlAnswers() = default;
  virtual void say(std::span<const std::int64_t> words, int rank) = 0;
};

// The control rank's end: runs the scheduler.
class ControlRank {
 public:
  // `answers` outlives this.
  ControlRank(const ScheduleParameters& how, ControlAnswers& answers) : how_(how), answers_(answers) {}

  // Takes words of a rank of the model.
  // Requires: they are neither finish nor abandon.
  void hear(int source, std::span<const std::int64_t> words);
  // Whether rank 0 has sent the hosts of the ranks.
  bool begun() const noexcept { return scheduler_ != nullptr; }
  // Sends the last message to so many ranks.
  void say_farewell(int ranks);

 private:
  void start(std::span<const std::int64_t> words);
  void begin(std::int64_t epoch, std::int64_t unit);
  void answer();
  void send_relay(const Decision& decision);
  void answer_waiting(std::int64_t unit);
  void send_assigned(int rank, std::int64_t unit);
  void announce_release(std::int64_t last);
  void send(int rank) { answers_.say(said_, rank); }

  struct Waiting {
    std::int64_t unit;
    int rank;
  };
  using Counts = std::map<int, int>;  // by rank
  struct Assigned {
    std::vector<std::int64_t> words;  // of the message; two of them differ between ranks
    Counts relayed;
    int answered;
  };
  struct Early {
    int source;
    std::vector<std::int64_t> words;
  };

  ScheduleParameters how_;
  ControlAnswers& answers_;
  Machine machine_;
  std::unique_ptr<Scheduler> scheduler_;
  std::int64_t epoch_ = -1, first_ = 1, next_announced_ = 0;
  std::vector<std::int64_t> said_;
  std::vector<Waiting> waiting_;
  std::map<std::int64_t, Assigned> assigned_;  // until all ranks know
  std::map<std::int64_t, Counts> relayed_;     // of unassigned units: how many ranks each rank relays for
  std::vector<Early> early_;
};

}  // namespace weir
