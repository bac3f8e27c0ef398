/* SPDX-License-Identifier: Apache-2.0 */
/* A storage of a given bandwidth under any program, to be preloaded (tools/slow_storage does it): a call that writes to
 * a regular file takes its turn by the number of its bytes and sleeps until they would be there, as on a file system
 * that other jobs use too. All processes with the same SLOW_STORAGE_CLOCK share the bandwidth, whatever library writes.
 *   SLOW_STORAGE_BANDWIDTH         bytes a second, of all together
 *   SLOW_STORAGE_WRITER_BANDWIDTH  of them, what one call alone gets, as from a file system of many servers; not set:
 *                                  all of them
 *   SLOW_STORAGE_CLOCK             a file of 8 bytes, zeros at first: the time from which the storage is free again */
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t* free_at; /* nanoseconds, CLOCK_MONOTONIC */
static double nanoseconds_per_byte, writer_nanoseconds_per_byte;

__attribute__((constructor)) static void begin(void) {
  const char* bandwidth = getenv("SLOW_STORAGE_BANDWIDTH");
  const char* writer_bandwidth = getenv("SLOW_STORAGE_WRITER_BANDWIDTH");
  const char* clock = getenv("SLOW_STORAGE_CLOCK");
  if (!bandwidth || !clock || atof(bandwidth) <= 0) return;
  const int file = open(clock, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* memory = mmap(NULL, sizeof *free_at, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  nanoseconds_per_byte = 1e9 / atof(bandwidth);
  if (writer_bandwidth && atof(writer_bandwidth) > 0) writer_nanoseconds_per_byte = 1e9 / atof(writer_bandwidth);
  free_at = memory;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* An idle storage has saved nothing up. Files in memory are no storage: programs share memory by them. */
static void take(int descriptor, ssize_t bytes) {
  struct stat status;
  struct timespec end;
  int64_t taken, mine, alone;
  if (!free_at || bytes <= 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  alone = now() + (int64_t)((double)bytes * writer_nanoseconds_per_byte);
  taken = atomic_load(free_at);
  do {
    const int64_t begin = taken > now() ? taken : now();
    mine = begin + (int64_t)((double)bytes * nanoseconds_per_byte);
  } while (!atomic_compare_exchange_weak(free_at, &taken, mine));
  if (mine < alone) mine = alone;
  end.tv_sec = mine / 1000000000;
  end.tv_nsec = mine % 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0) {
  }
}

/* The library's own, into a pointer to a function. */
static void find(void* pointer, const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  memcpy(pointer, &found, sizeof found);
}

#define SLOW(name, parameters, arguments)   \
  ssize_t name parameters {                 \
    static __typeof__(&name) next;          \
    if (!next) find(&next, #name);          \
    const ssize_t written = next arguments; \
    take(descriptor, written);              \
    return written;                         \
  }

SLOW(write, (int descriptor, const void* bytes, size_t count), (descriptor, bytes, count))
SLOW(pwrite, (int descriptor, const void* bytes, size_t count, off_t at), (descriptor, bytes, count, at))
SLOW(pwrite64, (int descriptor, const void* bytes, size_t count, off64_t at), (descriptor, bytes, count, at))
SLOW(writev, (int descriptor, const struct iovec* parts, int count), (descriptor, parts, count))
SLOW(pwritev, (int descriptor, const struct iovec* parts, int count, off_t at), (descriptor, parts, count, at))
SLOW(pwritev64, (int descriptor, const struct iovec* parts, int count, off64_t at), (descriptor, parts, count, at))

/* What MPI-IO begins without waiting takes its turn when it begins. */
int aio_write(struct aiocb* block) {
  int (*next)(struct aiocb*);
  find(&next, "aio_write");
  take(block->aio_fildes, (ssize_t)block->aio_nbytes);
  return next(block);
}

int aio_write64(struct aiocb64* block) {
  int (*next)(struct aiocb64*);
  find(&next, "aio_write64");
  take(block->aio_fildes, (ssize_t)block->aio_nbytes);
  return next(block);
}
