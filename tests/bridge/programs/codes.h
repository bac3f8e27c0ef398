/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a call has answered on every rank, in the order of the ranks. Collective. */
#ifndef WEIR_TESTS_CODES_H
#define WEIR_TESTS_CODES_H

#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

/* `what` in a column of `width` letters; rank 0 prints, and ends no line. At most 64 ranks. */
static inline void print_codes(const char* what, int width, int code) {
  int codes[64] = {0}, rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Gather(&code, 1, MPI_INT, codes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("%-*s", width, what);
  for (int i = 0; i < ranks; ++i) printf(" %s", codes[i] == NC_NOERR ? "ok" : ncmpi_strerrno(codes[i]));
}

#endif
