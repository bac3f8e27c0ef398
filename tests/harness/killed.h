/* SPDX-License-Identifier: Apache-2.0 */
/* What programs have in common that write with Weir and are killed in a commit which follows from a seed. */
#ifndef WEIR_TESTS_HARNESS_KILLED_H
#define WEIR_TESTS_HARNESS_KILLED_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <weir/weir.h>

static inline void require_ok(int code, const weir_t* weir) {
  if (code == WEIR_OK) return;
  fprintf(stderr, "%s\n", weir_error(weir));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A number below 2^31; the same from the same seed on every machine. */
static inline uint64_t draw(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* Kills this process then, whatever it does. */
static inline void end_in(long nanoseconds) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  const struct itimerspec when = {.it_value = {.tv_sec = 0, .tv_nsec = nanoseconds}};
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &when, NULL);
}

#endif
