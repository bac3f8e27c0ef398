// SPDX-License-Identifier: Apache-2.0
// MPI calls that SimGrid 3.32 lacks, or has in a form that no MPI library has: its nonblocking collectives send from
// every rank to every rank, or from one to all, one after another. Weir waits for these at once (mpi/comm.cpp), so the
// blocking ones, which go by trees, do the same. A matched probe is an ordinary one where a rank has one thread, and
// memory that is shared within one process needs no synchronizing.
#include <mpi.h>

#include <memory>

namespace {

struct Matched {
  int source, tag;
  MPI_Comm comm;
};

}  // namespace

extern "C" {

int MPI_Iallreduce(const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allreduce(sent, received, count, type, op, comm);
}

int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Iallgather(const void* sent, int count, MPI_Datatype type, void* received, int count_of_each,
                   MPI_Datatype type_of_each, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allgather(sent, count, type, received, count_of_each, type_of_each, comm);
}

int MPI_Iallgatherv(const void* sent, int count, MPI_Datatype type, void* received, const int* counts,
                    const int* places, MPI_Datatype type_of_each, MPI_Comm comm, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Allgatherv(sent, count, type, received, counts, places, type_of_each, comm);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  MPI_Status found;
  const int result = MPI_Iprobe(source, tag, comm, flag, &found);
  if (result != MPI_SUCCESS || *flag == 0) return result;
  *message = new Matched{found.MPI_SOURCE, found.MPI_TAG, comm};
  if (status != MPI_STATUS_IGNORE) *status = found;
  return MPI_SUCCESS;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const std::unique_ptr<Matched> matched(static_cast<Matched*>(*message));
  *message = MPI_MESSAGE_NULL;
  return MPI_Recv(buffer, count, type, matched->source, matched->tag, matched->comm, status);
}

int MPI_Win_sync(MPI_Win) {
  return MPI_SUCCESS;
}

}  // extern "C"
