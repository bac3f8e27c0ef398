// SPDX-License-Identifier: Apache-2.0
// Calls of files and of memory: those of files in the storage's folder take their time and may go wrong.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "machine.hpp"
#include "mapped.hpp"
#include "real.hpp"
#include "storage.hpp"

namespace {

using sim::Machine;
using sim::Storage;

struct Descriptor {
  int process;
  bool watched;
};

struct Map {
  int process;
  std::size_t bytes;
  std::uint64_t inode;  // 0: nobody shares it
  std::uint64_t offset;
};

std::map<int, Descriptor>& descriptors() {
  static std::map<int, Descriptor> open;
  return open;
}

std::map<std::uintptr_t, Map>& maps() {
  static std::map<std::uintptr_t, Map> mapped;
  return mapped;
}

bool watched(int descriptor) {
  if (!Machine::running() || !Storage::used()) return false;
  const auto found = descriptors().find(descriptor);
  return found != descriptors().end() && found->second.watched;
}

bool watched(const char* path) {
  return Machine::running() && Storage::used() && Storage::used()->here(path);
}

int opened(int descriptor, bool watched) {
  if (descriptor >= 0 && Machine::running()) descriptors()[descriptor] = {Machine::running()->rank(), watched};
  return descriptor;
}

// What goes wrong in a call, done: -1 and errno; nothing where the call is to be made.
std::optional<int> refused(const char* name, const char* group) {
  const auto fault = Storage::used()->call(name, group);
  if (!fault || fault->action != Storage::Action::error) return std::nullopt;
  errno = fault->error;
  return -1;
}

// So many bytes of a write are to be written.
std::optional<std::size_t> part_of(const char* name, std::size_t bytes) {
  const auto fault = Storage::used()->call(name, "write", static_cast<double>(bytes));
  if (!fault || fault->action == Storage::Action::slow) return bytes;
  if (fault->action == Storage::Action::error) return errno = fault->error, std::nullopt;
  return fault->action == Storage::Action::nothing ? 0 : std::max<std::size_t>(1, bytes / 2);
}

// What a call that went well has done, to who remembers it.
template <class Done>
void remember(Done done) {
  if (Storage::used()->platter) done(*Storage::used()->platter);
}

int synced(const char* name, int descriptor) {
  if (const auto result = refused(name, "sync")) return *result;
  remember([&](sim::Platter& platter) { platter.synced(descriptor); });
  return 0;
}

ssize_t write_part(int descriptor, const iovec* pieces, int count, off_t offset, std::size_t bytes) {
  static const auto call = sim::real<ssize_t(int, const iovec*, int, off_t)>("pwritev");
  std::vector<iovec> these;
  for (int i = 0; i < count && bytes > 0; ++i) {
    these.push_back({pieces[i].iov_base, std::min(pieces[i].iov_len, bytes)});
    bytes -= these.back().iov_len;
  }
  if (these.empty()) return 0;
  const ssize_t written = call(descriptor, these.data(), static_cast<int>(these.size()), offset);
  for (const iovec& piece : these) {
    remember([&](sim::Platter& platter) { platter.wrote(descriptor, offset, piece.iov_base, piece.iov_len); });
    offset += static_cast<off_t>(piece.iov_len);
  }
  return written;
}

}  // namespace

namespace sim {

Key word_at(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto found = maps().upper_bound(at);
  if (found == maps().begin()) return {0, at};
  --found;
  const auto& [begin, map] = *found;
  if (at >= begin + map.bytes || map.inode == 0) return {0, at};
  return {map.inode + 16, map.offset + at - begin};
}

int clean_up(int process) {
  static const auto unmap = real<int(void*, std::size_t)>("munmap");
  static const auto shut = real<int(int)>("close");
  int left = 0;
  for (auto each = descriptors().begin(); each != descriptors().end();) {
    const bool mine = each->second.process == process;
    if (mine) ++left, shut(each->first);
    each = mine ? descriptors().erase(each) : std::next(each);
  }
  for (auto each = maps().begin(); each != maps().end();) {
    const bool mine = each->second.process == process;
    if (mine) unmap(reinterpret_cast<void*>(each->first), each->second.bytes);
    each = mine ? maps().erase(each) : std::next(each);
  }
  return left;
}

}  // namespace sim

extern "C" {

int open(const char* path, int how, ...) {
  static const auto call = sim::real<int(const char*, int, mode_t)>("open");
  va_list list;
  va_start(list, how);
  const mode_t mode = how & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  const bool there = watched(path);
  if (there)
    if (const auto result = refused("open", "open")) return *result;
  const int descriptor = opened(call(path, how, mode), there);
  if (there && descriptor >= 0) remember([&](sim::Platter& platter) { platter.opened(descriptor, path); });
  return descriptor;
}

int memfd_create(const char* name, unsigned how) noexcept {
  static const auto call = sim::real<int(const char*, unsigned)>("memfd_create");
  return opened(call(name, how), false);
}

int close(int descriptor) {
  static const auto call = sim::real<int(int)>("close");
  if (watched(descriptor)) {
    const auto result = refused("close", "close");
    descriptors().erase(descriptor);
    const int closed = call(descriptor);
    return result.value_or(closed);
  }
  if (Machine::running()) descriptors().erase(descriptor);
  return call(descriptor);
}

ssize_t pwritev(int descriptor, const iovec* pieces, int count, off_t offset) {
  static const auto call = sim::real<ssize_t(int, const iovec*, int, off_t)>("pwritev");
  if (!watched(descriptor)) return call(descriptor, pieces, count, offset);
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += pieces[i].iov_len;
  const auto part = part_of("pwritev", bytes);
  return part ? write_part(descriptor, pieces, count, offset, *part) : -1;
}

ssize_t pwrite(int descriptor, const void* data, std::size_t bytes, off_t offset) {
  static const auto call = sim::real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  if (!watched(descriptor)) return call(descriptor, data, bytes, offset);
  const auto part = part_of("pwrite", bytes);
  if (!part) return -1;
  remember([&](sim::Platter& platter) { platter.wrote(descriptor, offset, data, *part); });
  return call(descriptor, data, *part, offset);
}

ssize_t write(int descriptor, const void* data, std::size_t bytes) {
  static const auto call = sim::real<ssize_t(int, const void*, std::size_t)>("write");
  if (!watched(descriptor)) return call(descriptor, data, bytes);
  const auto part = part_of("write", bytes);
  if (!part) return -1;
  remember([&](sim::Platter& platter) { platter.wrote(descriptor, lseek(descriptor, 0, SEEK_CUR), data, *part); });
  return call(descriptor, data, *part);
}

ssize_t pread(int descriptor, void* data, std::size_t bytes, off_t offset) {
  static const auto call = sim::real<ssize_t(int, void*, std::size_t, off_t)>("pread");
  if (watched(descriptor))
    if (const auto result = refused("pread", "read")) return *result;
  return call(descriptor, data, bytes, offset);
}

int fsync(int descriptor) {
  static const auto call = sim::real<int(int)>("fsync");
  return watched(descriptor) ? synced("fsync", descriptor) : call(descriptor);
}

int fdatasync(int descriptor) {
  static const auto call = sim::real<int(int)>("fdatasync");
  return watched(descriptor) ? synced("fdatasync", descriptor) : call(descriptor);
}

int sync_file_range(int descriptor, off64_t offset, off64_t bytes, unsigned how) {
  static const auto call = sim::real<int(int, off64_t, off64_t, unsigned)>("sync_file_range");
  if (watched(descriptor)) return refused("sync_file_range", "hint").value_or(0);
  return call(descriptor, offset, bytes, how);
}

int ftruncate(int descriptor, off_t bytes) noexcept {
  static const auto call = sim::real<int(int, off_t)>("ftruncate");
  if (watched(descriptor)) {
    if (const auto result = refused("ftruncate", "length")) return *result;
    remember([&](sim::Platter& platter) { platter.resized(descriptor, bytes); });
  }
  return call(descriptor, bytes);
}

int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  static const auto call = sim::real<int(int, off_t, off_t)>("posix_fallocate");
  if (watched(descriptor) && refused("posix_fallocate", "length")) return errno;
  const int result = call(descriptor, offset, bytes);
  struct stat status {};
  if (result == 0 && watched(descriptor) && fstat(descriptor, &status) == 0)
    remember([&](sim::Platter& platter) { platter.resized(descriptor, status.st_size); });
  return result;
}

int rename(const char* from, const char* to) noexcept {
  static const auto call = sim::real<int(const char*, const char*)>("rename");
  if (!watched(from)) return call(from, to);
  if (const auto result = refused("rename", "rename")) return *result;
  const int result = call(from, to);
  if (result == 0) remember([&](sim::Platter& platter) { platter.renamed(from, to); });
  return result;
}

int unlink(const char* path) noexcept {
  static const auto call = sim::real<int(const char*)>("unlink");
  if (!watched(path)) return call(path);
  if (const auto result = refused("unlink", "remove")) return *result;
  const int result = call(path);
  if (result == 0) remember([&](sim::Platter& platter) { platter.removed(path); });
  return result;
}

int symlink(const char* target, const char* path) noexcept {
  static const auto call = sim::real<int(const char*, const char*)>("symlink");
  if (!watched(path)) return call(target, path);
  if (const auto result = refused("symlink", "link")) return *result;
  const int result = call(target, path);
  if (result == 0) remember([&](sim::Platter& platter) { platter.linked(target, path); });
  return result;
}

// std::filesystem::remove takes this one.
int remove(const char* path) noexcept {
  static const auto call = sim::real<int(const char*)>("remove");
  struct stat status {};
  const bool folder = lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return watched(path) && !folder ? unlink(path) : call(path);
}

void* mmap(void* address, std::size_t bytes, int protection, int how, int descriptor, off_t offset) noexcept {
  static const auto call = sim::real<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  void* const memory = call(address, bytes, protection, how, descriptor, offset);
  const Machine* machine = Machine::running();
  if (!machine || memory == MAP_FAILED) return memory;
  struct stat status {};
  const bool shared = (how & MAP_SHARED) && descriptor >= 0 && fstat(descriptor, &status) == 0;
  maps()[reinterpret_cast<std::uintptr_t>(memory)] = {machine->rank(), bytes, shared ? status.st_ino : 0,
                                                      static_cast<std::uint64_t>(offset)};
  return memory;
}

int munmap(void* address, std::size_t bytes) noexcept {
  static const auto call = sim::real<int(void*, std::size_t)>("munmap");
  if (Machine::running()) maps().erase(reinterpret_cast<std::uintptr_t>(address));
  return call(address, bytes);
}
}
