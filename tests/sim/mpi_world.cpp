// SPDX-License-Identifier: Apache-2.0
#include "mpi_world.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sim {

namespace {

std::vector<std::byte> packed(const void* buffer, int count, MPI_Datatype type) {
  int bytes = 0, position = 0;
  PMPI_Pack_size(count, type, MPI_COMM_SELF, &bytes);
  if (bytes == 0) return {};
  std::vector<std::byte> data(static_cast<std::size_t>(bytes));
  PMPI_Pack(buffer, count, type, data.data(), bytes, &position, MPI_COMM_SELF);
  data.resize(static_cast<std::size_t>(position));
  return data;
}

void unpack(const std::vector<std::byte>& data, void* buffer, int count, MPI_Datatype type) {
  int position = 0;
  if (!data.empty())
    PMPI_Unpack(data.data(), static_cast<int>(data.size()), &position, buffer, count, type, MPI_COMM_SELF);
}

int size_of(MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return bytes;
}

// So many elements, of what may be the beginning only.
int elements(int bytes, MPI_Datatype type) {
  const int size = size_of(type);
  return size == 0 ? 0 : bytes / size;
}

bool fits(const Message& message, int from, int tag) {
  return (from == MPI_ANY_SOURCE || message.from == from) && (tag == MPI_ANY_TAG || message.tag == tag);
}

// Of those that fit and have come by now; the end, where none has.
std::deque<Message>::iterator first_come(std::deque<Message>& queue, double now, int from, int tag) {
  auto first = queue.end();
  for (auto each = queue.begin(); each != queue.end(); ++each)
    if (each->arrives <= now && fits(*each, from, tag) && (first == queue.end() || each->arrives < first->arrives))
      first = each;
  return first;
}

}  // namespace

MpiWorld* MpiWorld::used_ = nullptr;

int Communicator::rank_of(int process) const {
  const auto found = std::find(members.begin(), members.end(), process);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

MpiWorld::MpiWorld(Machine& machine, const MpiManner& options) : machine_(machine), options_(options) {
  std::vector<int> all(machine.processes().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  make_communicator(std::move(all));
}

MpiWorld::~MpiWorld() {
  for (MPI_Datatype& type : types_) PMPI_Type_free(&type);
}

int MpiWorld::make_communicator(std::vector<int> members) {
  Communicator made;
  made.next.resize(members.size());
  made.queue.resize(members.size());
  made.posted.resize(members.size());
  made.members = std::move(members);
  communicators_.push_back(std::move(made));
  return static_cast<int>(communicators_.size()) - 1;
}

int MpiWorld::make_request(Request::Kind kind, int communicator) {
  int number = static_cast<int>(requests_.size());
  if (free_.empty())
    requests_.emplace_back();
  else
    number = free_.back(), free_.pop_back();
  Request& made = request(number);
  made = Request{};
  made.kind = kind;
  made.process = machine_.rank();
  made.communicator = communicator;
  return number;
}

void MpiWorld::free_request(int number) {
  request(number).kind = Request::Kind::free;
  free_.push_back(number);
}

// ---- messages

int MpiWorld::send(int communicator, const void* buffer, int count, MPI_Datatype type, int to, int tag,
                   bool synchronous) {
  Communicator& on = this->communicator(communicator);
  const int from = on.rank_of(machine_.rank()), bytes = count * size_of(type);
  const int number = make_request(Request::Kind::send, communicator);
  const bool eager = bytes <= options_.eager_bytes;
  double& last = on.last[{from, to}];
  const double takes = machine_.chance().scaled(options_.latency, options_.most_latency);
  last = std::max(last, machine_.now() + takes + bytes / options_.bytes_a_second);
  Message message{from,   tag,   last, eager, eager ? packed(buffer, count, type) : std::vector<std::byte>(),
                  buffer, count, type, bytes, number};
  if (eager && !synchronous) {
    request(number).matched = true;
    request(number).done = machine_.now();
    message.request = -1;
  }
  on.queue[static_cast<std::size_t>(to)].push_back(std::move(message));
  return number;
}

int MpiWorld::receive(int communicator, void* buffer, int count, MPI_Datatype type, int from, int tag) {
  const int number = make_request(Request::Kind::receive, communicator);
  Request& made = request(number);
  made.buffer = buffer, made.count = count, made.type = type, made.from = from, made.tag = tag;
  Communicator& on = this->communicator(communicator);
  const int here = on.rank_of(machine_.rank());
  on.posted[static_cast<std::size_t>(here)].push_back(number);
  match(communicator, here);
  return number;
}

bool MpiWorld::sender_lives(int communicator, const Message& message) {
  const int process = this->communicator(communicator).members[static_cast<std::size_t>(message.from)];
  return machine_.processes()[static_cast<std::size_t>(process)].alive;
}

// The receives that were posted first take the messages that have come first.
void MpiWorld::match(int communicator, int receiver) {
  Communicator& on = this->communicator(communicator);
  std::deque<Message>& queue = on.queue[static_cast<std::size_t>(receiver)];
  std::vector<int>& posted = on.posted[static_cast<std::size_t>(receiver)];
  for (auto each = posted.begin(); each != posted.end() && !queue.empty();) {
    Request& request = this->request(*each);
    const auto first = first_come(queue, machine_.now(), request.from, request.tag);
    if (first == queue.end()) {
      ++each;
      continue;
    }
    each = posted.erase(each);
    give(request, std::move(*first));
    queue.erase(first);
  }
}

const Message* MpiWorld::probe(int communicator, int from, int tag) {
  std::deque<Message>& queue = this->communicator(communicator).queue_of(machine_.rank());
  const auto first = first_come(queue, machine_.now(), from, tag);
  return first == queue.end() ? nullptr : &*first;
}

std::optional<Message> MpiWorld::take(int communicator, int from, int tag) {
  std::deque<Message>& queue = this->communicator(communicator).queue_of(machine_.rank());
  const auto first = first_come(queue, machine_.now(), from, tag);
  if (first == queue.end()) return std::nullopt;
  std::optional<Message> taken(std::move(*first));
  queue.erase(first);
  return taken;
}

// The data of a large one leave the sender's memory now, if there still is a sender.
void MpiWorld::give(Request& into, Message message) {
  if (!message.eager && !sender_lives(into.communicator, message)) return;
  if (!message.eager) message.data = packed(message.buffer, message.count, message.type);
  into.matched = true;
  into.done = machine_.now() + (message.eager ? 0 : message.bytes / options_.bytes_a_second);
  if (message.request >= 0) {
    request(message.request).matched = true;
    request(message.request).done = into.done + options_.latency;
  }
  into.message = std::move(message);
}

int MpiWorld::keep(int communicator, Message message) {
  kept_.emplace_back(communicator, std::move(message));
  return static_cast<int>(kept_.size()) - 1;
}

int MpiWorld::receive_kept(int kept, void* buffer, int count, MPI_Datatype type) {
  auto& [communicator, message] = kept_[static_cast<std::size_t>(kept)];
  const int number = make_request(Request::Kind::receive, communicator);
  Request& made = request(number);
  made.buffer = buffer, made.count = count, made.type = type;
  made.taken = true;
  give(made, std::move(message));
  return number;
}

// ---- calls that all make

std::int64_t MpiWorld::come_together(int communicator, const char* call, std::vector<std::byte> given,
                                     MPI_Datatype type, MPI_Op op, int root) {
  Communicator& on = this->communicator(communicator);
  const auto rank = static_cast<std::size_t>(on.rank_of(machine_.rank()));
  const std::int64_t number = on.next[rank]++;
  const bool first = number == std::ssize(on.together);
  Together& together = first ? on.together.emplace_back() : on.together[static_cast<std::size_t>(number)];
  if (first) {
    together.call = call;
    together.there.resize(on.members.size());
    together.given.resize(on.members.size());
    together.type = type, together.op = op, together.root = root;
  }
  if (together.call != call || together.root != root)
    machine_.story().violated("rank " + std::to_string(machine_.rank()) + " calls " + call +
                              " where another one calls " + together.call);
  const bool alike = together.call == "MPI_Iallreduce" || together.call == "MPI_Ibcast";
  const auto other = std::find(together.there.begin(), together.there.end(), 1) - together.there.begin();
  if (alike && !first && together.given[static_cast<std::size_t>(other)].size() != given.size())
    machine_.story().violated("rank " + std::to_string(machine_.rank()) + " gives " + std::to_string(given.size()) +
                              " bytes to " + call + " where another one gives " +
                              std::to_string(together.given[static_cast<std::size_t>(other)].size()));
  together.there[rank] = 1;
  together.given[rank] = std::move(given);
  ++together.came;
  return number;
}

int MpiWorld::split(int communicator, const char* call, int color, int key) {
  std::vector<std::byte> given(2 * sizeof(int));
  std::memcpy(given.data(), &color, sizeof color);
  std::memcpy(given.data() + sizeof color, &key, sizeof key);
  const std::int64_t number = come_together(communicator, call, std::move(given), MPI_DATATYPE_NULL, MPI_OP_NULL, -1);
  const Key meeting{3 + static_cast<std::uint64_t>(communicator) * 16, static_cast<std::uint64_t>(number)};
  if (this->communicator(communicator).all_came(number))
    machine_.wake(meeting, static_cast<int>(machine_.processes().size()));
  while (!this->communicator(communicator).all_came(number)) machine_.wait(meeting, 1e300);
  if (color == MPI_UNDEFINED) return -1;
  Together& together = this->communicator(communicator).together[static_cast<std::size_t>(number)];
  const auto [made, first] = together.communicators.try_emplace(color, -1);
  if (!first) return made->second;
  std::vector<std::pair<int, int>> members;  // key, process
  for (std::size_t i = 0; i < together.given.size(); ++i) {
    int words[2];
    std::memcpy(words, together.given[i].data(), sizeof words);
    if (words[0] == color) members.emplace_back(words[1], this->communicator(communicator).members[i]);
  }
  std::stable_sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> processes;
  for (const auto& [key_of, process] : members) processes.push_back(process);
  return made->second = make_communicator(std::move(processes));
}

void MpiWorld::reduce(Request& request, const Together& together) {
  std::vector<std::byte> sum = together.given.front();
  if (!machine_.story().violation().empty()) return;  // the lengths may differ
  for (std::size_t i = 1; i < together.given.size(); ++i)
    PMPI_Reduce_local(together.given[i].data(), sum.data(), request.count, request.type, together.op);
  if (!sum.empty()) std::memcpy(request.buffer, sum.data(), sum.size());
}

void MpiWorld::put_result(Request& request) {
  Communicator& on = communicator(request.communicator);
  Together& together = on.together[static_cast<std::size_t>(request.number)];
  if (together.call == "MPI_Iallreduce") reduce(request, together);
  if (together.call == "MPI_Ibcast")
    unpack(together.given[static_cast<std::size_t>(together.root)], request.buffer, request.count, request.type);
  if (together.call == "MPI_Iallgather" || together.call == "MPI_Iallgatherv") {
    MPI_Aint lower = 0, extent = 0;
    PMPI_Type_get_extent(request.type, &lower, &extent);
    for (std::size_t i = 0; i < together.given.size(); ++i)
      unpack(together.given[i], static_cast<std::byte*>(request.buffer) + request.places[i] * extent, request.counts[i],
             request.type);
  }
  if (together.call == "MPI_Comm_idup") {
    const auto [made, first] = together.communicators.try_emplace(0, 0);
    if (first) made->second = make_communicator(communicator(request.communicator).members);
    *request.made = to_handle<MPI_Comm>(made->second);
  }
}

// ---- the end of requests

bool MpiWorld::may_complete(int number) {
  Request& asked = request(number);
  if (asked.kind == Request::Kind::receive && !asked.matched && !asked.taken)
    match(asked.communicator, communicator(asked.communicator).rank_of(asked.process));
  if (asked.kind == Request::Kind::together && !asked.matched) {
    const Together& together = communicator(asked.communicator).together[static_cast<std::size_t>(asked.number)];
    const bool by_root = together.call == "MPI_Ibcast";
    const bool there = by_root ? together.there[static_cast<std::size_t>(together.root)] != 0
                               : communicator(asked.communicator).all_came(asked.number);
    if (there) {
      asked.matched = true;
      asked.done = machine_.now() + machine_.chance().scaled(options_.latency, options_.most_latency);
    }
  }
  return asked.matched && asked.done <= machine_.now();
}

void MpiWorld::finish(int number, MPI_Status* status) {
  Request& asked = request(number);
  if (asked.kind == Request::Kind::together) put_result(asked);
  if (asked.kind == Request::Kind::receive) {
    const int bytes = static_cast<int>(asked.message.data.size());
    if (bytes > asked.count * size_of(asked.type))
      machine_.story().violated("a message of " + std::to_string(bytes) + " bytes is received into a smaller place");
    else
      unpack(asked.message.data, asked.buffer, elements(bytes, asked.type), asked.type);
    if (status != MPI_STATUS_IGNORE) {
      status->MPI_SOURCE = asked.message.from;
      status->MPI_TAG = asked.message.tag;
      PMPI_Status_set_elements(status, MPI_BYTE, bytes);
    }
  }
  free_request(number);
}

}  // namespace sim
