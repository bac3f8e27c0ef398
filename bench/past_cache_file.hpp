// SPDX-License-Identifier: Apache-2.0
// A file of this rank's own, written in order by a thread, past the system's page cache where the file system lets it
// (O_DIRECT): what is appended is copied once, big-endian, into aligned memory, and the thread writes that. The memory
// is a ring of slots, made and touched at construction; where all of them wait to be written, append() waits. Errors of
// the thread are thrown by the next call, as BenchError. Local; the thread calls no MPI.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weir::bench {

class PastCacheFile {
 public:
  // What a slot holds, and to which multiples places in the file are rounded up: of what one append() brings, and of
  // what is handed over together.
  static constexpr std::int64_t slot_bytes = 4 << 20, append_bytes = 8, block_bytes = 4096;

  explicit PastCacheFile(std::int64_t slots);
  ~PastCacheFile();
  PastCacheFile(const PastCacheFile&) = delete;
  PastCacheFile& operator=(const PastCacheFile&) = delete;

  void open(const std::string& path);
  // `bytes` of elements of `element_bytes` (1, 2, 4, 8).
  void append(const std::byte* values, std::int64_t bytes, std::int64_t element_bytes);
  // What was appended is to be written now, with zeros up to a whole block.
  void hand_over();
  // All of it is in the file, and the file on stable storage.
  void close();
  // The file system is not written past its cache: the last file went through it.
  [[nodiscard]] bool through_cache() const { return through_cache_; }

 private:
  struct Slot {
    std::byte* memory;
    std::int64_t bytes = 0;
  };

  Slot& slot(std::int64_t number) { return slots_[static_cast<std::size_t>(number) % slots_.size()]; }
  void wait_for_slot();
  void work();
  void write(const Slot& slot);
  void raise_failure();
  void drain();

  std::byte* memory_;
  std::vector<Slot> slots_;
  int file_ = -1;
  std::int64_t offset_ = 0;       // of the next slot in the file; the thread's
  std::int64_t filling_ = 0;      // the slot that append() fills
  std::int64_t filled_ = 0;       // bytes of it; 0: it may not be free yet
  std::int64_t written_ = 0;      // slots below it are free again
  std::int64_t handed_over_ = 0;  // slots below it are the thread's
  bool through_cache_ = false, stopping_ = false;
  std::string failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace weir::bench
