// SPDX-License-Identifier: Apache-2.0
// Messages between hosts: pieces for tiles of other hosts (Transport), the programs that unpack them (UnpackPrograms),
// and the notice that a rank is out of sync (DesyncNotice). engine/run_world.hpp calls them for the flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "base/tally.hpp"
#include "base/trace.hpp"
#include "engine/pending_puts.hpp"
#include "engine/staging.hpp"
#include "flow/cycle.hpp"
#include "mpi/comm.hpp"
#include "plan/machine.hpp"
#include "plan/plan.hpp"
#include "rearrange/copy.hpp"

namespace weir {

// Returns whether a request has completed. Does not wait.
bool ended(MPI_Request& request);

// An empty message to all ranks whose memory this rank cannot access: this rank is out of sync. No method waits for
// another rank.
class DesyncNotice {
 public:
  // Requires: no other code uses the notice's tag on `comm`.
  DesyncNotice(const Comm& comm, const Reach& reach) : comm_(comm), reach_(reach) {}

  // Sends the notice, unless this rank has sent it or received one.
  void send();
  // Returns whether a notice has arrived. It stays until messages are drained.
  bool received() const;
  // Returns whether all ranks have received this rank's notice.
  bool acknowledged();
  void abandon() noexcept { sent_.clear(); }

 private:
  const Comm& comm_;
  const Reach& reach_;
  std::vector<MPI_Request> sent_;
};

// The programs by which a holder unpacks pieces of ranks that its plan does not name. The source numbers its programs,
// and sends a program with the first piece of its kind. So no rank needs a plan for all ranks that may send to it.
// Local.
class UnpackPrograms {
 public:
  // Returns this rank's number for the unpack program of `out`.
  std::int64_t number(const Outgoing& out) { return numbers_.try_emplace(&out, std::ssize(numbers_)).first->second; }
  // Appends to a message to `to` whether it has the unpack program of that number and source with it, and the unpack
  // program where `to` never got it.
  void encode(ArchiveWriter<std::int64_t>& archive, std::pair<int, std::int64_t> source_and_number, int to,
              const CopyProgram& unpack_program);
  // Reads what encode() has written. The unpack program stays where it is until forget().
  const CopyProgram& decode(ArchiveReader& archive, std::pair<int, std::int64_t> source_and_number);
  // Forgets all programs.
  // Requires: all ranks do so with no message under way.
  void forget() noexcept;
  // Bytes of memory of the programs and of the notes on which rank has them.
  std::int64_t bytes() const noexcept;

 private:
  std::map<const Outgoing*, std::int64_t> numbers_;                      // of this rank's programs
  std::set<std::tuple<int, std::int64_t, int>> sent_;                    // source, number, receiver
  std::map<std::pair<int, std::int64_t>, CopyProgram> unpack_programs_;  // of other ranks
  std::int64_t program_bytes_ = 0;                                       // of unpack_programs_
};

// What a rank has sent: messages, those of them that went to a relay, and bytes.
struct Traffic {
  std::int64_t messages = 0, relayed = 0, message_bytes = 0;
};

// Forwards pieces that could not be copied into their tile to the tile's holder. A rank sends a holder one message a
// cycle, however many variables the cycle has. The message has the pieces, and the unpack program where the holder's
// plan does not know it. With two hops a message may first go, whole, to a relay, which passes its pieces on to their
// holders.
//
// A message travels as two of MPI's. The header message (`words`) describes it, and has the unpack programs; header
// messages are received at once and in order, so that an unpack program is known before any piece that needs it. The
// payload message has the pieces. It is received when the pending write of its cycle is known and there is room; until
// then MPI keeps it. Pieces that end here have their own room, which never waits for another rank; relayed pieces keep
// their room until their holders have them.
//
// Local, except where a method says otherwise. Thread: one at a time; calls MPI. No method waits for another rank,
// except drain().
class Transport {
 public:
  // Where the time of unpacking is counted.
  struct Times {
    Trace& trace;
    Tally& tally;
  };
  // Collective over `comm`, which it duplicates.
  Transport(const Comm& comm, const Reach& reach, Staging& staging, const Times& times, const Deadline& deadline);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Sends all of this rank's pieces of the cycle to the cycle's relay.
  void send_to_relay(const Cycle& cycle, const std::vector<Entry>& entries);
  // Sends this rank's packed pieces to their holders. Unpacks those for its own tiles, which only a rank that is its
  // own relay has: it packed them before it knew the holders.
  // Requires: the cycle's holders are known. The memory of the pieces stays until sent().
  void send(const Cycle& cycle, const std::vector<Entry>& entries);
  // Receives the header messages that have arrived, and forgets messages that were taken.
  void listen();
  // Receives, unpacks and counts the pieces of a pending write that have arrived; messages to pass on only if `relay`.
  // Errors: returns WEIR_EMISMATCH if a rank has put something else in the cycle; that message is dropped.
  Status receive(PendingPuts& pending, bool relay);
  // Returns whether a message that this rank has sent is under way.
  bool sending() const noexcept { return !pending_sends_.empty(); }
  // Returns whether a message is under way that this rank has sent, or whose header message it has received.
  bool under_way() const noexcept { return !pending_sends_.empty() || !coming_.empty(); }
  // Returns whether the messages of cycles up to this one were taken; then gives back their memory.
  bool sent(std::uint32_t cycle);
  // Returns the ranks that have not taken a message of these cycles: "3, 5".
  std::string slow(std::uint32_t cycle) const;
  DesyncNotice& desync_notice() noexcept { return desync_notice_; }
  // Forgets all unpack programs.
  // Requires: all ranks do so with no message under way.
  void forget();
  // As UnpackPrograms::bytes().
  std::int64_t unpack_program_bytes() const noexcept { return unpack_programs_.bytes(); }
  // Receives and drops all messages under way, until all ranks have done so.
  // Collective.
  void drain(const Deadline& deadline);
  // Leaks the messages under way and the communicator, after a timeout.
  void abandon() noexcept;

  const Traffic& traffic() const noexcept { return traffic_; }

 private:
  // A part of a message: the pieces of one put for one owner or slot. `what` identifies the put, alike on all ranks.
  // The source numbers its unpack programs.
  struct Section {
    Slot holder;
    int owner_or_slot;
    std::size_t entry;
    std::int64_t what;
    std::int64_t number;
    const CopyProgram* unpack_program;
    std::byte* at;
    std::int64_t bytes;

    friend void fields(auto& archive, Either<Section> auto& section) {
      archive(section.owner_or_slot, section.entry, section.what, section.number, section.bytes);
    }
  };
  // Memory for received messages. It fills from its beginning, and is empty again when no message uses it.
  struct Area {
    std::byte* begin = nullptr;
    std::int64_t size = 0, used = 0;
    int users = 0;

    std::byte* take(std::int64_t bytes) noexcept;
    void give_back() noexcept {
      if (--users == 0) used = 0;
    }
  };
  struct PendingSend {
    std::uint32_t cycle;
    int to;
    Area* area;  // where its payload is; nullptr: the send memory
    std::vector<std::int64_t> words;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };
  // A message whose header message has arrived.
  struct PendingReceive {
    std::uint32_t cycle = 0;
    bool relay = false;  // to be passed on
    int source = 0;      // the rank whose pieces they are
    int sender = 0;
    int tag = 0;
    std::int64_t bytes = 0;
    std::vector<Section> sections;
    bool begun = false;
    std::byte* at = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  // The message that `sections_` become.
  struct Address {
    std::uint32_t cycle;
    int source;
    bool relay;
    Area* area;
  };
  void collect(const Cycle& cycle, const std::vector<Entry>& entries);
  void send_sections(const Address& address);
  void send_message(const Address& address, int to, std::size_t begin, std::size_t end);
  void write_words(const Address& address, int to, std::size_t begin, std::size_t end, PendingSend& message);
  void read_words(const std::vector<std::int64_t>& words, PendingReceive& coming);
  void place_section(const std::vector<Entry>& entries, const Section& section);
  bool begin_to_take(PendingReceive& coming);
  void end_to_take(const PendingReceive& coming, PendingPuts& pending);
  void drop_sent();
  void note_received() noexcept { staging_.hold_received(ending_.used + passing_.used); }
  bool throw_away(const Deadline& deadline);

  Comm comm_;  // a duplicate, so that it receives only its own messages
  double timeout_seconds_;
  const Reach& reach_;
  Staging& staging_;
  Times times_;
  Area ending_, passing_;  // for messages that end here, and for messages to pass on
  std::vector<Section> sections_;
  std::list<PendingSend> pending_sends_, spare_sends_;
  std::list<PendingReceive> coming_, spare_coming_;
  std::vector<std::int64_t> heard_;
  std::vector<int> lengths_;
  std::vector<MPI_Aint> places_;
  UnpackPrograms unpack_programs_;
  DesyncNotice desync_notice_;
  std::uint32_t serial_ = 0;
  Traffic traffic_;
};

}  // namespace weir
