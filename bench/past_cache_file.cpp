// SPDX-License-Identifier: Apache-2.0
#include "past_cache_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "base/text.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

std::uint8_t swapped(std::uint8_t value) {
  return value;
}
std::uint16_t swapped(std::uint16_t value) {
  return __builtin_bswap16(value);
}
std::uint32_t swapped(std::uint32_t value) {
  return __builtin_bswap32(value);
}
std::uint64_t swapped(std::uint64_t value) {
  return __builtin_bswap64(value);
}

template <typename Word>
void copy_swapped(std::byte* target, const std::byte* source, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += static_cast<std::int64_t>(sizeof(Word))) {
    Word word;
    std::memcpy(&word, source + at, sizeof word);
    word = swapped(word);
    std::memcpy(target + at, &word, sizeof word);
  }
}

void copy_big_endian(std::byte* target, const std::byte* source, std::int64_t bytes, std::int64_t element_bytes) {
  switch (element_bytes) {
    case 2:
      return copy_swapped<std::uint16_t>(target, source, bytes);
    case 4:
      return copy_swapped<std::uint32_t>(target, source, bytes);
    case 8:
      return copy_swapped<std::uint64_t>(target, source, bytes);
    default:
      return copy_swapped<std::uint8_t>(target, source, bytes);
  }
}

// Where files lie in the page cache alone, new systems take O_DIRECT and copy nevertheless.
bool in_memory(int file) {
  struct statfs status {};
  check_system(::fstatfs(file, &status), "asking for a file system");
  return status.f_type == TMPFS_MAGIC;
}

}  // namespace

PastCacheFile::PastCacheFile(std::int64_t slots) {
  const auto bytes = static_cast<std::size_t>(slots * slot_bytes);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw BenchError(formatted("no memory for {} bytes of output", bytes));
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  memory_ = static_cast<std::byte*>(memory);
  for (std::int64_t i = 0; i < slots; ++i) slots_.push_back({memory_ + i * slot_bytes});
  thread_ = std::thread([this] { work(); });
}

PastCacheFile::~PastCacheFile() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (file_ >= 0) ::close(file_);
  ::munmap(memory_, slots_.size() * slot_bytes);
}

void PastCacheFile::open(const std::string& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  file_ = ::open(path.c_str(), flags | O_DIRECT, 0644);
  through_cache_ = file_ < 0 ? errno == EINVAL : in_memory(file_);
  if (file_ < 0 && through_cache_) file_ = ::open(path.c_str(), flags, 0644);
  check_system(file_, formatted("creating {}", path));
  offset_ = 0;
}

void PastCacheFile::append(const std::byte* values, std::int64_t bytes, std::int64_t element_bytes) {
  filled_ = (filled_ + append_bytes - 1) / append_bytes * append_bytes;
  while (bytes > 0) {
    if (filled_ == slot_bytes) hand_over();
    if (filled_ == 0) wait_for_slot();
    const std::int64_t fits = std::min(bytes, slot_bytes - filled_);
    copy_big_endian(slot(filling_).memory + filled_, values, fits, element_bytes);
    filled_ += fits;
    values += fits;
    bytes -= fits;
  }
  raise_failure();
}

void PastCacheFile::wait_for_slot() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return filling_ - written_ < std::ssize(slots_); });
}

void PastCacheFile::hand_over() {
  if (filled_ == 0) return;
  Slot& full = slot(filling_++);
  full.bytes = (filled_ + block_bytes - 1) / block_bytes * block_bytes;
  std::memset(full.memory + filled_, 0, static_cast<std::size_t>(full.bytes - filled_));
  filled_ = 0;
  {
    const std::lock_guard lock(mutex_);
    handed_over_ = filling_;
  }
  changed_.notify_all();
}

void PastCacheFile::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return written_ == handed_over_; });
}

void PastCacheFile::close() {
  hand_over();
  drain();
  raise_failure();
  check_system(::fdatasync(file_), "fdatasync of an own file");
  check_system(::close(std::exchange(file_, -1)), "closing an own file");
}

void PastCacheFile::raise_failure() {
  const std::lock_guard lock(mutex_);
  if (!failure_.empty()) throw BenchError(failure_);
}

void PastCacheFile::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return written_ < handed_over_ || stopping_; });
    if (stopping_) return;
    Slot& next = slot(written_);
    lock.unlock();
    std::string failure;
    try {
      write(next);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    if (failure_.empty()) failure_ = failure;
    ++written_;
    changed_.notify_all();
  }
}

// The system may take less than is offered; a file system may refuse a block size only now.
void PastCacheFile::write(const Slot& slot) {
  for (std::int64_t done = 0; done < slot.bytes;) {
    const ssize_t written =
        ::pwrite(file_, slot.memory + done, static_cast<std::size_t>(slot.bytes - done), offset_ + done);
    if (written < 0 && errno == EINVAL && !through_cache_) {
      through_cache_ = true;
      check_system(::fcntl(file_, F_SETFL, 0), "writing an own file through the cache");
      continue;
    }
    check_system(written, "writing an own file");
    done += written;
  }
  offset_ += slot.bytes;
}

}  // namespace weir::bench
