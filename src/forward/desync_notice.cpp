// SPDX-License-Identifier: Apache-2.0
#include "forward/desync_notice.hpp"

namespace weir {

namespace {

constexpr int desync_tag = 1998;

}  // namespace

bool ended(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void DesyncNotice::send() {
  if (!sent_.empty() || received()) return;
  for (int rank = 0; rank < comm_.size(); ++rank)
    if (!reach_.of(rank))
      check_mpi(MPI_Issend(nullptr, 0, MPI_BYTE, rank, desync_tag, comm_.raw(), &sent_.emplace_back()), "MPI_Issend");
}

// Where no rank is out of reach MPI is not asked: each question may give the processor away.
bool DesyncNotice::received() const {
  if (reach_.everybody()) return false;
  int there = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, desync_tag, comm_.raw(), &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return there != 0;
}

bool DesyncNotice::acknowledged() {
  std::erase_if(sent_, [](MPI_Request& bell) { return ended(bell); });
  return sent_.empty();
}

}  // namespace weir
