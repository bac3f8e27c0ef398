// SPDX-License-Identifier: Apache-2.0
#include "base/task.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/pages.hpp"

namespace weir {

namespace {

// Of one thread, as coroutines are. A list of free frames for each size; larger ones are not kept.
class FramePool {
 public:
  void* take(std::size_t bytes) {
    const std::size_t kind = kind_of(bytes);
    if (kind >= free_.size()) return ::operator new(bytes);
    ++taken_;
    if (!free_[kind]) add_block(kind);
    Free* frame = free_[kind];
    free_[kind] = frame->next;
    return frame;
  }
  // A run in its stride keeps what it has; what a large simulation took goes when none of it is used.
  void give(void* frame, std::size_t bytes) noexcept {
    const std::size_t kind = kind_of(bytes);
    if (kind >= free_.size()) return ::operator delete(frame);
    free_[kind] = new (frame) Free{free_[kind]};
    if (--taken_ > 0 || kept_bytes_ <= most_kept_bytes) return;
    free_ = {};
    frames_ = {};
    kept_bytes_ = 0;
    blocks_.clear();
    large_.clear();
  }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t grain = 64, most_kinds = 32, first_frames = 4, most_frames = 256;
  static constexpr std::size_t most_kept_bytes = std::size_t{1} << 20, large_bytes = std::size_t{8} << 20;

  static std::size_t kind_of(std::size_t bytes) noexcept { return (bytes - 1) / grain; }
  // Twice as many of this size as the last time.
  void add_block(std::size_t kind) {
    const std::size_t size = (kind + 1) * grain;
    frames_[kind] = std::clamp(2 * frames_[kind], first_frames, most_frames);
    std::byte* const block = take_block(size * frames_[kind]);
    for (std::size_t i = frames_[kind]; i-- > 0;) free_[kind] = new (block + i * size) Free{free_[kind]};
  }
  // Of its own, or, in a large simulation, of memory in large pages.
  std::byte* take_block(std::size_t bytes) {
    kept_bytes_ += bytes;
    if (kept_bytes_ <= most_kept_bytes) {
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
      return blocks_.back().get();
    }
    if (large_.empty() || large_used_ + bytes > large_bytes) {
      large_.push_back(allocate_large(large_bytes));
      large_used_ = 0;
    }
    return large_.back().get() + std::exchange(large_used_, large_used_ + bytes);
  }

  std::array<Free*, most_kinds> free_{};
  std::array<std::size_t, most_kinds> frames_{};
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<LargeMemory> large_;
  std::size_t large_used_ = 0;  // of the last
  std::size_t taken_ = 0, kept_bytes_ = 0;
};

thread_local FramePool frames;

}  // namespace

void* take_frame(std::size_t bytes) {
  return frames.take(bytes);
}

void give_frame(void* frame, std::size_t bytes) noexcept {
  frames.give(frame, bytes);
}

}  // namespace weir
