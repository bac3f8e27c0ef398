// SPDX-License-Identifier: Apache-2.0
// What Weir asks of the system while it waits, in simulated time: the clock, the sleep and the yield of base/clock.hpp,
// and the sleeping words of mpi/futex.hpp, in whose file's place this one is linked. The module binds its own symbols
// first, so no source of Weir knows. All ranks are actors of one process and take turns; nothing here is ever entered
// by two.
#include <sched.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/semaphore.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <ctime>
#include <map>
#include <vector>

#include "mpi/futex.hpp"

namespace {

// A look at what is awaited (MPI_Test and the yield): without any, simulated time would stand still while ranks look.
constexpr double look_seconds = 2e-7;

// Not an actor that is suspended: SimGrid would suspend the messages on their way to it as well, and leave them so.
struct Sleeper {
  sg_sem_t bed;
  std::uint32_t reasons;
};

std::map<const void*, std::vector<Sleeper>>& sleepers() {
  static std::map<const void*, std::vector<Sleeper>> all;
  return all;
}

void wake(const void* word, int most, std::uint32_t reasons) {
  const auto found = sleepers().find(word);
  if (found == sleepers().end()) return;
  std::vector<Sleeper> woken, left;
  for (const Sleeper& sleeper : found->second) {
    const bool wanted = (sleeper.reasons & reasons) != 0 && static_cast<int>(woken.size()) < most;
    (wanted ? woken : left).push_back(sleeper);
  }
  if (left.empty())
    sleepers().erase(found);
  else
    found->second = std::move(left);
  for (const Sleeper& sleeper : woken) sg_sem_release(sleeper.bed);
}

}  // namespace

extern "C" int sched_yield() noexcept {
  sg_actor_sleep_for(look_seconds);
  return 0;
}

extern "C" int nanosleep(const timespec* time, timespec*) {
  sg_actor_sleep_for(static_cast<double>(time->tv_sec) + 1e-9 * static_cast<double>(time->tv_nsec));
  return 0;
}

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  return time_point(duration_cast<duration>(std::chrono::duration<double>(simgrid_get_clock())));
}

namespace weir {

// Until somebody wakes it: that deadlines are looked at is left out, since a job that hangs is told of by SimGrid.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value, std::uint32_t reasons, int) noexcept {
  if (word.load(std::memory_order_acquire) != value) return;
  sg_sem_t bed = sg_sem_init(0);
  sleepers()[&word].push_back({bed, reasons});
  sg_sem_acquire(bed);
  sg_sem_destroy(bed);
}

void wake_all(std::atomic<std::uint32_t>& word, std::uint32_t reasons) noexcept {
  wake(&word, INT_MAX, reasons);
}

void wake_one(std::atomic<std::uint32_t>& word, std::uint32_t reasons) noexcept {
  wake(&word, 1, reasons);
}

}  // namespace weir
