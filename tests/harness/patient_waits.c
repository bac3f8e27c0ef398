/* SPDX-License-Identifier: Apache-2.0 */
/* Before the programs of the tests (tools/run-test): ranks that wait within Open MPI sleep, where Open MPI lets them
 * look without a pause. On two cores that run several jobs at once, half of the processors' time went into such looks.
 *
 * The longer a thread has waited, the longer it sleeps, and never for more than a quarter of what it has waited: so no
 * wait takes more than that much longer. One that does anything else between two looks, as Weir does, which sleeps by
 * itself, is left alone. What a rank is told, and when a time of its own is over, is as without. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const int64_t elsewhere = 20000;       /* ns between two looks: the thread has done something else */
static const int64_t awake = 200000;          /* ns of looking before the first sleep */
static const int64_t longest_sleep = 5000000; /* ns */

static _Thread_local bool nothing_came;        /* in this look */
static _Thread_local int64_t since, last_look; /* nothing has come; ns */

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Open MPI calls it at the end of a look that found nothing, and of no other. */
int sched_yield(void) {
  nothing_came = true;
  return (int)syscall(SYS_sched_yield);
}

/* Where a program loads MPI for itself alone, as Python does, it is not among what comes behind this library. */
static int find(struct dl_phdr_info* loaded, size_t bytes, void* found) {
  (void)bytes;
  if (strstr(loaded->dlpi_name, "/libopen-pal.so") == NULL) return 0;
  *(void**)found = dlopen(loaded->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return 1;
}

/* These programs are measured, too, and then nothing is changed. */
static bool is_wanted(void) {
  static int wanted = -1;
  if (wanted < 0) wanted = getenv("PATIENT_WAITS") != NULL;
  return wanted == 1;
}

static int look(void) {
  static int (*original)(void);
  if (original == NULL) {
    void *library = NULL, *symbol = dlsym(RTLD_NEXT, "opal_progress");
    if (symbol == NULL) dl_iterate_phdr(find, &library);
    if (library != NULL) symbol = dlsym(library, "opal_progress");
    *(void**)&original = symbol;
  }
  return original();
}

int opal_progress(void);
int opal_progress(void) {
  if (!is_wanted()) return look();
  const int64_t begin = now();
  nothing_came = false;
  const int events = look();
  const int64_t end = now();
  if (!nothing_came || begin - last_look > elsewhere) since = end;
  const int64_t waited = end - since;
  if (waited > awake) {
    const int64_t sleep = waited / 4 < longest_sleep ? waited / 4 : longest_sleep;
    nanosleep(&(struct timespec){.tv_nsec = sleep}, NULL);
  }
  last_look = now();
  return events;
}
