// SPDX-License-Identifier: Apache-2.0
// MPI as its standard promises it, and no better: messages of a pair of ranks come in their order, others in any; a
// large one is in its sender's memory until it is taken; a call that all ranks make comes back when the standard says
// it may. What types mean, packing and adding up, is the real library's work.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"

namespace sim {

// How the simulated network and library are.
struct MpiManner {
  int thread_level = MPI_THREAD_FUNNELED;
  int eager_bytes = 4096;  // a message up to that size is buffered
  double latency = 2e-6;   // seconds, at least
  double most_latency = 1e-4;
  double bytes_a_second = 1e10;
};

struct Message {
  int from;  // of the communicator
  int tag;
  double arrives;
  bool eager;
  std::vector<std::byte> data;  // of an eager one; of another one it is in the sender's memory until taken
  const void* buffer;
  int count;
  MPI_Datatype type;
  int bytes;
  int request;  // the sender's; -1: it has ended
};

// A call that all ranks of a communicator make.
struct Together {
  std::string call;
  int came = 0;
  std::vector<char> there;                    // by rank
  std::vector<std::vector<std::byte>> given;  // by rank
  std::map<std::int64_t, int> communicators;  // made by it, by color
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  int root = -1;
};

struct Communicator {
  std::vector<int> members;                    // processes
  std::vector<std::int64_t> next;              // by rank: number of its next call together
  std::deque<Together> together;               // by number
  std::vector<std::deque<Message>> queue;      // by receiver, in the order of sending
  std::vector<std::vector<int>> posted;        // by receiver: requests that wait for a message
  std::map<std::pair<int, int>, double> last;  // arrival of a pair's last message

  int rank_of(int process) const;
  std::deque<Message>& queue_of(int process) { return queue[static_cast<std::size_t>(rank_of(process))]; }
  // All take part in the call of this number.
  bool all_came(std::int64_t number) const {
    return together[static_cast<std::size_t>(number)].came == static_cast<int>(members.size());
  }
};

struct Request {
  enum class Kind { free, send, receive, together } kind = Kind::free;
  int process = -1;
  int communicator = -1;
  bool matched = false;
  bool taken = false;  // by a probe: no other message is meant
  double done = 0;     // from when on it can be complete, once matched
  // A message.
  Message message{};       // that is received
  int from = 0, tag = 0;   // wanted
  void* buffer = nullptr;  // or the result's place
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  // A call together.
  std::int64_t number = 0;
  MPI_Comm* made = nullptr;
  std::vector<int> counts, places;  // MPI_Iallgatherv
};

class MpiWorld {
 public:
  MpiWorld(Machine& machine, const MpiManner& options);
  ~MpiWorld();
  MpiWorld(const MpiWorld&) = delete;
  MpiWorld& operator=(const MpiWorld&) = delete;

  static MpiWorld* used() noexcept { return used_; }
  static void use(MpiWorld* world) noexcept { used_ = world; }

  const MpiManner& options() const noexcept { return options_; }
  Machine& machine() noexcept { return machine_; }
  Communicator& communicator(int number) { return communicators_[static_cast<std::size_t>(number)]; }
  Request& request(int number) { return requests_[static_cast<std::size_t>(number)]; }
  int make_communicator(std::vector<int> members);
  int make_request(Request::Kind kind, int communicator);
  void free_request(int number);

  // Of the running process.
  int send(int communicator, const void* buffer, int count, MPI_Datatype type, int to, int tag, bool synchronous);
  int receive(int communicator, void* buffer, int count, MPI_Datatype type, int from, int tag);
  // The first message that has come from there, which stays; nullptr: none.
  const Message* probe(int communicator, int from, int tag);
  // The same, taken out of the queue.
  std::optional<Message> take(int communicator, int from, int tag);
  // A message that was taken waits under a number until it is received.
  int keep(int communicator, Message message);
  int receive_kept(int kept, void* buffer, int count, MPI_Datatype type);

  // A type that is given up while messages of it may be under way.
  void keep_until_the_end(MPI_Datatype type) { types_.push_back(type); }

  // The running process takes part in the next call of the communicator; its number.
  std::int64_t come_together(int communicator, const char* call, std::vector<std::byte> given, MPI_Datatype type,
                             MPI_Op op, int root);
  // Waits for all; the running one's part of the communicator: those of its color, by key and rank. -1: of none.
  int split(int communicator, const char* call, int color, int key);

  // Whether a request can be completed now; then, its result into its place, and it is free.
  bool may_complete(int number);
  void finish(int number, MPI_Status* status);

 private:
  void match(int communicator, int receiver);
  void give(Request& request, Message message);
  bool sender_lives(int communicator, const Message& message);
  void put_result(Request& request);
  void reduce(Request& request, const Together& together);

  static MpiWorld* used_;

  Machine& machine_;
  MpiManner options_;
  std::deque<Communicator> communicators_;
  std::deque<Request> requests_;
  std::vector<int> free_;
  std::vector<MPI_Datatype> types_;
  std::vector<std::pair<int, Message>> kept_;  // communicator, message
};

// The handles that stand for them: addresses that nothing has.
template <class Handle>
bool is_ours(Handle handle) {
  static_assert(std::is_pointer_v<Handle>, "the simulated MPI wants handles that are pointers, as Open MPI's");
  return reinterpret_cast<std::uintptr_t>(handle) >> 48 == 0x7abc;
}
template <class Handle>
Handle to_handle(int number) {
  return reinterpret_cast<Handle>((std::uintptr_t{0x7abc} << 48) | static_cast<std::uintptr_t>(number));
}
template <class Handle>
int number_of(Handle handle) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle) & 0x7fffffff);
}

}  // namespace sim
