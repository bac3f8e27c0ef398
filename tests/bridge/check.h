/* SPDX-License-Identifier: Apache-2.0 */
/* CHECK(call): a call of netCDF or PnetCDF that has to succeed. Where it fails this rank says so, and the program ends.
 * CODE(call): rank 0 prints what it returns. TELL(...): rank 0 prints that.
 * The library's header comes before this one; of both libraries netCDF has the words. */
#ifndef WEIR_TESTS_BRIDGE_CHECK_H
#define WEIR_TESTS_BRIDGE_CHECK_H

#include <mpi.h>
#include <stdio.h>

#include "end_job.h"

#ifdef _NETCDF_
#define CHECK_WORDS nc_strerror
#else
#define CHECK_WORDS ncmpi_strerror
#endif

static inline int this_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

static inline void check(int code, const char* what) {
  if (code == NC_NOERR) return;
  printf("rank %d: %s: %s\n", this_rank(), what, CHECK_WORDS(code));
  end_job(1);
}
#define CHECK(call) check(call, #call)
#define TELL(...) \
  if (this_rank() == 0) printf(__VA_ARGS__)
#define CODE(call)                  \
  do {                              \
    const int code_ = (call);       \
    TELL("%s: %d\n", #call, code_); \
  } while (0)

#endif
