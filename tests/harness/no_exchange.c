/* SPDX-License-Identifier: Apache-2.0 */
/* To be preloaded: no file system can swap two names, as many over a network cannot. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned int flags) {
  if (flags & RENAME_EXCHANGE) {
    errno = EINVAL;
    return -1;
  }
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
