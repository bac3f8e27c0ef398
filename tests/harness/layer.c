/* SPDX-License-Identifier: Apache-2.0 */
/* The rule, the phases and the faults that happen to a rank. The system's calls here are made by number, so that the
 * layer does not meet itself. */
#define _GNU_SOURCE
#include "layer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { most_files = 65536, most_names = 96, text_bytes = 512 };

static struct Rule rule = {-1, "", 0, "", "", 0, "", 0, false, 1};
static _Thread_local const void* caller = NULL;
static int rank = -1, ranks = 0;
static const char *notes = NULL, *files = NULL;
static size_t files_bytes = 0;
static atomic_bool armed, pending;
static atomic_long counted, fired;
static int seen = 0;
static unsigned char watched_files[most_files];

static pthread_mutex_t tally_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  char name[40];
  long calls;
} tally[most_names];

static void note(const char* kind, const char* text) {
  char path[text_bytes];
  snprintf(path, sizeof path, "%s/%s.%d", notes, kind, rank);
  long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, text, strlen(text));
  syscall(SYS_close, file);
}

static void note_fired(const char* call) {
  char text[text_bytes];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  snprintf(text, sizeof text, "%ld.%06ld %s %s %s %ld\n", (long)now.tv_sec, now.tv_nsec / 1000, rule.action, call,
           rule.phase, atomic_load(&counted));
  note("fired", text);
}

static long pid_of(int other) {
  char path[text_bytes], text[32] = "";
  snprintf(path, sizeof path, "%s/pid.%d", notes, other);
  long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  return atol(text);
}

void fault_kill(void) {
  for (int other = 0; rule.all && other < ranks; ++other) {
    long pid = pid_of(other);
    if (other != rank && pid > 1) kill((pid_t)pid, SIGKILL);
  }
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static void sleep_microseconds(long microseconds) {
  struct timespec left = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&left, &left) != 0) continue;
}

static void* kill_later(void* unused) {
  sleep_microseconds(rule.argument);
  note_fired("clock");
  fault_kill();
  return unused;
}

static bool of_the_rank(void) {
  return strcmp(rule.action, "error") && strcmp(rule.action, "short") && strcmp(rule.action, "zero");
}

bool fault_is(const char* action) {
  return strcmp(rule.action, action) == 0;
}
long fault_argument(void) {
  return rule.argument;
}

/* kill_after and tear at a call that is no write: the rank dies when the call is done. */
static bool dies_after(void) {
  return fault_is("kill_after") || fault_is("tear");
}

void fault_before(bool happens) {
  if (!happens) return;
  if (fault_is("kill")) fault_kill();
  if (fault_is("stop")) kill(getpid(), SIGSTOP);
  if (fault_is("sleep")) sleep_microseconds(rule.argument);
}

void fault_after(bool happens) {
  if (happens && dies_after()) fault_kill();
}

static void count(const char* name) {
  pthread_mutex_lock(&tally_lock);
  int i = 0;
  while (i < most_names - 1 && tally[i].calls && strcmp(tally[i].name, name)) ++i;
  snprintf(tally[i].name, sizeof tally[i].name, "%s", name);
  ++tally[i].calls;
  pthread_mutex_unlock(&tally_lock);
}

void fault_called_from(const void* from) {
  caller = from;
}

static bool by_the_library(void) {
  Dl_info library;
  const void* from = caller;
  caller = NULL;
  return !*rule.by || (from && dladdr(from, &library) && library.dli_fname && strstr(library.dli_fname, rule.by));
}

bool fault_at(const char* name, const char* group, const char* class) {
  if (!notes) return false;
  count(name);
  if (!atomic_load(&armed)) return false;
  if (strcmp(rule.call, "any") && strcmp(rule.call, class) && strcmp(rule.call, group) && strcmp(rule.call, name))
    return false;
  if (!by_the_library()) return false;
  if (atomic_fetch_add(&counted, 1) + 1 < rule.n) return false;
  long before = atomic_fetch_add(&fired, 1);
  if (rule.times && before >= rule.times) return false;
  atomic_store(&pending, false);
  if (before == 0) note_fired(name);
  return true;
}

static void write_tally(void) {
  for (int i = 0; i < most_names && tally[i].calls; ++i) {
    char text[text_bytes];
    snprintf(text, sizeof text, "%.39s %ld\n", tally[i].name, tally[i].calls);
    note("calls", text);
  }
}

static void happen(const char* call) {
  atomic_store(&fired, rule.times ? rule.times : 1);
  note_fired(call);
  fault_before(true);
  fault_after(true);
}

static void begin_phase(void) {
  if (strcmp(rule.call, "entry") == 0) {
    happen("entry");
    return;
  }
  atomic_store(&armed, strcmp(rule.call, "clock") != 0);
  atomic_store(&pending, of_the_rank());
  if (strcmp(rule.call, "clock")) return;
  pthread_t thread;
  atomic_store(&pending, false);
  if (pthread_create(&thread, NULL, kill_later, NULL) == 0) pthread_detach(thread);
}

void fault_phase(const char* name) {
  if (!notes) return;
  if (strcmp(rule.phase, "*") != 0) {
    if (atomic_exchange(&pending, false)) happen("leaving");
    atomic_store(&armed, false);
    if (rank == rule.rank && strcmp(name, rule.phase) == 0 && ++seen == rule.occurrence) begin_phase();
  }
  if (strcmp(name, "end") == 0) write_tally();
}

bool fault_path(const char* path) {
  return files && path && strncmp(path, files, files_bytes) == 0;
}
void fault_watch(int descriptor, int kind) {
  if (descriptor >= 0 && descriptor < most_files) watched_files[descriptor] = (unsigned char)kind;
}
int fault_watched(int descriptor) {
  return descriptor >= 0 && descriptor < most_files ? watched_files[descriptor] : fault_unwatched;
}

static const char* variable(const char* name, const char* or_else) {
  const char* value = getenv(name);
  return value ? value : or_else ? getenv(or_else) : NULL;
}

static void read_word(const char* name, const char* value) {
  if (!strcmp(name, "rank")) rule.rank = atoi(value);
  if (!strcmp(name, "n")) rule.n = atol(value);
  if (!strcmp(name, "argument")) rule.argument = atol(value);
  if (!strcmp(name, "times")) rule.times = atol(value);
  if (!strcmp(name, "who")) rule.all = !strcmp(value, "all");
  if (!strcmp(name, "call")) snprintf(rule.call, sizeof rule.call, "%s", value);
  if (!strcmp(name, "by")) snprintf(rule.by, sizeof rule.by, "%s", value);
  if (!strcmp(name, "action")) snprintf(rule.action, sizeof rule.action, "%s", value);
  if (!strcmp(name, "phase")) sscanf(value, "%31[^:]:%d", rule.phase, &rule.occurrence);
}

static void read_rule(const char* text) {
  char words[text_bytes], *rest = NULL;
  snprintf(words, sizeof words, "%s", text);
  for (char* word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    char* value = strchr(word, '=');
    if (!value) continue;
    *value = '\0';
    read_word(word, value + 1);
  }
}

__attribute__((constructor)) static void begin(void) {
  const char* number = variable("OMPI_COMM_WORLD_RANK", "PMI_RANK");
  const char* size = variable("OMPI_COMM_WORLD_SIZE", "PMI_SIZE");
  const char* text = getenv("FAULT_RULE");
  if (!number || !size || !getenv("FAULT_NOTES")) return;
  rank = atoi(number), ranks = atoi(size);
  files = getenv("FAULT_FILES");
  files_bytes = files ? strlen(files) : 0;
  if (text) read_rule(text);
  notes = getenv("FAULT_NOTES");
  char pid[32];
  snprintf(pid, sizeof pid, "%ld\n", (long)getpid());
  note("pid", pid);
  atomic_store(&armed, rank == rule.rank && strcmp(rule.phase, "*") == 0);
}
