// SPDX-License-Identifier: Apache-2.0
// Calls to the storage of a process that ends at the n-th of them: killed, or with a power cut, which takes what was
// not synced. For a process that a test has forked for it. The program of the one file that includes this stands in for
// the system's calls.
#pragma once

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cut {

namespace fs = std::filesystem;

enum class Loss {
  nothing,   // a kill: what was written stays
  all,       // a power cut: nothing is left that was not synced
  at_random  // of writes that were not synced each by itself; of a folder's new names the last ones
};

struct Cut {
  int call;  // before which the process ends, from 1 on; within it if it is a write
  Loss loss;
  std::uint64_t seed = 1;  // of what is lost at random
};

constexpr int exit_code = 9;

namespace calls {

inline long write(int file, const void* bytes, std::size_t size, off_t offset) {
  return ::syscall(SYS_pwrite64, file, bytes, size, offset);
}
inline long truncate(int file, off_t bytes) {
  return ::syscall(SYS_ftruncate, file, bytes);
}
inline long rename(const std::string& from, const std::string& to) {
  return ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), 0);
}
inline long unlink(const std::string& path) {
  return ::syscall(SYS_unlinkat, AT_FDCWD, path.c_str(), 0);
}
inline long symlink(const std::string& target, const std::string& path) {
  return ::syscall(SYS_symlinkat, target.c_str(), AT_FDCWD, path.c_str());
}

}  // namespace calls

// What a call has done and no sync has kept: of a folder's names, or of a file's bytes.
struct Undone {
  std::string folder;  // empty: of bytes
  ino_t inode;
  std::function<void()> undo;
};

struct Watched {
  Cut cut;
  int calls = 0;
  std::vector<Undone> unsynced;
};

inline Watched* watched = nullptr;  // null: calls are made as they are

// From now on. The process ends by _exit(exit_code).
inline void begin(const Cut& cut) {
  watched = new Watched{cut, 0, {}};
}

inline void lose(const Watched& all) {
  std::mt19937_64 random(all.cut.seed);
  std::vector<std::string> kept;  // folders of whose names a later one is left: so are all before
  for (auto each = all.unsynced.rbegin(); each != all.unsynced.rend(); ++each) {
    bool lost = all.cut.loss == Loss::all || (all.cut.loss == Loss::at_random && random() % 2 == 0);
    if (!each->folder.empty() && std::find(kept.begin(), kept.end(), each->folder) != kept.end()) lost = false;
    if (lost)
      each->undo();
    else if (!each->folder.empty())
      kept.push_back(each->folder);
  }
}

// Where this call is the one: the process ends, a write half done.
inline void come_to(const std::function<void()>& half = {}) {
  if (++watched->calls != watched->cut.call) return;
  const Watched all = *std::exchange(watched, nullptr);
  if (half) half();
  lose(all);
  ::_exit(exit_code);
}

inline void note_bytes(int file, off_t offset, std::size_t size) {
  struct stat status {};
  ::fstat(file, &status);
  std::vector<char> before(size);
  before.resize(static_cast<std::size_t>(std::max<ssize_t>(::pread(file, before.data(), size, offset), 0)));
  const int again = ::dup(file);
  watched->unsynced.push_back({"", status.st_ino, [=] {
                                 calls::write(again, before.data(), before.size(), offset);
                                 struct stat now {};
                                 if (::fstat(again, &now) == 0 && now.st_size != status.st_size)
                                   calls::truncate(again, status.st_size);
                               }});
}

inline void note_name(const std::string& path, std::function<void()> undo) {
  watched->unsynced.push_back({fs::canonical(fs::path(path).parent_path()).string(), 0, std::move(undo)});
}

// How what has the name now comes back to it.
inline std::function<void()> way_back(const std::string& path) {
  std::error_code none;
  if (fs::is_symlink(path, none))
    return [target = fs::read_symlink(path).string(), path] { calls::symlink(target, path); };
  if (!fs::exists(path, none)) return [] {};
  static int number = 0;
  const std::string kept =
      fs::temp_directory_path() / ("kept." + std::to_string(::getpid()) + std::to_string(++number));
  static_cast<void>(::link(path.c_str(), kept.c_str()));
  return [=] { calls::rename(kept, path); };
}

inline void keep_synced(int descriptor) {
  struct stat status {};
  ::fstat(descriptor, &status);
  const std::string folder =
      S_ISDIR(status.st_mode) ? fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor)).string() : "";
  std::erase_if(watched->unsynced, [&](const Undone& each) {
    return each.folder == folder && (!folder.empty() || each.inode == status.st_ino);
  });
}

}  // namespace cut

extern "C" {

ssize_t pwrite(int file, const void* bytes, std::size_t size, off_t offset) {
  if (cut::watched) {
    cut::note_bytes(file, offset, size);
    cut::come_to([&] { cut::calls::write(file, bytes, size / 2, offset); });
  }
  return cut::calls::write(file, bytes, size, offset);
}

int ftruncate(int file, off_t bytes) noexcept {
  if (cut::watched) {
    cut::come_to();
    struct stat status {};
    ::fstat(file, &status);
    cut::note_bytes(file, bytes, static_cast<std::size_t>(std::max<off_t>(status.st_size - bytes, 0)));
  }
  return static_cast<int>(cut::calls::truncate(file, bytes));
}

int fsync(int file) {
  if (cut::watched) {
    cut::come_to();
    cut::keep_synced(file);
  }
  return 0;
}

int fdatasync(int file) {
  return fsync(file);
}

int rename(const char* from, const char* to) noexcept {
  if (!cut::watched) return static_cast<int>(cut::calls::rename(from, to));
  cut::come_to();
  const std::function<void()> back = cut::way_back(to);
  const long result = cut::calls::rename(from, to);
  if (result == 0)
    cut::note_name(to, [=, old = std::string(from), fresh = std::string(to)] {
      cut::calls::rename(fresh, old);
      back();
    });
  return static_cast<int>(result);
}

int unlink(const char* path) noexcept {
  if (!cut::watched) return static_cast<int>(cut::calls::unlink(path));
  cut::come_to();
  const std::function<void()> back = cut::way_back(path);
  const long result = cut::calls::unlink(path);
  if (result == 0) cut::note_name(path, back);
  return static_cast<int>(result);
}

int symlink(const char* target, const char* path) noexcept {
  if (cut::watched) cut::come_to();
  const long result = cut::calls::symlink(target, path);
  if (cut::watched && result == 0) cut::note_name(path, [at = std::string(path)] { cut::calls::unlink(at); });
  return static_cast<int>(result);
}

int open(const char* path, int how, ...) {
  va_list list;
  va_start(list, how);
  const mode_t mode = how & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  const bool makes = cut::watched && (how & O_CREAT);
  if (makes) cut::come_to();
  const int file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, how, mode));
  if (makes && file >= 0) cut::note_name(path, [at = std::string(path)] { cut::calls::unlink(at); });
  return file;
}

}  // extern "C"
