/* SPDX-License-Identifier: Apache-2.0
 * How a program calls PIO: PIO(call) has to go well, of TELL(call) rank 0 prints the code. After PROGRAM, its name, and
 * `rank`. */
#pragma once

static inline void must(int code, const char* call) {
  if (code == 0) return;
  fprintf(stderr, PROGRAM ": %s: %d\n", call, code);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define PIO(call) must(call, #call)
static inline void tell(int code, const char* call) {
  if (rank == 0) printf("%s: %d\n", call, code);
}
#define TELL(call) tell(call, #call)
