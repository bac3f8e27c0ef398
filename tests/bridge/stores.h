/* SPDX-License-Identifier: Apache-2.0 */
/* CHECK_STORES(call): as CHECK, and rank 0 says whether the call has waited for the storage, on any rank. Collective.
 * For one source file of a program, which has its own fsync and fdatasync by this. */
#ifndef WEIR_TESTS_BRIDGE_STORES_H
#define WEIR_TESTS_BRIDGE_STORES_H

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

static int stored; /* files, since it was asked last */

/* The program's own names come first, whoever calls them. */
int fsync(int file) {
  ++stored;
  return (int)syscall(SYS_fsync, file);
}
int fdatasync(int file) {
  ++stored;
  return (int)syscall(SYS_fdatasync, file);
}

static inline void check_stores(int code, const char* what) {
  int any = stored;
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  stored = 0;
  check(code, what);
  TELL("%.*s %s\n", (int)strcspn(what, "("), what, any > 0 ? "stores" : "does not store");
}
#define CHECK_STORES(call) check_stores(call, #call)

#endif
