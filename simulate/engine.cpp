// SPDX-License-Identifier: Apache-2.0
#include "simulate/engine.hpp"

namespace weir::simulate {

namespace {

constexpr std::size_t children = 4;

}  // namespace

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
