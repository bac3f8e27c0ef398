// SPDX-License-Identifier: Apache-2.0
#include "halo.hpp"

#include "base/clock.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

constexpr double longest_exchange_seconds = 3600.0;  // a rank that has not come by then has ended

double wait_for(std::vector<MPI_Request>& requests) {
  const double begin = now_seconds();
  wait_all(requests, Deadline(longest_exchange_seconds), "exchange of halos");
  return now_seconds() - begin;
}

}  // namespace

Halo::Halo(MPI_Comm comm, const std::array<std::int64_t, 3>& elements) : comm_(Comm::duplicate(comm)) {
  const std::vector<int> processes = workloads::balanced_factors(comm_.size(), 3);
  const std::array<int, 3> stride = {processes[1] * processes[2], processes[2], 1};
  for (int axis = 0; axis < 3; ++axis) {
    const int place = comm_.rank() / stride[axis] % processes[axis];
    const std::vector<float> message(elements[axis]);
    if (place > 0) neighbours_.push_back({comm_.rank() - stride[axis], {axis, false}, message, message});
    if (place + 1 < processes[axis]) {
      neighbours_.push_back({comm_.rank() + stride[axis], {axis, true}, message, message});
    }
    if (axis == 0) first_ = place == 0;
  }
}

double Halo::exchange() {
  std::vector<MPI_Request> requests;
  for (Neighbour& neighbour : neighbours_) {
    // A neighbour's upper side meets this rank's lower one: the tag is the axis and the direction of travel.
    const int there = 2 * neighbour.side.axis + (neighbour.side.upper ? 1 : 0);
    const int here = 2 * neighbour.side.axis + (neighbour.side.upper ? 0 : 1);
    requests.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Irecv(neighbour.in.data(), static_cast<int>(neighbour.in.size()), MPI_FLOAT, neighbour.rank, here,
                        comm_.raw(), &requests.back()),
              "MPI_Irecv of a halo");
    requests.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(neighbour.out.data(), static_cast<int>(neighbour.out.size()), MPI_FLOAT, neighbour.rank, there,
                        comm_.raw(), &requests.back()),
              "MPI_Isend of a halo");
  }
  return wait_for(requests);
}

double Halo::meet() {
  std::vector<MPI_Request> request(1, MPI_REQUEST_NULL);
  check_mpi(MPI_Ibarrier(comm_.raw(), request.data()), "MPI_Ibarrier");
  return wait_for(request);
}

}  // namespace weir::bench
