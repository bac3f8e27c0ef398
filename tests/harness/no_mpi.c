/* SPDX-License-Identifier: Apache-2.0
 * Preloaded: a machine on which MPI cannot be initialised here, as on the login nodes of some. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int end_here(void) {
  fputs("no_mpi: MPI cannot be initialised on this node\n", stderr);
  _Exit(86);
}

int MPI_Init(int* argc, char*** argv) {
  (void)argc;
  (void)argv;
  return end_here();
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  (void)argc;
  (void)argv;
  (void)required;
  (void)provided;
  return end_here();
}
