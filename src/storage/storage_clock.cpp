// SPDX-License-Identifier: Apache-2.0
#include "storage/storage_clock.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace weir {

namespace {

using Nanoseconds = std::chrono::nanoseconds;

static_assert(std::atomic_ref<std::int64_t>::is_always_lock_free, "the clock is shared by processes");

StorageClock::Time time_of(std::int64_t nanoseconds) {
  return StorageClock::Time(std::chrono::duration_cast<StorageClock::Time::duration>(Nanoseconds(nanoseconds)));
}

}  // namespace

StorageClock::StorageClock(const Comm& comm, const StorageSpeed& speed, const Deadline& deadline) {
  const Comm host = Comm::of_host(comm, deadline);
  memory_ = SharedSegments(host, sizeof(std::int64_t), deadline);
  free_at_ = reinterpret_cast<std::int64_t*>(memory_.of(0));
  memory_.synchronize();
  std::int64_t hosts = host.rank() == 0 ? 1 : 0;
  allreduce_sum(comm, std::span(&hosts, 1), deadline, "sharing of sink_bandwidth");
  hosts_ = static_cast<int>(hosts);
  nanoseconds_per_byte_ = 1e9 * static_cast<double>(hosts) / static_cast<double>(speed.bytes_per_second);
  if (speed.writer_bytes_per_second > 0)
    writer_nanoseconds_per_byte_ = 1e9 / static_cast<double>(speed.writer_bytes_per_second);
}

StorageClock::Time StorageClock::take(std::int64_t bytes) const noexcept {
  return take(bytes, {bytes, 1});
}

StorageClock::Time StorageClock::take(std::int64_t bytes, const SharedWrite& write) const noexcept {
  const std::int64_t now = std::chrono::duration_cast<Nanoseconds>(Time::clock::now().time_since_epoch()).count();
  const auto needed = static_cast<std::int64_t>(std::ceil(static_cast<double>(bytes) * nanoseconds_per_byte_));
  const std::atomic_ref<std::int64_t> free_at(*free_at_);
  std::int64_t seen = free_at.load(), end = 0;
  do {
    end = std::max(seen, now) + needed;
  } while (!free_at.compare_exchange_weak(seen, end));
  const double alone = static_cast<double>(write.bytes) * writer_nanoseconds_per_byte_ / write.writers;
  return time_of(std::max(end, now + static_cast<std::int64_t>(std::ceil(alone))));
}

StorageClock::Time StorageClock::end_of(Time taken) const noexcept {
  return std::max(taken, time_of(std::atomic_ref<std::int64_t>(*free_at_).load()));
}

void StorageClock::wait(Time time) {
  std::this_thread::sleep_until(time);
}

}  // namespace weir
