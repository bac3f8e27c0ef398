// SPDX-License-Identifier: Apache-2.0
#include "agree.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include "check.hpp"

namespace weir::bench {

std::string first_complaint(const std::string& complaint, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  int first = complaint.empty() ? ranks : rank;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == ranks) return "";
  int length = static_cast<int>(complaint.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, first, comm), "MPI_Bcast");
  std::string words = complaint;
  words.resize(length);
  check_mpi(MPI_Bcast(words.data(), length, MPI_CHAR, first, comm), "MPI_Bcast");
  return words;
}

void together(MPI_Comm comm, const std::function<void()>& local) {
  std::string complaint;
  try {
    local();
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  const std::string first = first_complaint(complaint, comm);
  if (!first.empty()) throw AgreedError(first);
}

void meet_asleep(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
  for (int all = 0; !all; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
    check_mpi(MPI_Test(&request, &all, MPI_STATUS_IGNORE), "MPI_Test of a barrier");
}

}  // namespace weir::bench
