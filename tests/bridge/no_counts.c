/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded behind a bridge, it refuses every write of a record count, and of nothing else, into a classic file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/types.h>

enum { place = 4, most_bytes = 8 };

#define WRITE(name)                                                                \
  ssize_t name(int file, const void* data, size_t bytes, off_t at);                \
  ssize_t name(int file, const void* data, size_t bytes, off_t at) {               \
    static ssize_t (*original)(int, const void*, size_t, off_t);                   \
    if (original == NULL) *(void**)&original = dlsym(RTLD_NEXT, #name);            \
    if (at != place || bytes > most_bytes) return original(file, data, bytes, at); \
    errno = EIO;                                                                   \
    return -1;                                                                     \
  }
WRITE(pwrite)
WRITE(pwrite64)
