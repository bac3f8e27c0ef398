// SPDX-License-Identifier: Apache-2.0
#include "simulate/engine.hpp"

#include <array>
#include <memory>
#include <new>

namespace weir::simulate {

namespace {

constexpr std::size_t children = 4;

// Of one thread, as coroutines of a simulation are. A list of free frames for each size; larger ones are not kept.
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
  void give(void* frame, std::size_t bytes) noexcept {
    const std::size_t kind = kind_of(bytes);
    if (kind >= free_.size()) return ::operator delete(frame);
    free_[kind] = new (frame) Free{free_[kind]};
    if (--taken_ > 0) return;
    free_ = {};
    blocks_.clear();
  }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t grain = 64, most_kinds = 32, block_frames = 256;

  static std::size_t kind_of(std::size_t bytes) noexcept { return (bytes - 1) / grain; }
  void add_block(std::size_t kind) {
    const std::size_t size = (kind + 1) * grain;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size * block_frames));
    for (std::size_t i = block_frames; i-- > 0;) free_[kind] = new (blocks_.back().get() + i * size) Free{free_[kind]};
  }

  std::array<Free*, most_kinds> free_{};
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::size_t taken_ = 0;
};

thread_local FramePool frames;

}  // namespace

void* take_frame(std::size_t bytes) {
  return frames.take(bytes);
}

void give_frame(void* frame, std::size_t bytes) noexcept {
  frames.give(frame, bytes);
}

void Engine::at(double time, Action& action) {
  heap_.push_back({time < now_ ? now_ : time, next_++, &action});
  rise(heap_.size() - 1);
}

void Engine::rise(std::size_t at) noexcept {
  const Event event = heap_[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / children;
    if (!event.before(heap_[parent])) break;
    heap_[at] = heap_[parent];
    at = parent;
  }
  heap_[at] = event;
}

Engine::Event Engine::take_first() noexcept {
  const Event first = heap_.front(), last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return first;
  std::size_t at = 0;
  for (;;) {
    const std::size_t begin = at * children + 1;
    if (begin >= heap_.size()) break;
    std::size_t least = begin;
    for (std::size_t child = begin + 1; child < begin + children && child < heap_.size(); ++child)
      if (heap_[child].before(heap_[least])) least = child;
    if (!heap_[least].before(last)) break;
    heap_[at] = heap_[least];
    at = least;
  }
  heap_[at] = last;
  return first;
}

void Engine::run() {
  while (!error_ && (!soon_.empty() || !heap_.empty())) {
    ++events_;
    if (!soon_.empty()) {
      Action* action = soon_.front();
      soon_.pop_front();
      action->happen();
      continue;
    }
    const Event event = take_first();
    now_ = event.time;
    event.action->happen();
  }
  if (error_) std::rethrow_exception(error_);
}

}  // namespace weir::simulate
