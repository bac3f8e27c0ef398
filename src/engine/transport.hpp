// SPDX-License-Identifier: Apache-2.0
// Messages between hosts: pieces to those who hold their tiles, plans to unpack them, and the notice that a rank is
// out of sync.
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

#include "base/tally.hpp"
#include "base/trace.hpp"
#include "engine/pending_puts.hpp"
#include "engine/staging.hpp"
#include "flow/cycle.hpp"
#include "flow/reach.hpp"
#include "mpi/comm.hpp"
#include "plan/plan.hpp"
#include "rearrange/copy.hpp"

namespace weir {

// An empty message to all ranks whose memory this rank cannot reach: this rank is out of sync.

// `ended`: whether a request has come to its end.
bool ended(MPI_Request& request);

class DesyncNotice {
 public:
  // Over a communicator on which no other rank asks for its tag.
  DesyncNotice(const Comm& comm, const Reach& reach) : comm_(comm), reach_(reach) {}

  // Tells all other ranks that this one is out of sync; whether one of them has told so. Until all are drained. Does
  // not wait for another rank.
  void send();
  bool received() const;
  // Whether all are heard that this rank has rung.
  bool acknowledged();
  void abandon() noexcept { sent_.clear(); }

 private:
  const Comm& comm_;
  const Reach& reach_;
  std::vector<MPI_Request> sent_;
};

// How a holder unpacks pieces from ranks that its plan does not name: an unpack program for each kind of piece, which
// the source sends with the first such piece, under a number of its own. So no rank needs a plan for all ranks that may
// ever send to it. Local.

class UnpackPrograms {
 public:
  // The number of this rank's unpack program for what is packed so.
  std::int64_t number(const Outgoing& out) { return numbers_.try_emplace(&out, std::ssize(numbers_)).first->second; }
  // Appends to a message to `to` whether it has the unpack program of that number and source with it, and the unpack
  // program where `to` was never told it.
  void encode(std::vector<std::int64_t>& words, std::pair<int, std::int64_t> source_and_number, int to,
              const CopyProgram& unpack_program);
  // What encode() has written at `at`, which becomes what follows it. The unpack program stays where it is until
  // forget().
  const CopyProgram& decode(const std::vector<std::int64_t>& words, std::size_t& at,
                            std::pair<int, std::int64_t> source_and_number);
  // All of them; all ranks do at once.
  void forget() noexcept;
  // What unpack programs take, and the notes on who has them.
  std::int64_t bytes() const noexcept;

 private:
  std::map<const Outgoing*, std::int64_t> numbers_;                      // of this rank's
  std::set<std::tuple<int, std::int64_t, int>> sent_;                    // source, number, to whom
  std::map<std::pair<int, std::int64_t>, CopyProgram> unpack_programs_;  // of others
  std::int64_t program_bytes_ = 0;                                       // of unpack_programs_
};

// Forwarding: pieces that could not be copied straight into their tile are sent to the tile's holder. A message to a
// holder that the plan does not name has its pieces and, the first time a rank gets a piece of its kind, the program
// that unpacks it, so that no rank needs a plan for all ranks that may ever send to it; an owner that the plan names
// knows where its pieces go. Sends do not wait; what comes is placed straight into the tile it belongs to. A message
// goes from a rank to a holder once a cycle, however many variables the cycle has. With two hops a message may first
// go, whole, to a relay, which passes its pieces on to their holders. One thread at a time.
//
// A message is sent in two parts. Its words describe it; they are received at once and in order, so that an unpack
// program is known before any piece that needs it. Its bytes are received when their cycle's pending write is known and
// there is room: until then MPI keeps them. Pieces that end here have room of their own, which never waits for another
// rank; relayed pieces keep their room until the holders have them.

// What a rank has sent: messages, those of them that went to a relay, and their bytes.
struct Traffic {
  std::int64_t messages = 0, relayed = 0, message_bytes = 0;
};

class Transport {
 public:
  // Where the time goes that placing takes.
  struct Times {
    Trace& trace;
    Tally& tally;
  };
  // Collective over `comm`.
  Transport(const Comm& comm, const Reach& reach, Staging& staging, const Times& times, const Deadline& deadline);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Sends this rank's pieces of the cycle's entries to the relay it was told, all of them.
  void send_to_relay(const Cycle& cycle, const std::vector<Entry>& entries);
  // Sends this rank's pieces, which are packed, to the holders, and places those for its own tiles.
  void send(const Cycle& cycle, const std::vector<Entry>& entries);
  // Takes the words that have come, and forgets the messages that are taken.
  void listen();
  // Takes and counts what has come for a pending write; of messages to pass on only where `relay`. A failure names a
  // rank that has put something else in the cycle.
  Status receive(PendingPuts& pending, bool relay);
  // Whether a message is under way that this rank has sent.
  bool sending() const noexcept { return !pending_sends_.empty(); }
  // Whether a message is, that this rank has sent or has heard of.
  bool under_way() const noexcept { return !pending_sends_.empty() || !coming_.empty(); }
  // Whether the messages of cycles up to this one are sent; their memory is then given back.
  bool sent(std::uint32_t cycle);
  // Ranks that have not taken a message of these cycles: "3, 5".
  std::string slow(std::uint32_t cycle) const;
  DesyncNotice& desync_notice() noexcept { return desync_notice_; }
  // Forgets all unpack programs; all ranks do at once, with nothing under way.
  void forget();
  // What unpack programs take, and the notes on who has them.
  std::int64_t recipe_bytes() const noexcept { return unpack_programs_.bytes(); }
  // Takes and throws away whatever is under way, until all ranks have done so. Collective.
  void drain(const Deadline& deadline);
  void abandon() noexcept;

  const Traffic& traffic() const noexcept { return traffic_; }

 private:
  // A part of a message: what one put of its source has for one owner. `what` it is of is alike on all ranks; the
  // unpack program has a number which its source gives.
  struct Section {
    Slot holder;
    int owner;
    std::size_t entry;
    std::int64_t what;
    std::int64_t number;
    const CopyProgram* unpack_program;
    std::byte* at;
    std::int64_t bytes;
  };
  // Receive memory, used from its beginning, and given back when no rank uses it any more.
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
    Area* area;  // that its bytes lie in; nullptr: the send memory
    std::vector<std::int64_t> words;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };
  // A message whose words have come.
  struct PendingReceive {
    std::uint32_t cycle = 0;
    bool relay = false;  // to be passed on
    int source = 0;      // whose pieces they are
    int sender = 0;
    int tag = 0;
    std::int64_t bytes = 0;
    std::vector<Section> sections;
    bool begun = false;
    std::byte* at = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  // Which message `sections_` become.
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

  Comm comm_;  // its own, so that what is probed for is its own
  double timeout_seconds_;
  const Reach& reach_;
  Staging& staging_;
  Times times_;
  Area ending_, passing_;  // for what ends here, and what is passed on
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
