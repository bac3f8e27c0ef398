/* SPDX-License-Identifier: Apache-2.0 */
/* The fault layer: a library that is preloaded into one job and lets one thing go wrong, at one point of one rank.
 * The rule and the folders come from the environment:
 *   FAULT_RULE   words NAME=VALUE:
 *     rank=R       the rank
 *     phase=P:K    from the K-th time on that the program says fault_phase("P") to its next word; *: always
 *     call=C       which calls count: a name (fsync, MPI_Iallreduce), a group (write, sync, open, memory), file, mpi or
 *                  any. Group memory are mmap and all calls of files in memory, whose names begin with "memory."
 *                  entry: no call, but the beginning of the phase; clock: `argument` microseconds after that (kill)
 *     by=TEXT      only calls of files that a library with TEXT in its path makes
 *     n=N          the N-th of them in that phase; a fault that happens to a rank (not to a call) happens at the end of
 *                  the phase where there are fewer
 *     action=A     to the rank: kill (before the call), kill_after, tear (half of a write, then kill), stop, sleep
 *                  to the call: error, short (half), zero (writes nothing and says 0)
 *     argument=X   microseconds of sleep or clock; the errno of error
 *     who=W        one, or all: a kill takes all ranks of the job
 *     times=T      so many calls in a row go wrong; 0: all from there on
 *   FAULT_NOTES  folder where it says what it did: pid.RANK at the start, fired.RANK, calls.RANK at fault_phase("end")
 *   FAULT_FILES  folder whose files' calls count */
#ifndef HARNESS_LAYER_H
#define HARNESS_LAYER_H

#include <stdbool.h>

struct Rule {
  int rank;
  char phase[32];
  int occurrence;
  char call[40];
  char by[40];
  long n;
  char action[16];
  long argument;
  bool all;
  long times;
};

/* Called by the program through dlsym: it runs without the layer, too. */
void fault_phase(const char* name);

/* Where the next fault_at of this thread was called from, for a rule that asks by which library. */
void fault_called_from(const void* caller);

/* Whether a fault happens at this call. `name` of a call of `group` ("" where it has none) and `class` (file or mpi).
 */
bool fault_at(const char* name, const char* group, const char* class);
bool fault_is(const char* action);
long fault_argument(void);

/* A fault of the rank: before and after the call that `happens` (of fault_at). */
void fault_before(bool happens);
void fault_after(bool happens);
void fault_kill(void);

/* Files whose calls count. */
bool fault_path(const char* path);
enum { fault_unwatched, fault_file, fault_memory };
void fault_watch(int descriptor, int kind);
int fault_watched(int descriptor);

#endif
