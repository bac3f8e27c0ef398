// SPDX-License-Identifier: Apache-2.0
// The world of a simulated rank (flow/world.hpp): what takes time suspends, and messages have sizes and no bytes. It
// decides nothing; what it adds is how MPI moves messages. A small one is under way at once; a large one only once its
// receiver has asked for it, which it does when it knows its pending write, and is in a call that takes what comes (or
// a thread of its listens, progress: thread). What has come to a holder in a cycle is placed when all of it is there.
// What a relay passes on goes as soon as it is there and the holders are known; it always has room for it.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "flow/flow.hpp"
#include "simulate/collective_write.hpp"
#include "simulate/controls.hpp"
#include "simulate/row.hpp"
#include "simulate/sends.hpp"

namespace weir::simulate {

class RankWorld;

// What comes to a holder in a cycle.
struct Inbox final : Action, Receiver {
  void happen() override;
  void fetch(int step) const noexcept override;
  void fetch(const Message& message) const noexcept override;
  void delivered(const Message& message, double time) override;
  const Sends* sends = nullptr;
  RankWorld* world = nullptr;
  std::uint32_t cycle = 0;
  Arrivals arrivals;
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;       // that come to it
  std::vector<Message> waiting;  // at their senders, until the holder asks for them
  bool open = false;             // the holder knows its pending write
  bool come = false;             // all of it
  bool taken = false;
};

// A message that a relay is to pass on.
struct Passing final : Action, Receiver {
  void happen() override;
  void delivered(const Message& message, double time) override;
  // It is under way from now on.
  void begin();
  std::uint32_t cycle() const noexcept { return static_cast<std::uint32_t>(message.what); }
  RankWorld* world = nullptr;
  Message message{};
  bool begun = false;
  bool come = false;
};

// Something that waits in loops: told, it looks again, even where it was busy when it was told.
class Waiter {
 public:
  explicit Waiter(Engine& engine) : signal_(engine) {}
  void tell() {
    news_ = true;
    signal_.tell();
  }
  // Until it is told something that it did not know when it last came from here.
  void wait() {
    if (!news_) signal_.wait();
    news_ = false;
  }
  void fetch(int step) const noexcept { signal_.fetch(step); }

 private:
  Signal signal_;
  bool news_ = false;
};

// All ranks of a job.
class Ranks final : private RankFetcher {
 public:
  explicit Ranks(Job& job);
  ~Ranks();

  // As the flow's, of a rank.
  void begin(int rank, int cycle);
  void make_room(int rank, int cycle);
  void finish(int rank, int cycle);
  void drain(int rank);
  // Around each call of the model's: what listens in the background stands still meanwhile.
  void enter_call(int rank);
  void leave_call(int rank);
  std::int64_t control_messages() const noexcept;

  RankWorld& world(int rank) noexcept { return worlds_[static_cast<std::size_t>(rank)]; }

  Job& job;
  CollectiveWrite collective;
  Sends sends;
  std::deque<Inbox> inboxes;            // of all ranks, with memory that is kept
  std::vector<Inbox*> spare_inboxes;    // of them
  std::vector<Message> messages;        // that a rank is about to send
  std::vector<std::size_t> message_to;  // by receiver: its number among these, if its receiver is this one
  std::int64_t relayed = 0;             // messages to a relay
  const bool listens;                   // in the background

 private:
  Flow& flow(int rank) noexcept { return flows_[static_cast<std::size_t>(rank)]; }
  Cycle& cycle(int rank, int number);
  void fetch(int rank, int step) const noexcept override;

  FlowSetup setup_;
  Row<RankWorld> worlds_;
  Controls controls_;
  Row<Flow> flows_;
  std::vector<Cycle> cycles_;  // that each rank has come to
};

class RankWorld final : public World {
 public:
  RankWorld(Ranks& ranks, int rank);

  int rank() const noexcept override { return rank_; }
  void say_put(std::uint32_t cycle) override;
  bool all_put(std::uint32_t cycle) const noexcept override { return host_status_.is_put(static_cast<int>(cycle)); }
  bool all_others_put(std::uint32_t cycle) const noexcept override {
    return host_status_.all_others_put(static_cast<int>(cycle));
  }
  void say_written(std::uint32_t cycle) override;
  bool all_written(std::uint32_t cycle) const noexcept override {
    return host_status_.is_written(static_cast<int>(cycle));
  }
  void say_out_of_sync() override {}
  bool has_diverged(std::uint32_t) override { return false; }
  bool begin_writing(int most) override;
  void end_writing() override;
  void await_turn(int most, Wait* wait) override;

  std::unique_ptr<PendingWrite> take_puts(std::uint32_t cycle, std::unique_ptr<PendingWrite> spare) override;
  std::int64_t pieces_to_come(const PendingWrite& pending, const HeldTile& tile, bool fixed,
                              bool sent_via_relay) const override;
  void hold(int, std::int64_t) noexcept override {}

  void send(const Cycle& cycle, const PendingWrite& puts) override;
  void listen() override {}
  Status receive(PendingWrite& pending, bool relay) override;
  bool sent(std::uint32_t cycle) override;
  bool sending() const noexcept override { return false; }

  bool must_prepare(PendingWrite&) const override { return false; }
  void prepare(PendingWrite&) override {}
  void write(PendingWrite& pending) override;
  void write_in_background(PendingWrite& pending) override;
  void close(PendingWrite&) override {}
  void note(Status failure) override { failure.raise(); }

  double now() const noexcept override { return job_.now(); }
  void spent(Account account, double begin, std::uint32_t cycle) override;
  void mark(Mark, const Detail&, bool) override {}
  Deadline deadline() const override { return Deadline(); }
  void pause(Wait& wait) override;

  std::unique_ptr<BackgroundWriter> make_background_writer(BackgroundWriter::Work work) override;
  void yield_to_background_writer() noexcept override {}

  // Something has happened that this rank, or what runs in the background, may wait for; or the rank alone: it then
  // sees to what runs in the background, which neither takes messages nor asks a control rank.
  void tell();
  void tell_rank();
  Job& job() noexcept { return job_; }
  void tell_sent() { waiter_.tell(); }  // what it has sent has come
  void fetch_waiter(int step) const noexcept { waiter_.fetch(step); }
  // From another rank.
  void post(Message message);
  void post_to_pass_on(Message message);
  // What a rank sent here is there at `time`.
  void arrived(int sender, std::uint32_t cycle, double time);
  void come(Inbox& box, const Message& message, double time);

  // Takes what comes between the model's calls (engine/background_threads.hpp).
  void start_listening(Flow& flow);
  void enter_call();
  void leave_call();

 private:
  const CycleScript& script(std::uint32_t cycle) const { return job_.in.script.cycle(static_cast<int>(cycle)); }
  const Traffic& traffic(std::uint32_t cycle) const { return *script(cycle).traffic; }
  Inbox& inbox(std::uint32_t cycle);
  template <class HolderOf, class Stays>
  std::span<const Message> messages_of(int source, std::uint32_t cycle, HolderOf holder_of, Stays stays);
  void pass_on(PendingWrite& pending);
  void pass_on(PendingWrite& pending, int source);
  void when_all_is_there(Inbox& box);
  std::int64_t near_ranks(const Traffic& all, const Traffic::Owner& slot) const;
  void place(PendingWrite& pending, Inbox& box);
  void write_tiles(const PendingWrite& pending, bool background);
  void send_to_relay(const Cycle& cycle);
  void tell_host(Awaited what);
  void listen_in_background(Flow& flow);

  Ranks& ranks_;
  Job& job_;
  int rank_;
  HostStatus& host_status_;
  Waiter waiter_;
  bool takes_ = false;               // in a call, and taking what comes
  Awaited awaits_ = Awaited::slots;  // then
  double taken_at_ = 0;              // when all is taken that this rank waits for
  int published_ = 0;                // up to here its tiles are written, as its neighbours know
  struct OpenInbox {
    std::uint32_t cycle;
    Inbox* box;
  };
  std::vector<OpenInbox> inboxes_;
  std::vector<std::unique_ptr<Passing>> passing_;
  Waiter background_;  // what writes there
  Waiter listener_;
  bool in_call_ = false, advancing_ = false;
};

}  // namespace weir::simulate
