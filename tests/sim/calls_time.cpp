// SPDX-License-Identifier: Apache-2.0
// The clock of the simulated machine, and sleeping by it.
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "machine.hpp"
#include "real.hpp"

namespace {

constexpr double yield_seconds = 1e-6;
constexpr long nanoseconds = 1'000'000'000;
constexpr double started = 1'700'000'000;  // by the calendar

timespec to_timespec(double seconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * static_cast<double>(nanoseconds));
  return time;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto call = sim::real<int(clockid_t, timespec*)>("clock_gettime");
  const sim::Machine* machine = sim::Machine::running();
  if (!machine) return call(clock, time);
  *time = to_timespec(machine->now() + (clock == CLOCK_REALTIME ? started : 1000));
  return 0;
}

int nanosleep(const timespec* wanted, timespec* left) {
  static const auto call = sim::real<int(const timespec*, timespec*)>("nanosleep");
  sim::Machine* machine = sim::Machine::running();
  if (!machine) return call(wanted, left);
  machine->sleep(static_cast<double>(wanted->tv_sec) +
                 static_cast<double>(wanted->tv_nsec) / static_cast<double>(nanoseconds));
  return 0;
}

int usleep(useconds_t microseconds) {
  const timespec wanted{static_cast<time_t>(microseconds / 1'000'000),
                        static_cast<long>(microseconds % 1'000'000) * 1000};
  return nanosleep(&wanted, nullptr);
}

int sched_yield() noexcept {
  static const auto call = sim::real<int()>("sched_yield");
  sim::Machine* machine = sim::Machine::running();
  if (!machine) return call();
  machine->pass(yield_seconds);
  return 0;
}

void _Exit(int code) noexcept {
  static const auto call = sim::real<void(int)>("_Exit");
  if (sim::Machine* machine = sim::Machine::running()) machine->end_process();
  call(code);
  __builtin_unreachable();
}
}
