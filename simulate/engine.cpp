// SPDX-License-Identifier: Apache-2.0
#include "simulate/engine.hpp"

namespace weir::simulate {

namespace {

constexpr std::size_t children = 4;
constexpr std::size_t events_ahead = 3;  // so far it is known what will happen

// What will happen soon has mostly left the processor's caches.
void fetch(const Action* action) noexcept {
  __builtin_prefetch(action);
}

}  // namespace

void EventHeap::add(const Event& event) {
  if (std::exchange(first_is_done_, false)) return sink_first(event);
  events_.push_back(event);
  rise(events_.size() - 1);
}

void EventHeap::begin_first() noexcept {
  first_is_done_ = true;
  for (std::size_t next = 1; next <= children && next < events_.size(); ++next) fetch(events_[next].action);
}

void EventHeap::end_first() noexcept {
  if (!std::exchange(first_is_done_, false)) return;
  const Event last = events_.back();
  events_.pop_back();
  if (!events_.empty()) sink_first(last);
}

void EventHeap::rise(std::size_t at) noexcept {
  const Event event = events_[at];
  while (at > 0) {
    const std::size_t parent = (at - 1) / children;
    if (!event.before(events_[parent])) break;
    events_[at] = events_[parent];
    at = parent;
  }
  events_[at] = event;
}

// In the place of the first one.
void EventHeap::sink_first(const Event& event) noexcept {
  std::size_t at = 0;
  for (;;) {
    const std::size_t begin = at * children + 1;
    if (begin >= events_.size()) break;
    std::size_t least = begin;
    for (std::size_t child = begin + 1; child < begin + children && child < events_.size(); ++child)
      if (events_[child].before(events_[least])) least = child;
    if (!events_[least].before(event)) break;
    events_[at] = events_[least];
    at = least;
  }
  events_[at] = event;
}

// There is one.
EventHeap& Engine::earliest() noexcept {
  if (few_.empty() || many_.empty()) return few_.empty() ? many_ : few_;
  return few_.first().before(many_.first()) ? few_ : many_;
}

// More may be asked for meanwhile.
void Engine::do_soon() {
  for (std::size_t i = 0; i < soon_.size() && !error_; ++i, ++events_) {
    if (i + events_ahead < soon_.size()) fetch(soon_[i + events_ahead]);
    soon_[i]->happen();
  }
  soon_.clear();
}

void Engine::run() {
  do_soon();
  while (!error_ && (!few_.empty() || !many_.empty())) {
    ++events_;
    EventHeap& heap = earliest();
    now_ = heap.first().time;
    Action* const action = heap.first().action;
    heap.begin_first();
    action->happen();
    heap.end_first();
    do_soon();
  }
  if (error_) std::rethrow_exception(error_);
}

}  // namespace weir::simulate
