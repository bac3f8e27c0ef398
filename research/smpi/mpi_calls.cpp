// SPDX-License-Identifier: Apache-2.0
// MPI calls that SimGrid 3.32 lacks, or has in a form that no MPI library has:
//   - Its nonblocking collectives send from every rank to every rank, or from one to all, one after another. Weir waits
//     for these at once (mpi/comm.cpp), so the blocking ones, which go by trees, do the same.
//   - Its nonblocking barrier ends as soon as rank 0 has come. Here it is a dissemination barrier, which goes on as it
//     is tested. It has a tag of its own; who receives any tag (after an error only) would take its messages away.
//   - A test of no request at all says that it has not ended.
//   - A matched probe is an ordinary one where a rank has one thread.
#include <mpi.h>

#include <map>
#include <memory>

namespace {

struct Matched {
  int source, tag;
  MPI_Comm comm;
};

constexpr int barrier_tag = 32000;

class Barrier {
 public:
  explicit Barrier(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }
  // Whether all ranks have come.
  bool test() {
    for (; distance_ < size_; distance_ *= 2, begun_ = false) {
      if (!begun_) begin();
      int done = 0;
      MPI_Testall(2, requests_, &done, MPI_STATUSES_IGNORE);
      if (done == 0) return false;
    }
    return true;
  }

 private:
  void begin() {
    const int to = (rank_ + distance_) % size_, from = (rank_ - distance_ + size_) % size_;
    MPI_Isend(nullptr, 0, MPI_BYTE, to, barrier_tag, comm_, &requests_[0]);
    MPI_Irecv(nullptr, 0, MPI_BYTE, from, barrier_tag, comm_, &requests_[1]);
    begun_ = true;
  }

  MPI_Comm comm_;
  int rank_ = 0, size_ = 1, distance_ = 1;
  bool begun_ = false;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

// Of all ranks; a request is told by its address.
std::map<MPI_Request, std::unique_ptr<Barrier>>& barriers() {
  static std::map<MPI_Request, std::unique_ptr<Barrier>> all;
  return all;
}

}  // namespace

extern "C" {

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* duplicate, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_Comm_dup(comm, duplicate);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  auto barrier = std::make_unique<Barrier>(comm);
  *request = reinterpret_cast<MPI_Request>(barrier.get());
  barriers().emplace(*request, std::move(barrier));
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) {
    *flag = 1;
    return MPI_SUCCESS;
  }
  const auto barrier = barriers().find(*request);
  if (barrier == barriers().end()) return PMPI_Test(request, flag, status);
  *flag = barrier->second->test() ? 1 : 0;
  if (*flag == 0) return MPI_SUCCESS;
  barriers().erase(barrier);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

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

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  const std::unique_ptr<Matched> matched(static_cast<Matched*>(*message));
  *message = MPI_MESSAGE_NULL;
  return MPI_Irecv(buffer, count, type, matched->source, matched->tag, matched->comm, request);
}

}  // extern "C"
