// SPDX-License-Identifier: Apache-2.0
// What a rank's flow may ask of the world it runs in: how far the other ranks of its host are, messages, storage, time,
// and a task beside the model. Two worlds: run/run_world.hpp, of MPI, files and threads, where what takes time is a
// call that comes back when it is done and a wait is a call that polls; and simulate/rank_world.hpp, where both
// suspend. The flow above decides, a world does: it knows no cycle that the flow has not told it of.
//
// A world is of one rank. What is not said to be of any thread is of the rank's own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/task.hpp"
#include "base/trace.hpp"
#include "flow/cycle.hpp"

namespace weir {

// What a rank waits for in its calls.
enum class Awaited : std::uint8_t {
  slots,       // who holds the tiles of the cycle that begins
  assignment,  // the same of a cycle that is put
  window,      // the host's ranks to have written a cycle
  pieces,      // of a pending write
  sent,        // what was sent of cycles up to one to be taken
  turn,        // to write a pending write, where few ranks of a host may at a time
};

// One wait, from its begin until what is awaited holds.
struct Wait {
  Awaited what;
  std::uint32_t cycle;
  const PendingWrite* pending;  // nullptr where none is meant
  Deadline deadline;
  Patience patience = {};
};

// Where time goes, for the report and the trace.
enum class Account : std::uint8_t { forward, wait, write, slack };

// Does pending writes beside the model, in their order, each as soon as it may (overlap: background).
class Beside {
 public:
  // What the flow says of a pending write. Of the thread beside the rank's own.
  struct Work {
    std::function<bool(const PendingWrite&)> ready;  // may it be written now?
    std::function<Task<>(PendingWrite&)> write;      // waits for a turn, writes; gives up where stopping() says so
    std::function<void(const PendingWrite*)> done;   // a pending write is done; the oldest that waits, or nullptr
  };

  virtual ~Beside() = default;
  // The pending write lives until it is done, or dropped.
  virtual void add(PendingWrite& pending) = 0;
  // Something has changed that a pending write may wait for.
  virtual void look_again() = 0;
  // Until the pending write is done. Throws Error(WEIR_ETIMEOUT).
  virtual Task<> await(const PendingWrite& pending) = 0;
  // Forgets the pending writes that wait; the one being written is finished first.
  virtual void drop() = 0;
  // Runs `change` while nothing is written.
  virtual void pause(const std::function<void()>& change) = 0;
  // It is to end, whatever waits. Any thread.
  virtual bool stopping() const noexcept = 0;
};

// The ranks of this host. all_put, and turns: any thread.
class HostWorld {
 public:
  virtual ~HostWorld() = default;
  virtual int rank() const noexcept = 0;
  virtual void say_put(std::uint32_t cycle) = 0;
  virtual bool all_put(std::uint32_t cycle) const noexcept = 0;
  virtual bool all_others_put(std::uint32_t cycle) const noexcept = 0;
  // All of this rank's tiles of cycles up to this one are written. Any thread, one at a time.
  virtual void say_written(std::uint32_t cycle) = 0;
  virtual bool all_written(std::uint32_t cycle) const noexcept = 0;
  // This rank is out of sync; whether one has, or a rank does other things than this one, so that the cycle will never
  // be complete.
  virtual void say_out_of_sync() = 0;
  virtual bool parted(std::uint32_t cycle) = 0;
  // At most `most` ranks of the host write at a time: takes a turn, or says that there is none.
  virtual bool begin_writing(int most) = 0;
  virtual void end_writing() = 0;
  // Until a turn may be free. wait: of the rank's own; nullptr: of the task beside the model.
  virtual Task<> await_turn(int most, Wait* wait) = 0;
};

// What was put.
class PutWorld {
 public:
  virtual ~PutWorld() = default;
  virtual std::unique_ptr<PendingWrite> new_pending_write() = 0;
  // What was put in the pending write's cycle, which ends here, is the pending write's from now on. Bytes of tile
  // memory that its fullest tile has.
  virtual std::int64_t take_puts(PendingWrite& pending) = 0;
  // Whether the plan gives this rank a tile of it.
  virtual bool owns_tile(const PendingWrite& pending) const = 0;
  // Pieces of a tile that come in messages: all but those that ranks of its host put themselves. given_away: this
  // rank's go to a relay.
  virtual std::int64_t pieces_to_come(const PendingWrite& pending, const HeldTile& tile, bool fixed,
                                      bool given_away) const = 0;
  // So many bytes of tile memory are this rank's in one of its places; 0: none any more.
  virtual void hold(int place, std::int64_t bytes) noexcept = 0;
};

// Messages to and from ranks of other hosts.
class MessageWorld {
 public:
  virtual ~MessageWorld() = default;
  // Sends this rank's pieces to the holders, or all of them to the relay it was told. Waits for nobody.
  virtual void send(const Cycle& cycle, const PendingWrite& puts) = 0;
  virtual void send_to_relay(const Cycle& cycle, const PendingWrite& puts) = 0;
  // Hears of what has come.
  virtual void listen() = 0;
  // Takes, places and counts what has come for a pending write; of messages to pass on only where `relay`. `failure`: a
  // rank has put something else in the cycle.
  virtual Task<> receive(PendingWrite& pending, bool relay, Status& failure) = 0;
  // Whether what was sent of cycles up to this one is taken.
  virtual bool sent(std::uint32_t cycle) = 0;
  // Whether something is under way that this rank has sent.
  virtual bool sending() const noexcept = 0;
};

// Storage, and failures.
class StorageWorld {
 public:
  virtual ~StorageWorld() = default;
  // All ranks write the pending write together.
  virtual bool collective(const PendingWrite& pending) const = 0;
  // Its files' storage is better off with one rank of a host writing at a time.
  virtual bool one_at_a_time(const PendingWrite& pending) const = 0;
  // Whether a file must be laid out anew for it; does so, while nothing is written. Collective then.
  virtual bool must_prepare(PendingWrite& pending) const = 0;
  virtual void prepare(PendingWrite& pending) = 0;
  // Writes it, in a call of the rank's; beside the model.
  virtual Task<> write(PendingWrite& pending) = 0;
  virtual Task<> write_beside(PendingWrite& pending) = 0;
  // The pending write is written or given up: takes what it has found.
  virtual void close(PendingWrite& pending) = 0;
  // A failure of this rank, for the next meeting to tell all.
  virtual void note(Status failure) = 0;
};

// Time, and where it goes.
class TimeWorld {
 public:
  virtual ~TimeWorld() = default;
  virtual double now() const noexcept = 0;
  virtual void spent(Account account, double begin, std::uint32_t cycle) = 0;
  virtual void mark(Mark mark, const Detail& detail, bool beside = false) = 0;
  virtual Deadline deadline() const = 0;
  // Until something may have changed that is waited for. Throws Error(WEIR_ETIMEOUT).
  virtual Task<> pause(Wait& wait) = 0;
};

// The task beside the model.
class BesideWorld {
 public:
  virtual ~BesideWorld() = default;
  virtual std::unique_ptr<Beside> make_beside(Beside::Work work) = 0;
  // Where ranks share a core, the task beside the model comes first for a moment.
  virtual void let_beside_run() noexcept = 0;
};

class World : public HostWorld,
              public PutWorld,
              public MessageWorld,
              public StorageWorld,
              public TimeWorld,
              public BesideWorld {};

// Adds the time until its end to an account.
class Timed {
 public:
  Timed(World& world, Account account, std::uint32_t cycle)
      : world_(world), account_(account), cycle_(cycle), begin_(world.now()) {}
  ~Timed() { world_.spent(account_, begin_, cycle_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  World& world_;
  Account account_;
  std::uint32_t cycle_;
  double begin_;
};

}  // namespace weir
