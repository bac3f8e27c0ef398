/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the system that touch files of the watched folder, or a file in memory, each before the system's own. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "layer.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* dlsym gives functions as data */

/* REAL(name): the system's own function behind ours. */
#define REAL(name) ((__typeof__(&name))real(&real_##name, #name))
#define DECLARE(name) static void* real_##name = NULL

static void* real(void** kept, const char* name) {
  if (!*kept) *kept = dlsym(RTLD_NEXT, name);
  return *kept;
}

static bool at_file(int descriptor, const char* name, const char* memory_name, const char* group) {
  const int kind = fault_watched(descriptor);
  if (kind == fault_unwatched) return false;
  return kind == fault_memory ? fault_at(memory_name, "memory", "file") : fault_at(name, group, "file");
}
#define CALLED() fault_called_from(__builtin_return_address(0))
#define AT_FILE(name, group) (CALLED(), at_file(descriptor, #name, "memory." #name, group))

static bool fails(bool happens) {
  fault_before(happens);
  if (!happens || !fault_is("error")) return false;
  errno = (int)fault_argument();
  return true;
}

/* ---- calls that give a descriptor */

static int opened(int descriptor, int kind, bool happens) {
  fault_watch(descriptor, kind);
  fault_after(happens);
  return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                                   \
  DECLARE(name);                                                     \
  int name(const char* path, int flags, ...) {                       \
    va_list arguments;                                               \
    va_start(arguments, flags);                                      \
    const mode_t mode = mode_of(flags, arguments);                   \
    va_end(arguments);                                               \
    CALLED();                                                        \
    const bool watched = fault_path(path);                           \
    const bool happens = watched && fault_at(#name, "open", "file"); \
    if (fails(happens)) return -1;                                   \
    return opened(REAL(name)(path, flags, mode), watched, happens);  \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
  DECLARE(name);                                                            \
  int name(int folder, const char* path, int flags, ...) {                  \
    va_list arguments;                                                      \
    va_start(arguments, flags);                                             \
    const mode_t mode = mode_of(flags, arguments);                          \
    va_end(arguments);                                                      \
    const bool watched = fault_path(path) || fault_watched(folder);         \
    const bool happens = watched && fault_at(#name, "open", "file");        \
    if (fails(happens)) return -1;                                          \
    return opened(REAL(name)(folder, path, flags, mode), watched, happens); \
  }
OPENAT(openat)
OPENAT(openat64)

DECLARE(memfd_create);
int memfd_create(const char* name, unsigned flags) {
  const bool ours = strncmp(name, "weir", 4) == 0;
  const bool happens = ours && fault_at("memfd_create", "memory", "file");
  if (fails(happens)) return -1;
  return opened(REAL(memfd_create)(name, flags), ours ? fault_memory : fault_unwatched, happens);
}

DECLARE(opendir);
DIR* opendir(const char* path) {
  const bool happens = fault_path(path) && fault_at("opendir", "open", "file");
  if (fails(happens)) return NULL;
  DIR* folder = REAL(opendir)(path);
  fault_after(happens);
  return folder;
}

DECLARE(close);
int close(int descriptor) {
  const bool happens = AT_FILE(close, "close");
  const bool failed = fails(happens);
  const int error = errno;
  fault_watch(descriptor, fault_unwatched);
  int result = REAL(close)(descriptor);
  if (failed) errno = error, result = -1;
  fault_after(happens);
  return result;
}

/* ---- calls that write: they can be short, too */

static size_t half(size_t bytes) {
  return bytes > 1 ? bytes / 2 : bytes;
}

/* Whether the write is to be made of fewer bytes than asked for. */
static bool shortened(bool happens) {
  return happens && (fault_is("short") || fault_is("tear"));
}

#define WRITE(name, parameters, arguments)       \
  DECLARE(name);                                 \
  ssize_t name parameters {                      \
    const bool happens = AT_FILE(name, "write"); \
    if (fails(happens)) return -1;               \
    if (happens && fault_is("zero")) return 0;   \
    if (shortened(happens)) bytes = half(bytes); \
    const ssize_t done = REAL(name) arguments;   \
    fault_after(happens);                        \
    return done;                                 \
  }
WRITE(write, (int descriptor, const void* data, size_t bytes), (descriptor, data, bytes))
WRITE(pwrite, (int descriptor, const void* data, size_t bytes, off_t at), (descriptor, data, bytes, at))
WRITE(pwrite64, (int descriptor, const void* data, size_t bytes, off64_t at), (descriptor, data, bytes, at))

/* Of several pieces the first half, or half of the only one. */
#define WRITE_VECTOR(name, parameters, arguments) \
  DECLARE(name);                                  \
  ssize_t name parameters {                       \
    const bool happens = AT_FILE(name, "write");  \
    if (fails(happens)) return -1;                \
    if (happens && fault_is("zero")) return 0;    \
    struct iovec one = pieces[0];                 \
    one.iov_len = half(one.iov_len);              \
    const bool less = shortened(happens);         \
    if (less && count > 1)                        \
      count /= 2;                                 \
    else if (less)                                \
      pieces = &one;                              \
    const ssize_t done = REAL(name) arguments;    \
    fault_after(happens);                         \
    return done;                                  \
  }
WRITE_VECTOR(writev, (int descriptor, const struct iovec* pieces, int count), (descriptor, pieces, count))
WRITE_VECTOR(pwritev, (int descriptor, const struct iovec* pieces, int count, off_t at),
             (descriptor, pieces, count, at))
WRITE_VECTOR(pwritev64, (int descriptor, const struct iovec* pieces, int count, off64_t at),
             (descriptor, pieces, count, at))

#define READ(name, parameters, arguments)                  \
  DECLARE(name);                                           \
  ssize_t name parameters {                                \
    const bool happens = AT_FILE(name, "read");            \
    if (fails(happens)) return -1;                         \
    if (happens && fault_is("short")) bytes = half(bytes); \
    const ssize_t done = REAL(name) arguments;             \
    fault_after(happens);                                  \
    return done;                                           \
  }
READ(read, (int descriptor, void* data, size_t bytes), (descriptor, data, bytes))
READ(pread, (int descriptor, void* data, size_t bytes, off_t at), (descriptor, data, bytes, at))
READ(pread64, (int descriptor, void* data, size_t bytes, off64_t at), (descriptor, data, bytes, at))

/* ---- calls of a descriptor, and calls of a path, that give 0 or -1 */

#define CALL(name, at, parameters, arguments) \
  DECLARE(name);                              \
  int name parameters {                       \
    const bool happens = at;                  \
    if (fails(happens)) return -1;            \
    const int result = REAL(name) arguments;  \
    fault_after(happens);                     \
    return result;                            \
  }
#define AT_PATH(name, group) (fault_path(path) && fault_at(#name, group, "file"))
CALL(fsync, AT_FILE(fsync, "sync"), (int descriptor), (descriptor))
CALL(fdatasync, AT_FILE(fdatasync, "sync"), (int descriptor), (descriptor))
CALL(sync_file_range, AT_FILE(sync_file_range, "hint"), (int descriptor, off64_t at, off64_t bytes, unsigned flags),
     (descriptor, at, bytes, flags))
CALL(ftruncate, AT_FILE(ftruncate, "length"), (int descriptor, off_t bytes), (descriptor, bytes))
CALL(ftruncate64, AT_FILE(ftruncate64, "length"), (int descriptor, off64_t bytes), (descriptor, bytes))
CALL(fallocate, AT_FILE(fallocate, "length"), (int descriptor, int mode, off_t at, off_t bytes),
     (descriptor, mode, at, bytes))
CALL(fstat, AT_FILE(fstat, "stat"), (int descriptor, struct stat* found), (descriptor, found))
CALL(fchmod, AT_FILE(fchmod, "mode"), (int descriptor, mode_t mode), (descriptor, mode))
CALL(fchown, AT_FILE(fchown, "mode"), (int descriptor, uid_t user, gid_t group), (descriptor, user, group))
CALL(stat, AT_PATH(stat, "stat"), (const char* path, struct stat* found), (path, found))
CALL(lstat, AT_PATH(lstat, "stat"), (const char* path, struct stat* found), (path, found))
CALL(access, AT_PATH(access, "stat"), (const char* path, int mode), (path, mode))
CALL(faccessat, (fault_path(path) || fault_watched(folder)) && fault_at("faccessat", "stat", "file"),
     (int folder, const char* path, int mode, int flags), (folder, path, mode, flags))
CALL(statfs, AT_PATH(statfs, "stat"), (const char* path, struct statfs* found), (path, found))
CALL(statvfs, AT_PATH(statvfs, "stat"), (const char* path, struct statvfs* found), (path, found))
CALL(symlink, AT_PATH(symlink, "symlink"), (const char* target, const char* path), (target, path))
CALL(rename, AT_PATH(rename, "rename"), (const char* path, const char* to), (path, to))
CALL(renameat, (fault_path(path) || fault_watched(from_folder)) && fault_at("renameat", "rename", "file"),
     (int from_folder, const char* path, int to_folder, const char* to), (from_folder, path, to_folder, to))
CALL(link, AT_PATH(link, "rename"), (const char* path, const char* to), (path, to))
CALL(unlink, AT_PATH(unlink, "remove"), (const char* path), (path))
CALL(unlinkat, (fault_path(path) || fault_watched(folder)) && fault_at("unlinkat", "remove", "file"),
     (int folder, const char* path, int flags), (folder, path, flags))
CALL(remove, AT_PATH(remove, "remove"), (const char* path), (path))

#define CALL_OF_BYTES(name, parameters, arguments) \
  DECLARE(name);                                   \
  ssize_t name parameters {                        \
    const bool happens = AT_PATH(name, "stat");    \
    if (fails(happens)) return -1;                 \
    const ssize_t result = REAL(name) arguments;   \
    fault_after(happens);                          \
    return result;                                 \
  }
CALL_OF_BYTES(readlink, (const char* path, char* target, size_t bytes), (path, target, bytes))
CALL_OF_BYTES(getxattr, (const char* path, const char* name, void* value, size_t bytes), (path, name, value, bytes))

DECLARE(lseek);
off_t lseek(int descriptor, off_t at, int from) {
  const bool happens = AT_FILE(lseek, "seek");
  if (fails(happens)) return -1;
  const off_t result = REAL(lseek)(descriptor, at, from);
  fault_after(happens);
  return result;
}

/* It gives the error itself. */
DECLARE(posix_fallocate);
int posix_fallocate(int descriptor, off_t at, off_t bytes) {
  const bool happens = AT_FILE(posix_fallocate, "length");
  if (fails(happens)) return (int)fault_argument();
  const int result = REAL(posix_fallocate)(descriptor, at, bytes);
  fault_after(happens);
  return result;
}

/* Of memory: what Weir itself asks for. */
static bool of_weir(const void* caller) {
  Dl_info library;
  return dladdr(caller, &library) && library.dli_fname && strstr(library.dli_fname, "libweir");
}

DECLARE(mmap);
void* mmap(void* place, size_t bytes, int protection, int flags, int descriptor, off_t at) {
  const bool counts = fault_watched(descriptor) || of_weir(__builtin_return_address(0));
  const bool happens = counts && fault_at("mmap", "memory", "file");
  if (fails(happens)) return MAP_FAILED;
  void* memory = REAL(mmap)(place, bytes, protection, flags, descriptor, at);
  fault_after(happens);
  return memory;
}
