/* SPDX-License-Identifier: Apache-2.0 */
/* end_job(CODE): ends all ranks, behind what this one has printed. MPICH's launcher drops at MPI_Abort what it has not
 * read yet, and MPICH's MPI_Abort returns since version 5. */
#ifndef WEIR_TESTS_BRIDGE_END_JOB_H
#define WEIR_TESTS_BRIDGE_END_JOB_H

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static inline void end_job(int code) {
  fflush(stdout);
  usleep(300000);
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

#endif
