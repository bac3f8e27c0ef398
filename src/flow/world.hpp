// SPDX-License-Identifier: Apache-2.0
// All that a rank's flow asks of the outside: how far the other ranks of its host are, messages, storage, time, and a
// writer in the background. Calls come back when they are done. A run answers by MPI, files and threads
// (engine/run_world.hpp); a simulated rank (simulate/rank_world.hpp) leaves its stack where a call takes time, and goes
// on when that has passed. The flow decides, a world does: it knows no cycle that the flow has not named.
//
// A world is of one rank. What is not said to be of any thread is of the rank's own.
#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/trace.hpp"
#include "flow/background_writer.hpp"

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
  Backoff backoff = {};
};

// Where time goes, for the report and the trace.
enum class Account : std::uint8_t { forward, wait, write, slack };

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
  // This rank is out of sync; whether one is, or a rank does other things than this one, so that the cycle will never
  // be complete.
  virtual void say_out_of_sync() = 0;
  virtual bool has_diverged(std::uint32_t cycle) = 0;
  // At most `most` ranks of the host write at a time: takes a turn, or says that there is none.
  virtual bool begin_writing(int most) = 0;
  virtual void end_writing() = 0;
  // Until a turn may be free. wait: of the rank's own; nullptr: of the writer in the background.
  virtual void await_turn(int most, Wait* wait) = 0;
};

class World : public HostWorld {
 public:
  // What was put in a cycle, which ends here: it is the pending write's from now on, and with it what PendingWrite says
  // that the world fills in. spare: one that is done, to be used again; nullptr: there is none.
  virtual std::unique_ptr<PendingWrite> take_puts(std::uint32_t cycle, std::unique_ptr<PendingWrite> spare) = 0;
  // Pieces of a tile that come in messages: all but those that ranks of its host put themselves. sent_via_relay: this
  // rank's go to a relay.
  virtual std::int64_t pieces_to_come(const PendingWrite& pending, const HeldTile& tile, bool fixed,
                                      bool sent_via_relay) const = 0;
  // So many bytes of tile memory are this rank's in one of its places; 0: none any more.
  virtual void hold(int tile_buffer, std::int64_t bytes) noexcept = 0;

  // Messages. Sends this rank's pieces to the holders, or, where they are given away, to the relay. Does not wait for
  // another rank.
  virtual void send(const Cycle& cycle, const PendingWrite& puts) = 0;
  // Hears of what has come.
  virtual void listen() = 0;
  // Takes, places and counts what has come for a pending write; of messages to pass on only where `relay`. Not ok: a
  // rank has put something else in the cycle.
  virtual Status receive(PendingWrite& pending, bool relay) = 0;
  // Whether what was sent of cycles up to this one is taken.
  virtual bool sent(std::uint32_t cycle) = 0;
  // Whether something is under way that this rank has sent.
  virtual bool sending() const noexcept = 0;

  // Storage. Whether a file must be laid out anew for a pending write; does so, while nothing is written. Collective
  // then.
  virtual bool must_prepare(PendingWrite& pending) const = 0;
  virtual void prepare(PendingWrite& pending) = 0;
  // Writes it, in a call of the rank's; in the background.
  virtual void write(PendingWrite& pending) = 0;
  virtual void write_in_background(PendingWrite& pending) = 0;
  // The pending write is written or given up: takes what it has found.
  virtual void close(PendingWrite& pending) = 0;
  // A failure of this rank, which the next agreement brings to all.
  virtual void note(Status failure) = 0;

  // Time, and where it goes.
  virtual double now() const noexcept = 0;
  virtual void spent(Account account, double begin, std::uint32_t cycle) = 0;
  virtual void mark(Mark mark, const Detail& detail, bool background = false) = 0;
  virtual Deadline deadline() const = 0;
  // Until something may have changed that is waited for. Throws Error(WEIR_ETIMEOUT).
  virtual void pause(Wait& wait) = 0;

  virtual std::unique_ptr<BackgroundWriter> make_background_writer(BackgroundWriter::Work work) = 0;
  // Where ranks share a core, the background writer comes first for a moment.
  virtual void yield_to_background_writer() noexcept = 0;
};

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
