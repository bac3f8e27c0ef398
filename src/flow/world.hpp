// SPDX-License-Identifier: Apache-2.0
// All that the flow of a rank asks of the outside: the state of its host's ranks, messages, storage, time, and a
// background writer. The flow decides, a world acts, and knows only the cycles that the flow has named. A run answers
// with MPI, files and threads (engine/run_world.hpp); a simulated rank switches its stack where a call takes time
// (simulate/rank_world.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/trace.hpp"
#include "flow/background_writer.hpp"

namespace weir {

// What a rank waits for in a call.
enum class Awaited : std::uint8_t {
  slots,       // the holders of the tiles of the cycle that begins
  assignment,  // the holders of the tiles of a cycle that is put
  window,      // the ranks of the host, to have written a cycle
  pieces,      // of a pending write
  sent,        // the receivers of this rank's messages of cycles up to one
  turn,        // permission to write, if few ranks of a host may at a time
};

// One wait, until what is awaited holds.
struct Wait {
  Awaited what;
  std::uint32_t cycle;
  const PendingWrite* pending;  // nullptr: none
  Deadline deadline;
  Backoff backoff = {};
};

// The sums of time, for the report and the trace.
enum class Account : std::uint8_t { forward, wait, write, slack };

// The ranks of this host. Cycles count from 1, and a number means "cycles up to this one".
// Thread: the thread of the rank's calls, or between these the progress thread; all_put(), say_written() (one thread at
// a time), begin_writing(), end_writing() and await_turn() also the writer thread.
class HostWorld {
 public:
  virtual ~HostWorld() = default;
  virtual int rank() const noexcept = 0;
  // Publishes that this rank's pieces of a cycle are in place.
  virtual void say_put(std::uint32_t cycle) = 0;
  // Returns whether all ranks of the host have published that.
  virtual bool all_put(std::uint32_t cycle) const noexcept = 0;
  // Returns whether all other ranks of the host have published that, so that this rank is the last.
  virtual bool all_others_put(std::uint32_t cycle) const noexcept = 0;
  // Publishes that this rank's tiles of a cycle are written.
  virtual void say_written(std::uint32_t cycle) = 0;
  // Returns whether all ranks of the host have published that.
  virtual bool all_written(std::uint32_t cycle) const noexcept = 0;
  // Tells all ranks that this rank is out of sync.
  virtual void say_out_of_sync() = 0;
  // Returns whether a rank is out of sync, or does other things than this rank, so that the cycle will never be
  // complete.
  virtual bool has_diverged(std::uint32_t cycle) = 0;
  // Takes a turn to write, if fewer than `most` ranks of the host write; else returns false. end_writing() gives it
  // back.
  virtual bool begin_writing(int most) = 0;
  virtual void end_writing() = 0;
  // Sleeps until a turn may be free. `wait`: of the rank's call; nullptr: of the background writer.
  // Errors: WEIR_ETIMEOUT if the wait's deadline has passed.
  virtual void await_turn(int most, Wait* wait) = 0;
};

// The world of one rank. No method waits for another rank, except pause(), prepare() and, for a collective sink,
// write().
// Thread: the thread of the rank's calls, or between these the progress thread, which comes through Flow::listen():
// never both at a time. write_in_background(), mark() with `background` and now(): also the writer thread, meanwhile.
// engine/background_threads.hpp has the table of the threads.
class World : public HostWorld {
 public:
  // Ends the put of a cycle: moves its puts into a pending write, and sets the fields that PendingWrite names. `spare`:
  // a finished pending write to use again, or nullptr.
  virtual std::unique_ptr<PendingWrite> take_puts(std::uint32_t cycle, std::unique_ptr<PendingWrite> spare) = 0;
  // Returns how many pieces of a tile come in messages. `sent_via_relay`: this rank's own pieces go to a relay.
  virtual std::int64_t pieces_to_come(const PendingWrite& pending, const HeldTile& tile, bool fixed,
                                      bool sent_via_relay) const = 0;
  // Notes how many bytes of this tile buffer the rank uses, for the report; 0: none.
  virtual void hold(int tile_buffer, std::int64_t bytes) noexcept = 0;

  // Messages.
  //
  // Sends this rank's pieces to their holders, or all of them to the cycle's relay.
  virtual void send(const Cycle& cycle, const PendingWrite& puts) = 0;
  // Receives the descriptions of messages that have arrived.
  virtual void listen() = 0;
  // Receives, unpacks and counts the pieces of a pending write that have arrived; messages to pass on only if `relay`.
  // Errors: returns WEIR_EMISMATCH if a rank has put something else in the cycle.
  virtual Status receive(PendingWrite& pending, bool relay) = 0;
  // Whether the messages of cycles up to this one were taken.
  virtual bool sent(std::uint32_t cycle) = 0;
  // Whether a message of this rank is under way.
  virtual bool sending() const noexcept = 0;

  // Storage.
  //
  // Whether a file must be laid out anew for a pending write; prepare() does so, while nothing is written.
  // Collective for prepare(), else Local.
  virtual bool must_prepare(PendingWrite& pending) const = 0;
  virtual void prepare(PendingWrite& pending) = 0;
  // Writes a pending write: in a call of the rank, or in the background. Failures of files go into the pending write.
  // Collective if the pending write is.
  // Errors: write() throws WEIR_ETIMEOUT.
  virtual void write(PendingWrite& pending) = 0;
  virtual void write_in_background(PendingWrite& pending) = 0;
  // Closes a pending write that is written or dropped: notes its failures, and counts its time.
  virtual void close(PendingWrite& pending) = 0;
  // Notes a failure of this rank, for the next agreement.
  virtual void note(Status failure) = 0;

  // Time.
  virtual double now() const noexcept = 0;
  virtual void spent(Account account, double begin, std::uint32_t cycle) = 0;
  virtual void mark(Mark mark, const Detail& detail, bool background = false) = 0;
  virtual Deadline deadline() const = 0;
  // Sleeps until what is awaited may have changed.
  // Errors: WEIR_ETIMEOUT if the wait's deadline has passed.
  virtual void pause(Wait& wait) = 0;

  virtual std::unique_ptr<BackgroundWriter> make_background_writer(BackgroundWriter::Work work) = 0;
  // Lets the background writer run first for a moment, if it shares the rank's core.
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
