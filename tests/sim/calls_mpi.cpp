// SPDX-License-Identifier: Apache-2.0
// The calls of MPI that the library makes, under their own names, as the standard's profiling interface has it: of the
// simulated processes' communicators they are answered here, all others by the real library.
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "mpi_world.hpp"

namespace {

using sim::is_ours;
using sim::Machine;
using sim::MpiWorld;
using sim::number_of;
using sim::Request;
using sim::to_handle;

constexpr double seconds_a_call = 3e-7;

// The world that a simulated process means.
bool meant(MPI_Comm& comm) {
  if (comm == MPI_COMM_WORLD && Machine::running()) comm = to_handle<MPI_Comm>(0);
  return is_ours(comm);
}

// A call: the process may die before it, other threads run, and no two threads of it may be in one where the level of
// threads forbids it.
class Call {
 public:
  explicit Call(const char* name) : process_(Machine::running()->process()) {
    Machine& machine = *Machine::running();
    const int level = MpiWorld::used()->options().thread_level;
    if (level < MPI_THREAD_SERIALIZED && !machine.task().main)
      machine.story().violated(std::string(name) + " by another thread than the main one");
    if (level < MPI_THREAD_MULTIPLE && process_.in_mpi > 0)
      machine.story().violated(std::string(name) + " while another thread of the rank is in MPI");
    ++process_.in_mpi;
    machine.point(name);
    machine.pass(seconds_a_call);
  }
  ~Call() { --process_.in_mpi; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  sim::Process& process_;
};

// The real library's work for one process, of which nothing is simulated but its beginning.
class Outside {
 public:
  explicit Outside(const char* name) {
    if (Machine::running()) const Call here(name);
    machine_ = Machine::leave();
  }
  ~Outside() { Machine::enter(machine_); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  Machine* machine_ = nullptr;
};

std::vector<std::byte> bytes_of(const void* buffer, int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  const auto* first = static_cast<const std::byte*>(buffer);
  return {first, first + static_cast<std::ptrdiff_t>(count) * size};
}

const void* at(const void* buffer, int element, MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  PMPI_Type_get_extent(type, &lower, &extent);
  return static_cast<const std::byte*>(buffer) + element * extent;
}

int begin(MPI_Comm comm, const char* call, std::vector<std::byte> given, void* result, int count, MPI_Datatype type,
          MPI_Op op, int root, MPI_Request* request) {
  MpiWorld& world = *MpiWorld::used();
  const int number = world.make_request(Request::Kind::together, number_of(comm));
  const std::int64_t which = world.come_together(number_of(comm), call, std::move(given), type, op, root);
  Request& made = world.request(number);
  made.number = which, made.buffer = result, made.count = count, made.type = type;
  *request = to_handle<MPI_Request>(number);
  return number;
}

int gather(const char* name, const void* given, int given_count, MPI_Datatype given_type, void* result,
           std::vector<int> counts, std::vector<int> places, MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  const Call here(name);
  MpiWorld& world = *MpiWorld::used();
  const auto rank = static_cast<std::size_t>(world.communicator(number_of(comm)).rank_of(world.machine().rank()));
  std::vector<std::byte> mine = given == MPI_IN_PLACE ? bytes_of(at(result, places[rank], type), counts[rank], type)
                                                      : bytes_of(given, given_count, given_type);
  const int number = begin(comm, name, std::move(mine), result, 0, type, MPI_OP_NULL, -1, request);
  world.request(number).counts = std::move(counts);
  world.request(number).places = std::move(places);
  return MPI_SUCCESS;
}

int send(const char* name, const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         MPI_Request* request) {
  const Call here(name);
  *request = to_handle<MPI_Request>(
      MpiWorld::used()->send(number_of(comm), buffer, count, type, to, tag, std::strcmp(name, "MPI_Issend") == 0));
  return MPI_SUCCESS;
}

void tell_status(const sim::Message& found, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = found.from;
  status->MPI_TAG = found.tag;
  PMPI_Status_set_elements(status, MPI_BYTE, found.bytes);
}

}  // namespace

extern "C" {

int MPI_Query_thread(int* level) {
  if (!Machine::running()) return PMPI_Query_thread(level);
  *level = MpiWorld::used()->options().thread_level;
  return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  if (!meant(comm)) return PMPI_Comm_rank(comm, rank);
  MpiWorld& world = *MpiWorld::used();
  *rank = world.communicator(number_of(comm)).rank_of(world.machine().rank());
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  if (!meant(comm)) return PMPI_Comm_size(comm, size);
  *size = static_cast<int>(MpiWorld::used()->communicator(number_of(comm)).members.size());
  return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return meant(comm) ? MPI_SUCCESS : PMPI_Comm_set_errhandler(comm, handler);
}

int MPI_Comm_free(MPI_Comm* comm) {
  if (!meant(*comm)) return PMPI_Comm_free(comm);
  const Call here("MPI_Comm_free");
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  if (!meant(comm)) return PMPI_Comm_idup(comm, made, request);
  const Call here("MPI_Comm_idup");
  const int number = begin(comm, "MPI_Comm_idup", {}, nullptr, 0, MPI_BYTE, MPI_OP_NULL, -1, request);
  MpiWorld::used()->request(number).made = made;
  return MPI_SUCCESS;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  if (!meant(comm)) return PMPI_Comm_split(comm, color, key, made);
  const Call here("MPI_Comm_split");
  const int number = MpiWorld::used()->split(number_of(comm), "MPI_Comm_split", color, key);
  *made = number < 0 ? MPI_COMM_NULL : to_handle<MPI_Comm>(number);
  return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  if (!meant(comm)) return PMPI_Comm_split_type(comm, type, key, info, made);
  const Call here("MPI_Comm_split_type");
  MpiWorld& world = *MpiWorld::used();
  const int host = world.machine().process().host;
  *made = to_handle<MPI_Comm>(world.split(number_of(comm), "MPI_Comm_split_type", host, key));
  return MPI_SUCCESS;
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!meant(comm)) return PMPI_Isend(buffer, count, type, to, tag, comm, request);
  return send("MPI_Isend", buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!meant(comm)) return PMPI_Issend(buffer, count, type, to, tag, comm, request);
  return send("MPI_Issend", buffer, count, type, to, tag, comm, request);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (!meant(comm)) return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
  const Call here("MPI_Irecv");
  *request = to_handle<MPI_Request>(MpiWorld::used()->receive(number_of(comm), buffer, count, type, from, tag));
  return MPI_SUCCESS;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (!meant(comm)) return PMPI_Iprobe(from, tag, comm, flag, status);
  const Call here("MPI_Iprobe");
  const sim::Message* const found = MpiWorld::used()->probe(number_of(comm), from, tag);
  *flag = found != nullptr;
  if (found) tell_status(*found, status);
  return MPI_SUCCESS;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!meant(comm)) return PMPI_Improbe(from, tag, comm, flag, message, status);
  const Call here("MPI_Improbe");
  std::optional<sim::Message> found = MpiWorld::used()->take(number_of(comm), from, tag);
  *flag = found.has_value();
  if (!found) return MPI_SUCCESS;
  tell_status(*found, status);
  *message = to_handle<MPI_Message>(MpiWorld::used()->keep(number_of(comm), std::move(*found)));
  return MPI_SUCCESS;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  if (!is_ours(*message)) return PMPI_Imrecv(buffer, count, type, message, request);
  const Call here("MPI_Imrecv");
  *request = to_handle<MPI_Request>(MpiWorld::used()->receive_kept(number_of(*message), buffer, count, type));
  *message = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  if (!meant(comm)) return PMPI_Ibarrier(comm, request);
  const Call here("MPI_Ibarrier");
  begin(comm, "MPI_Ibarrier", {}, nullptr, 0, MPI_BYTE, MPI_OP_NULL, -1, request);
  return MPI_SUCCESS;
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  if (!meant(comm)) return PMPI_Ibcast(buffer, count, type, root, comm, request);
  const Call here("MPI_Ibcast");
  begin(comm, "MPI_Ibcast", bytes_of(buffer, count, type), buffer, count, type, MPI_OP_NULL, root, request);
  return MPI_SUCCESS;
}

int MPI_Iallreduce(const void* given, void* result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  if (!meant(comm)) return PMPI_Iallreduce(given, result, count, type, op, comm, request);
  const Call here("MPI_Iallreduce");
  begin(comm, "MPI_Iallreduce", bytes_of(given == MPI_IN_PLACE ? result : given, count, type), result, count, type, op,
        -1, request);
  return MPI_SUCCESS;
}

int MPI_Iallgatherv(const void* given, int given_count, MPI_Datatype given_type, void* result, const int* counts,
                    const int* places, MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  if (!meant(comm))
    return PMPI_Iallgatherv(given, given_count, given_type, result, counts, places, type, comm, request);
  const std::size_t ranks = MpiWorld::used()->communicator(number_of(comm)).members.size();
  return gather("MPI_Iallgatherv", given, given_count, given_type, result, {counts, counts + ranks},
                {places, places + ranks}, type, comm, request);
}

int MPI_Iallgather(const void* given, int given_count, MPI_Datatype given_type, void* result, int count,
                   MPI_Datatype type, MPI_Comm comm, MPI_Request* request) {
  if (!meant(comm)) return PMPI_Iallgather(given, given_count, given_type, result, count, type, comm, request);
  const std::size_t ranks = MpiWorld::used()->communicator(number_of(comm)).members.size();
  std::vector<int> places(ranks);
  for (std::size_t i = 0; i < ranks; ++i) places[i] = static_cast<int>(i) * count;
  return gather("MPI_Iallgather", given, given_count, given_type, result, std::vector<int>(ranks, count),
                std::move(places), type, comm, request);
}

// What is under way goes on with it.
int MPI_Type_free(MPI_Datatype* type) {
  if (!Machine::running()) return PMPI_Type_free(type);
  MpiWorld::used()->keep_until_the_end(*type);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (!is_ours(*request)) return PMPI_Test(request, flag, status);
  const Call here("MPI_Test");
  *flag = MpiWorld::used()->may_complete(number_of(*request));
  if (!*flag) return MPI_SUCCESS;
  MpiWorld::used()->finish(number_of(*request), status);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  const bool ours =
      count > 0 && std::any_of(requests, requests + count, [](MPI_Request each) { return is_ours(each); });
  if (!ours) return PMPI_Testall(count, requests, flag, statuses);
  const Call here("MPI_Testall");
  *flag = std::all_of(requests, requests + count, [](MPI_Request each) {
    return each == MPI_REQUEST_NULL || MpiWorld::used()->may_complete(number_of(each));
  });
  if (!*flag) return MPI_SUCCESS;
  for (MPI_Request* each = requests; each != requests + count; ++each) {
    if (*each != MPI_REQUEST_NULL) MpiWorld::used()->finish(number_of(*each), MPI_STATUS_IGNORE);
    *each = MPI_REQUEST_NULL;
  }
  return MPI_SUCCESS;
}

int MPI_File_open(MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* file) {
  const Outside here("MPI_File_open");
  return PMPI_File_open(comm, path, mode, info, file);
}

int MPI_File_write_at(MPI_File file, MPI_Offset offset, const void* data, int count, MPI_Datatype type,
                      MPI_Status* status) {
  const Outside here("MPI_File_write_at");
  return PMPI_File_write_at(file, offset, data, count, type, status);
}

int MPI_File_sync(MPI_File file) {
  const Outside here("MPI_File_sync");
  return PMPI_File_sync(file);
}

int MPI_File_close(MPI_File* file) {
  const Outside here("MPI_File_close");
  return PMPI_File_close(file);
}
}
