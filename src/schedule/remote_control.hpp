// SPDX-License-Identifier: Apache-2.0
// The messages between ranks and the control rank: a few 64-bit words, of which the first is the kind and the second
// the epoch (messages of an earlier epoch are void).
//   to the control rank   start, epoch, host of each rank | offer, epoch, unit, slots | written, epoch, unit, place |
//                         release, epoch, unit | restart, epoch, unit | finish, epoch (of every rank, its last one) |
//                         abandon, epoch
//   to a rank             farewell (the last one) | relay, epoch, unit, last released unit, rank |
//                         assigned, epoch, unit, last released unit, ranks whose relay this one is,
//                         (rank, place) of each slot |
//                         released, epoch, unit, last released unit
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "schedule/control.hpp"

namespace weir {

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

// Control by a reserved rank that runs the scheduler and answers messages (Wang & Huang 2025, section 3.1 and figure 6:
// the process in red). This header has both ends; the world transports their messages. Pure, Local.

using SharedSlots = std::shared_ptr<std::vector<Slot>>;

// From a rank of the model to the control rank and back. Words of each direction come in their order.
class ControlLink {
 public:
  virtual ~ControlLink() = default;
  virtual void say(std::span<const std::int64_t> words) = 0;
  // The next words for this rank, which hold until the next call; none where none have come.
  virtual std::span<const std::int64_t> hear() = 0;
  // Makes `slots` those that the words heard last tell of: in the memory that it has, or, where many ranks hear the
  // same and they are kept once, in theirs.
  virtual void take_slots(std::span<const std::int64_t> words, SharedSlots& slots);
};

class RemoteControl : public Control {
 public:
  // `link` outlives it. Rank 0 says who is there.
  RemoteControl(ControlLink& link, const Machine& machine, int rank);

  void offer(std::int64_t unit, int slots) override { say(offer_word, unit, slots); }
  std::span<const Slot> slots(std::int64_t unit) override;
  std::optional<int> relay(std::int64_t unit) override;
  int relayed(std::int64_t unit) override { return known_of(unit).relayed; }
  void settled(std::int64_t unit) override;
  void written(std::int64_t unit, int tile_buffer) override { say(written_word, unit, tile_buffer); }
  bool from_thread() const noexcept override;
  void release(std::int64_t unit) override;
  std::int64_t released() override;
  void end(std::int64_t unit) override;
  void restart(std::int64_t unit) override;
  std::int64_t messages() const noexcept override { return messages_; }

 protected:
  void say(ControlWord word, std::int64_t unit, std::int64_t value = 0);
  // Takes what has come. True where the control rank has said its last word.
  bool listen();

 private:
  static constexpr std::int64_t nothing = -1;
  struct Known {
    std::int64_t unit = nothing;
    std::optional<int> relay;
    int relayed = 0;
    bool has_slots = false;
    SharedSlots slots;  // else of a unit that is settled: memory for the next one
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
  std::vector<Known> known_;  // of units in flight, and of some that were; in no order
};

// What the control rank says, to the model's ranks.
class ControlAnswers {
 public:
  virtual ~ControlAnswers() = default;
  virtual void say(std::span<const std::int64_t> words, int rank) = 0;
};

class ControlRank {
 public:
  // `answers` outlives it.
  ControlRank(const ScheduleParameters& how, ControlAnswers& answers) : how_(how), answers_(answers) {}

  // Words of a rank of the model, neither finish nor abandon.
  void hear(int source, std::span<const std::int64_t> words);
  // Whether rank 0 has said who is there.
  bool begun() const noexcept { return scheduler_ != nullptr; }
  // The last words, to so many ranks.
  void say_farewell(int ranks);

 private:
  void start(std::span<const std::int64_t> words);
  void begin(std::int64_t epoch, std::int64_t unit);
  void answer();
  void tell_relay(const Decision& decision);
  void tell_waiting(std::int64_t unit);
  void tell_assigned(int rank, std::int64_t unit);
  void tell_holders(std::int64_t last);
  void send(int rank) { answers_.say(said_, rank); }

  struct Waiting {
    std::int64_t unit;
    int rank;
  };
  using Counts = std::map<int, int>;  // of each rank
  struct Assigned {
    std::vector<std::int64_t> words;  // that tell of it; two of them are each rank's own
    Counts relayed;
    int told;
  };
  struct Early {
    int source;
    std::vector<std::int64_t> words;
  };

  ScheduleParameters how_;
  ControlAnswers& answers_;
  Machine machine_;
  std::unique_ptr<Scheduler> scheduler_;
  std::int64_t epoch_ = -1, first_ = 1, told_ = 0;
  std::vector<std::int64_t> said_;
  std::vector<Waiting> waiting_;
  std::map<std::int64_t, Assigned> assigned_;  // until all ranks know
  std::map<std::int64_t, Counts> relayed_;     // of units that want ranks: whose relay each rank is
  std::vector<Early> early_;
};

}  // namespace weir
