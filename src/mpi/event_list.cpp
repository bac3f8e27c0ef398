// SPDX-License-Identifier: Apache-2.0
#include "mpi/event_list.hpp"

#include <bit>

namespace weir {

namespace {

std::uint64_t ring_size(std::int64_t capacity) {
  return std::bit_ceil(static_cast<std::uint64_t>(capacity < 64 ? 64 : capacity));
}

}  // namespace

EventList::EventList(const Comm& host, std::int64_t capacity, const Deadline& deadline)
    : capacity_(ring_size(capacity)),
      segments_(host, host.rank() == 0 ? static_cast<std::int64_t>(sizeof(Head) + capacity_ * sizeof(Entry)) : 1,
                deadline) {}

EventList::Entry& EventList::entry(std::uint64_t number) const noexcept {
  auto* entries = reinterpret_cast<Entry*>(segments_.of(0) + sizeof(Head));
  return entries[number & (capacity_ - 1)];
}

void EventList::append(const Event& event) noexcept {
  const std::uint64_t number = head().appended.fetch_add(1, std::memory_order_relaxed);
  Entry& mine = entry(number);
  mine.event = event;
  mine.stamp.store(number + 1, std::memory_order_release);
}

bool EventList::read(Event& event) noexcept {
  const Entry& next = entry(read_);
  if (next.stamp.load(std::memory_order_acquire) != read_ + 1) return false;
  event = next.event;
  ++read_;
  return true;
}

void EventList::clear() noexcept {
  for (std::uint64_t i = 0; i < capacity_; ++i) entry(i).stamp.store(0, std::memory_order_relaxed);
  head().appended.store(0, std::memory_order_release);
}

}  // namespace weir
