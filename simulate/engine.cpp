// SPDX-License-Identifier: Apache-2.0
#include "simulate/engine.hpp"

#include <algorithm>

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
  events_.push_back(event);
  rise(events_.size() - 1);
}

Event EventHeap::take_first() noexcept {
  const Event first = events_.front(), last = events_.back();
  events_.pop_back();
  if (!events_.empty()) sink_first(last);
  return first;
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
  for (std::size_t begin; (begin = at * children + 1) < events_.size();) {
    const std::size_t least = begin + children <= events_.size() ? first_of_four(begin) : first_from(begin);
    if (!events_[least].before(event)) break;
    events_[at] = events_[least];
    at = least;
  }
  events_[at] = event;
}

std::size_t EventHeap::first_of_four(std::size_t begin) const noexcept {
  const Event* const four = events_.data() + begin;
  const std::size_t one = four[1].before(four[0]), other = 2 + four[3].before(four[2]);
  return begin + one + (other - one) * four[other].before(four[one]);
}

std::size_t EventHeap::first_from(std::size_t begin) const noexcept {
  std::size_t least = begin;
  for (std::size_t child = begin + 1; child < events_.size(); ++child)
    if (events_[child].before(events_[least])) least = child;
  return least;
}

// Mostly it comes after all that is near.
void EventQueue::add(const Event& event) {
  if (next_ == end_ || !event.before(near_[end_ - 1])) return later_.add(event);
  if (end_ == room) later_.add(near_[--end_]);
  std::size_t at = end_++;
  for (; at > next_ && event.before(near_[at - 1]); --at) near_[at] = near_[at - 1];
  near_[at] = event;
}

void EventQueue::look_ahead() {
  if (end_ - next_ >= fewest || later_.empty()) return;
  std::copy(near_.begin() + static_cast<std::ptrdiff_t>(next_), near_.begin() + static_cast<std::ptrdiff_t>(end_),
            near_.begin());
  end_ -= std::exchange(next_, 0);
  while (end_ < most && !later_.empty()) {
    near_[end_] = later_.take_first();
    simulate::fetch(near_[end_++].action);
  }
}

Event EventQueue::take_first() noexcept {
  fetch();
  return near_[next_++];
}

void EventQueue::fetch() const noexcept {
  constexpr std::size_t ahead[Action::fetch_steps] = {7, 5, 3, 1};
  for (int step = 0; step < Action::fetch_steps; ++step)
    if (next_ + ahead[step] < end_) near_[next_ + ahead[step]].action->fetch(step);
}

// More may be asked for meanwhile.
void Engine::do_soon() {
  for (std::size_t i = 0; i < soon_.size() && !fibers_.error(); ++i, ++events_) {
    if (i + events_ahead < soon_.size()) simulate::fetch(soon_[i + events_ahead]);
    for (std::size_t step = 0; step + 1 < events_ahead; ++step)
      if (const std::size_t at = i + events_ahead - 1 - step; at < soon_.size())
        soon_[at]->fetch(static_cast<int>(step));
    soon_[i]->happen();
  }
  soon_.clear();
}

// There is one.
EventQueue& Engine::earliest() noexcept {
  few_.look_ahead();
  many_.look_ahead();
  if (few_.empty() || many_.empty()) return few_.empty() ? many_ : few_;
  return few_.first().before(many_.first()) ? few_ : many_;
}

void Engine::run() {
  do_soon();
  while (!fibers_.error() && (!few_.empty() || !many_.empty())) {
    ++events_;
    const Event next = earliest().take_first();
    now_ = next.time;
    next.action->happen();
    do_soon();
  }
  if (fibers_.error()) std::rethrow_exception(fibers_.error());
}

}  // namespace weir::simulate
