/* SPDX-License-Identifier: Apache-2.0 */
/* One rank that does not come to a call, and what the others do who waited there: for programs that show how a bridge
 * takes that. */
#ifndef WEIR_TESTS_BRIDGE_LATE_RANK_H
#define WEIR_TESTS_BRIDGE_LATE_RANK_H

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "end_job.h"

enum { ended = 3 };

static int rank, ranks, late;
static MPI_Comm others;

/* After MPI_Init. Collective. */
static void choose_late(int which) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  late = which;
  MPI_Comm_split(MPI_COMM_WORLD, rank == late, rank, &others);
}

/* The late one stays away until the program ends. */
static void stay_away(int here) {
  if (here && rank == late)
    while (1) sleep(1);
}

/* Where something was wrong. */
static void end(int code, int next) {
  printf("rank %d: %d %d\n", rank, code, next);
  MPI_Barrier(others);
  end_job(ended);
}

#endif
