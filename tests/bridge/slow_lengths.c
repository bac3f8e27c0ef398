/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded behind a bridge, it lets every change of a file's length take long enough that other ranks write meanwhile.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/types.h>
#include <time.h>

int ftruncate(int file, off_t bytes);
int ftruncate(int file, off_t bytes) {
  static int (*original)(int, off_t);
  if (original == NULL) *(void**)&original = dlsym(RTLD_NEXT, "ftruncate");
  nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
  return original(file, bytes);
}
