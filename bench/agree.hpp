// SPDX-License-Identifier: Apache-2.0
// Brings one rank's failure to all ranks, so that none waits for another in vain. Collective.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace weir::bench {

// The words of the first rank that has any, on all ranks; "" where none has.
std::string first_complaint(const std::string& complaint, MPI_Comm comm);

// Runs `local`, which makes no collective call, on every rank. Where it throws on any, all throw AgreedError with the
// words of the first.
void together(MPI_Comm comm, const std::function<void()>& local);

// A barrier in which who is early sleeps: where ranks share cores with the storage (the lab), a barrier of the MPI
// library, which polls, would keep these from who is still at work. Later than that by up to a millisecond.
void meet_asleep(MPI_Comm comm);

}  // namespace weir::bench
