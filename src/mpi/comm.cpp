// SPDX-License-Identifier: Apache-2.0
#include "mpi/comm.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/host.hpp"
#include "base/text.hpp"

namespace weir {

namespace {

int thread_level() {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

}  // namespace

bool mpi_is_initialised() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  return initialised != 0;
}

int rank_in_job() {
  int rank = 0;
  if (mpi_is_initialised()) check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return rank;
}

bool any_thread_may_call() {
  return mpi_is_initialised() && thread_level() == MPI_THREAD_MULTIPLE;
}

void check_mpi(int result, const char* call, std::source_location where) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(result, text, &length);
  throw Error(WEIR_EMPI, formatted("{} failed: {}", call, text), where);
}

Comm::Comm(MPI_Comm comm) : comm_(comm) {
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

// A process without MPI is alone: MPI_COMM_NULL stands for it, and nothing below asks MPI for anything.
Comm Comm::duplicate(MPI_Comm parent, const Deadline& deadline) {
  if (!mpi_is_initialised()) {
    require(parent == MPI_COMM_NULL || parent == MPI_COMM_SELF, WEIR_EARGUMENT,
            "MPI is not initialised: call MPI_Init or MPI_Init_thread first");
    return {};
  }
  PinnedForMpi made(MPI_Comm{MPI_COMM_NULL});
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Comm_idup(parent, &*made, &request), "MPI_Comm_idup");
  // All ranks agree on its number in several rounds, each of which moves only while they look.
  wait_all(std::span(&request, 1), deadline, "creation of a communicator", Backoff::short_sleep);
  made.returned();
  return Comm(*made);
}

namespace {

// A call of MPI that this thread makes itself cannot be left, and a rank that ends within it would leave the others in
// it for as long as the job may run: ends the program with a sentence, if it still lives after `seconds`.
class WaitTimedOut {
 public:
  WaitTimedOut(int rank, double seconds) : watch_([this, rank, seconds] { wait(rank, seconds); }) {}
  ~WaitTimedOut() {
    returned_.set_value();
    watch_.join();
  }
  WaitTimedOut(const WaitTimedOut&) = delete;
  WaitTimedOut& operator=(const WaitTimedOut&) = delete;

 private:
  void wait(int rank, double seconds) {
    const auto returned = returned_.get_future();
    if (returned.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready) return;
    std::fprintf(stderr,
                 "weir: rank %d: creation of a communicator: a rank has ended or hangs, and MPI has not returned "
                 "within %g s; this program ends here, because a blocked MPI call cannot be abandoned (initialised "
                 "with MPI_THREAD_MULTIPLE it would get WEIR_ETIMEOUT)\n",
                 rank, seconds);
    std::_Exit(EXIT_FAILURE);
  }

  std::promise<void> returned_;
  std::thread watch_;
};

// A call that makes a communicator of `parent`; this thread makes none meanwhile. What is behind a deadline is left
// alone with all that it knows.
template <class Make>
MPI_Comm make_together(const Comm& parent, const Deadline& deadline, Make make) {
  barrier(parent, deadline, "creation of a communicator");
  if (!any_thread_may_call()) {
    const WaitTimedOut watch(parent.number(), deadline.seconds());
    return make();
  }
  struct Call {
    std::promise<MPI_Comm> promise;
    std::future<MPI_Comm> made = promise.get_future();
  };
  const auto call = std::make_shared<Call>();
  std::thread([call, make] {
    try {
      call->promise.set_value(make());
    } catch (...) {
      call->promise.set_exception(std::current_exception());
    }
  }).detach();
  constexpr auto between_looks = std::chrono::milliseconds(10);
  while (call->made.wait_for(between_looks) != std::future_status::ready)
    require(!deadline.passed(), WEIR_ETIMEOUT, "creation of a communicator: a rank has ended meanwhile");
  return call->made.get();
}

// Processes of one space see each other by number, which sharing of memory wants: containers of their own keep ranks of
// one machine apart.
std::int64_t process_space() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::int64_t>(status.st_ino) : 0;
}

}  // namespace

Comm Comm::of_host(const Comm& parent, const Deadline& deadline) {
  if (alone(parent)) return {};
  Comm host(make_together(parent, deadline, [all = parent.comm_, rank = parent.rank_] {
    MPI_Comm comm = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm), "MPI_Comm_split_type");
    return comm;
  }));
  const std::int64_t mine = process_space();
  const std::vector<std::int64_t> spaces = allgather(host, std::span(&mine, 1), deadline, "survey of hosts");
  if (std::count(spaces.begin(), spaces.end(), spaces.front()) == std::ssize(spaces)) return host;
  return host.split(static_cast<int>(std::find(spaces.begin(), spaces.end(), mine) - spaces.begin()), deadline);
}

Comm Comm::split(int color, const Deadline& deadline, std::optional<int> key) const {
  if (alone(*this)) return {};
  Comm part(make_together(*this, deadline, [all = comm_, place = key.value_or(rank_), color] {
    MPI_Comm comm = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split(all, color, place, &comm), "MPI_Comm_split");
    return comm;
  }));
  part.numbers_ = numbers_;
  return part;
}

std::string Comm::listed(std::span<const int> ranks) const {
  std::vector<int> numbers(ranks.size());
  std::transform(ranks.begin(), ranks.end(), numbers.begin(), numbers_);
  return join_numbers(numbers);
}

Comm::Comm(Comm&& other) noexcept
    : comm_(std::exchange(other.comm_, MPI_COMM_NULL)),
      rank_(other.rank_),
      size_(other.size_),
      numbers_(other.numbers_),
      reduction_(std::move(other.reduction_)) {}

Comm& Comm::operator=(Comm&& other) noexcept {
  if (this == &other) return *this;
  free();
  comm_ = std::exchange(other.comm_, MPI_COMM_NULL);
  rank_ = other.rank_;
  size_ = other.size_;
  numbers_ = other.numbers_;
  reduction_ = std::move(other.reduction_);
  return *this;
}

// Who waits lets MPI do what it can of what this rank has begun.
void Comm::reduce_in_memory(std::vector<HostReduction::Slot*> slots) {
  const auto look = [comm = comm_] {
    int there = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  };
  reduction_ = slots.empty() || alone(*this) ? HostReduction() : HostReduction(std::move(slots), rank_, look);
}

// After an error other ranks may be elsewhere, and for those a collective free would wait.
Comm::~Comm() {
  if (std::uncaught_exceptions() == 0) free();
}

void Comm::free() noexcept {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (comm_ != MPI_COMM_NULL && !finalized) MPI_Comm_free(&comm_);
}

void wait_all(std::span<MPI_Request> requests, const Deadline& deadline, std::string_view what, int longest_sleep) {
  require(requests.size() <= INT_MAX, WEIR_EINTERNAL, "more requests than MPI can wait for");
  for (Backoff backoff;; backoff.pause(longest_sleep)) {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    if (done) return;
    if (deadline.passed()) give_up(what, deadline);
  }
}

namespace {

using Words = std::vector<std::int64_t>;
constexpr int direct_tag = 8;

template <class Value>
void wait_one(MPI_Request request, PinnedForMpi<Value>& memory, const Deadline& deadline, std::string_view what) {
  wait_all(std::span(&request, 1), deadline, what);
  memory.returned();
}

void allreduce(const Comm& comm, std::span<std::int64_t> values, MPI_Op op, const Deadline& deadline,
               std::string_view what) {
  if (alone(comm)) return;
  PinnedForMpi memory(Words(values.begin(), values.end()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallreduce(MPI_IN_PLACE, memory->data(), static_cast<int>(values.size()), MPI_INT64_T, op, comm.raw(),
                           &request),
            "MPI_Iallreduce");
  wait_one(request, memory, deadline, what);
  std::copy(memory->begin(), memory->end(), values.begin());
}

}  // namespace

void barrier(const Comm& comm, const Deadline& deadline, std::string_view what) {
  std::int64_t nothing = 0;
  allreduce_max(comm, std::span(&nothing, 1), deadline, what);
}

void send(const Comm& comm, std::span<const std::byte> bytes, int to, const Deadline& deadline, std::string_view what) {
  require(bytes.size() <= INT_MAX, WEIR_EINTERNAL, "a message is longer than MPI can count");
  PinnedForMpi memory(std::vector<std::byte>(bytes.begin(), bytes.end()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Issend(memory->data(), static_cast<int>(memory->size()), MPI_BYTE, to, direct_tag, comm.raw(), &request),
      "MPI_Issend");
  wait_one(request, memory, deadline, what);
}

void receive(const Comm& comm, std::span<std::byte> bytes, int from, const Deadline& deadline, std::string_view what) {
  require(bytes.size() <= INT_MAX, WEIR_EINTERNAL, "a message is longer than MPI can count");
  PinnedForMpi memory(std::vector<std::byte>(bytes.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(
      MPI_Irecv(memory->data(), static_cast<int>(memory->size()), MPI_BYTE, from, direct_tag, comm.raw(), &request),
      "MPI_Irecv");
  wait_one(request, memory, deadline, what);
  std::copy(memory->begin(), memory->end(), bytes.begin());
}

bool receive_if_there(const Comm& comm, int& source, int tag, std::vector<std::int64_t>& words,
                      const Deadline& deadline) {
  if (alone(comm)) return false;
  int there = 0, count = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(source, tag, comm.raw(), &there, &message, &status), "MPI_Improbe");
  if (there == 0) return false;
  check_mpi(MPI_Get_count(&status, MPI_INT64_T, &count), "MPI_Get_count");
  source = status.MPI_SOURCE;
  words.resize(static_cast<std::size_t>(count));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(words.data(), count, MPI_INT64_T, &message, &request), "MPI_Imrecv");
  try {
    wait_all(std::span(&request, 1), deadline, "a message");
  } catch (const Error&) {
    static_cast<void>(new Words(std::move(words)));  // the rest of it may come yet
    throw;
  }
  return true;
}

void allreduce_max(const Comm& comm, std::span<std::int64_t> values, const Deadline& deadline, std::string_view what) {
  if (comm.reduction().takes(values.size())) return comm.reduction().max(values, deadline, what);
  allreduce(comm, values, MPI_MAX, deadline, what);
}

void allreduce_sum(const Comm& comm, std::span<std::int64_t> values, const Deadline& deadline, std::string_view what) {
  allreduce(comm, values, MPI_SUM, deadline, what);
}

void broadcast(const Comm& comm, std::span<std::int64_t> values, int root, const Deadline& deadline,
               std::string_view what) {
  if (alone(comm)) return;
  PinnedForMpi memory(Words(values.begin(), values.end()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(memory->data(), static_cast<int>(values.size()), MPI_INT64_T, root, comm.raw(), &request),
            "MPI_Ibcast");
  wait_one(request, memory, deadline, what);
  std::copy(memory->begin(), memory->end(), values.begin());
}

void broadcast(const Comm& comm, std::vector<std::byte>& bytes, int root, const Deadline& deadline,
               std::string_view what) {
  if (alone(comm)) return;
  std::int64_t length = static_cast<std::int64_t>(bytes.size());
  broadcast(comm, std::span(&length, 1), root, deadline, what);
  require(length <= INT_MAX, WEIR_EARGUMENT, "{}: {} bytes of definitions are too many", what, length);
  // The others are in the broadcast by now: a rank that cannot take part makes no further agreement.
  const Status room = outcome_of([&] { return bytes.resize(static_cast<std::size_t>(length)), Status(); });
  require(room.ok(), WEIR_EMPI, "{}: no memory for {} bytes that the other ranks send; {}", what, length, room.message);
  PinnedForMpi memory(std::move(bytes));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibcast(memory->data(), static_cast<int>(length), MPI_BYTE, root, comm.raw(), &request), "MPI_Ibcast");
  wait_one(request, memory, deadline, what);
  bytes = std::move(*memory);
}

void broadcast_from_0(const Comm& comm, Status& status, std::vector<std::byte>& bytes, const Deadline& deadline,
                      std::string_view what) {
  std::vector<std::byte> sent;
  if (comm.rank() == 0) ArchiveWriter{sent}(status, bytes);
  broadcast(comm, sent, 0, deadline, what);
  ArchiveReader{sent}(status, bytes);
}

std::vector<int> allgather(const Comm& comm, int value, const Deadline& deadline, std::string_view what) {
  if (alone(comm)) return {value};
  PinnedForMpi memory(std::vector<int>(static_cast<std::size_t>(comm.size()), value));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory->data(), 1, MPI_INT, comm.raw(), &request),
            "MPI_Iallgather");
  wait_one(request, memory, deadline, what);
  return std::move(*memory);
}

std::vector<std::int64_t> allgather(const Comm& comm, std::span<const std::int64_t> values, const Deadline& deadline,
                                    std::string_view what) {
  if (alone(comm)) return {values.begin(), values.end()};
  struct Gathered {
    std::vector<int> counts, places;
    std::vector<std::int64_t> mine, all;
  };
  require(values.size() < static_cast<std::size_t>(INT_MAX), WEIR_EARGUMENT, "too many numbers for one gather");
  PinnedForMpi memory(Gathered{allgather(comm, static_cast<int>(values.size()), deadline, what), {}, {}, {}});
  std::int64_t total = 0;
  for (const int count : memory->counts) {
    memory->places.push_back(static_cast<int>(total));
    total += count;
  }
  require(total < INT_MAX, WEIR_EARGUMENT, "too many numbers for one gather");
  memory->mine.assign(values.begin(), values.end());
  memory->all.resize(static_cast<std::size_t>(total));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgatherv(memory->mine.data(), static_cast<int>(memory->mine.size()), MPI_INT64_T, memory->all.data(),
                            memory->counts.data(), memory->places.data(), MPI_INT64_T, comm.raw(), &request),
            "MPI_Iallgatherv");
  wait_one(request, memory, deadline, what);
  return std::move(memory->all);
}

Comm host_of(const Comm& comm, int ranks_per_host, const Deadline& deadline) {
  Comm host = Comm::of_host(comm, deadline);
  if (ranks_per_host > 0) host = host.split(host_part(host.rank(), ranks_per_host), deadline);
  return host;
}

std::vector<int> leaders_of(const Comm& comm, const Comm& host, const Deadline& deadline) {
  std::int64_t leader = -comm.rank();
  allreduce_max(host, std::span(&leader, 1), deadline, "survey of hosts");
  return allgather(comm, static_cast<int>(-leader), deadline, "survey of hosts");
}

MPI_Datatype mpi_type(Type type) noexcept {
  switch (type) {
    case WEIR_BYTE:
      return MPI_SIGNED_CHAR;
    case WEIR_CHAR:
    case WEIR_STRING:
      return MPI_CHAR;
    case WEIR_SHORT:
      return MPI_SHORT;
    case WEIR_INT:
      return MPI_INT;
    case WEIR_FLOAT:
      return MPI_FLOAT;
    case WEIR_DOUBLE:
      return MPI_DOUBLE;
    case WEIR_UBYTE:
      return MPI_UNSIGNED_CHAR;
    case WEIR_USHORT:
      return MPI_UNSIGNED_SHORT;
    case WEIR_UINT:
      return MPI_UNSIGNED;
    case WEIR_INT64:
      return MPI_LONG_LONG_INT;
    case WEIR_UINT64:
      break;
  }
  return MPI_UNSIGNED_LONG_LONG;
}

}  // namespace weir
