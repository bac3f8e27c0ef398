// SPDX-License-Identifier: Apache-2.0
// Threads, locks and conditions of the simulated machine. One thread of the system runs them all, so a lock is the
// system's own, taken without waiting; who does not get it looks again.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "machine.hpp"
#include "mapped.hpp"
#include "real.hpp"

namespace {

using sim::Key;
using sim::Machine;

constexpr double notify = 2e-6, forever = 1e300;
enum Kinds : std::uint64_t { condition = 1, thread = 2 };

Key key_of(const void* address, std::uint64_t kind) {
  return {kind, reinterpret_cast<std::uintptr_t>(address)};
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A point in time of a clock of the simulated machine, on its own.
double moment(clockid_t clock, const timespec& time) {
  timespec now{};
  clock_gettime(clock, &now);
  return Machine::running()->now() + seconds(time) - seconds(now);
}

// The system's own would take all threads here for one.
bool is_recursive(const pthread_mutex_t* mutex) {
  return mutex->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP;
}

int await(Machine& machine, pthread_cond_t* waited, pthread_mutex_t* mutex, double until) {
  pthread_mutex_unlock(mutex);
  const bool woken = machine.wait(key_of(waited, condition), until);
  pthread_mutex_lock(mutex);
  return woken ? 0 : ETIMEDOUT;
}

// Whether a word of the shared status (src/mpi/host_status.cpp) that was `before` and is `now` has reached the cycle
// that is waited for, of which the reason has the last five bits.
bool reached(std::uint32_t before, std::uint32_t now, std::uint32_t reason) {
  const auto last = static_cast<std::uint32_t>(std::countr_zero(reason));
  const std::uint32_t cycle = before + 1 + (last - before - 1) % 32;
  return static_cast<std::int32_t>(now - cycle) >= 0;
}

long futex(Machine& machine, int operation, std::uint32_t* word, std::uint32_t value, const timespec* time,
           std::uint32_t reasons) {
  const int what = operation & FUTEX_CMD_MASK;
  if (what != FUTEX_WAIT_BITSET && what != FUTEX_WAKE_BITSET) reasons = ~0u;
  if (what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET)
    return machine.wake(sim::word_at(word), static_cast<int>(value), reasons);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) return errno = EAGAIN, -1;
  double until = forever;
  if (time && what == FUTEX_WAIT) until = machine.now() + seconds(*time);
  if (time && what == FUTEX_WAIT_BITSET)
    until = moment(operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, *time);
  if (machine.wait(sim::word_at(word), until, reasons)) return 0;
  const std::uint32_t now = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  const bool came = std::has_single_bit(reasons) ? reached(value, now, reasons) : now != value;
  if (came && !machine.just_woken(sim::word_at(word))) machine.story().overslept();
  return errno = ETIMEDOUT, -1;
}

}  // namespace

extern "C" {

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static const auto call = sim::real<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  Machine* machine = Machine::running();
  if (!machine || !is_recursive(mutex)) return call(mutex);
  Machine::Owner& owner = machine->owner(mutex);
  if (owner.depth > 0 && owner.task != &machine->task()) return EBUSY;
  owner.task = &machine->task();
  ++owner.depth;
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static const auto call = sim::real<int(pthread_mutex_t*)>("pthread_mutex_lock");
  Machine* machine = Machine::running();
  if (!machine) return call(mutex);
  for (;;) {
    const int result = pthread_mutex_trylock(mutex);
    if (result != EBUSY) return result;
    machine->pass(notify);
  }
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto call = sim::real<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  Machine* machine = Machine::running();
  if (!machine || !is_recursive(mutex)) return call(mutex);
  --machine->owner(mutex).depth;
  return 0;
}

int pthread_cond_wait(pthread_cond_t* waited, pthread_mutex_t* mutex) {
  static const auto call = sim::real<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait", "GLIBC_2.3.2");
  Machine* machine = Machine::running();
  return machine ? await(*machine, waited, mutex, forever) : call(waited, mutex);
}

int pthread_cond_timedwait(pthread_cond_t* waited, pthread_mutex_t* mutex, const timespec* end) {
  static const auto call =
      sim::real<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait", "GLIBC_2.3.2");
  Machine* machine = Machine::running();
  return machine ? await(*machine, waited, mutex, moment(CLOCK_REALTIME, *end)) : call(waited, mutex, end);
}

int pthread_cond_clockwait(pthread_cond_t* waited, pthread_mutex_t* mutex, clockid_t clock, const timespec* end) {
  static const auto call =
      sim::real<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  Machine* machine = Machine::running();
  return machine ? await(*machine, waited, mutex, moment(clock, *end)) : call(waited, mutex, clock, end);
}

int pthread_cond_signal(pthread_cond_t* waited) noexcept {
  static const auto call = sim::real<int(pthread_cond_t*)>("pthread_cond_signal", "GLIBC_2.3.2");
  Machine* machine = Machine::running();
  if (!machine) return call(waited);
  machine->wake(key_of(waited, condition), 1);
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t* waited) noexcept {
  static const auto call = sim::real<int(pthread_cond_t*)>("pthread_cond_broadcast", "GLIBC_2.3.2");
  Machine* machine = Machine::running();
  if (!machine) return call(waited);
  machine->wake(key_of(waited, condition), std::numeric_limits<int>::max());
  return 0;
}

int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*work)(void*), void* argument) noexcept {
  static const auto call = sim::real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  Machine* machine = Machine::running();
  if (!machine) return call(made, how, work, argument);
  sim::Task& task = machine->start(machine->rank(), [work, argument] { work(argument); });
  *made = reinterpret_cast<pthread_t>(&task);
  return 0;
}

int pthread_join(pthread_t other, void** result) {
  static const auto call = sim::real<int(pthread_t, void**)>("pthread_join");
  Machine* machine = Machine::running();
  if (!machine) return call(other, result);
  const auto* task = reinterpret_cast<const sim::Task*>(other);
  while (!task->fiber.ended()) machine->wait(key_of(task, thread), forever);
  return 0;
}

int pthread_detach(pthread_t other) noexcept {
  static const auto call = sim::real<int(pthread_t)>("pthread_detach");
  return Machine::running() ? 0 : call(other);
}

// Of all calls of the system by number the library makes this one only.
long syscall(long number, ...) noexcept {
  static const auto call = sim::real<long(long, long, long, long, long, long, long)>("syscall");
  va_list list;
  va_start(list, number);
  long words[6];
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  Machine* machine = Machine::running();
  if (!machine || number != SYS_futex) return call(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  return futex(*machine, static_cast<int>(words[1]), reinterpret_cast<std::uint32_t*>(words[0]),
               static_cast<std::uint32_t>(words[2]), reinterpret_cast<const timespec*>(words[3]),
               static_cast<std::uint32_t>(words[5]));
}
}
