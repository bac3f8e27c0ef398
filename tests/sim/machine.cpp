// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>

namespace sim {

namespace {

// Used again by the next machine.
Stacks& all_stacks() {
  static Stacks stacks;
  return stacks;
}

constexpr double forever = 1e300;

bool anybody(const std::vector<Process>& processes) {
  return std::any_of(processes.begin(), processes.end(),
                     [](const Process& process) { return process.alive && !process.ended; });
}

}  // namespace

Machine* Machine::running_ = nullptr;

Machine::Machine(std::uint64_t seed, std::vector<int> host_of_process) : chance_(seed), stacks_(all_stacks()) {
  for (const int host : host_of_process) processes_.push_back({.host = host});
}

Machine::~Machine() = default;

Task& Machine::start(int process, std::function<void()> work, bool main) {
  tasks_.push_back(std::make_unique<Task>(stacks_, process, std::move(work)));
  Task& task = *tasks_.back();
  task.main = main;
  if (main) processes_[static_cast<std::size_t>(process)].main = &task;
  queue(task, now_ + chance_.scaled(1e-6, 1e-4));
  return task;
}

void Machine::queue(Task& task, double time) {
  std::erase_if(queue_, [&task](const QueueEntry& entry) { return entry.task == &task; });
  const auto later = [time](const QueueEntry& entry) { return entry.time > time; };
  queue_.insert(std::find_if_not(queue_.begin(), queue_.end(), later), {time, &task});
}

void Machine::run(double limit) {
  limit_ = limit;
  while (!queue_.empty() && queue_.back().time < limit && anybody(processes_)) {
    const QueueEntry next = queue_.back();
    queue_.pop_back();
    Task& task = *next.task;
    if (task.dead) continue;
    const Process& process = processes_[static_cast<std::size_t>(task.process)];
    if (process.frozen_until > next.time) {
      queue(task, process.frozen_until);
      continue;
    }
    now_ = std::max(now_, next.time);
    switch_to(task);
  }
}

void Machine::switch_to(Task& task) {
  task_ = &task;
  running_ = this;
  task.fiber.resume();
  running_ = nullptr;
  task_ = nullptr;
  if (!task.fiber.ended()) return;
  task.dead = true;
  static_cast<void>(wake({2, reinterpret_cast<std::uintptr_t>(&task)}, 1 << 30));
  if (!task.main) return;
  processes_[static_cast<std::size_t>(task.process)].ended = true;
  kill(task.process);
}

void Machine::pass(double seconds) {
  go_on_at(now_ + seconds * process().pace * chance_.scaled(0.5, 2));
}

void Machine::sleep(double seconds) {
  go_on_at(now_ + seconds + process().pace * chance_.scaled(1e-6, 6e-5));
}

void Machine::go_on_at(double until) {
  Task& task = *task_;
  if ((queue_.empty() || queue_.back().time > until) && process().frozen_until <= until && until < limit_) {
    now_ = until;
    return;
  }
  queue(task, until);
  task.fiber.leave();
}

bool Machine::wait(Key key, double until, std::uint32_t reasons) {
  Task& task = *task_;
  task.waits_for = key;
  task.reasons = reasons;
  task.woken = false;
  waiting_.push_back(&task);
  if (until < forever) queue(task, std::max(until, now_));
  task.fiber.leave();
  if (task.woken) return true;
  std::erase(waiting_, &task);
  return false;
}

int Machine::wake(Key key, int most, std::uint32_t reasons) {
  int woken = 0;
  bool anybody = false;
  for (auto each = waiting_.begin(); each != waiting_.end() && woken < most;) {
    Task& task = **each;
    anybody = anybody || task.waits_for == key;
    if (task.waits_for != key || (!task.dead && (task.reasons & reasons) == 0)) {
      ++each;
      continue;
    }
    each = waiting_.erase(each);
    if (task.dead) continue;
    ++woken;
    task.woken = true;
    queue(task, now_ + chance_.scaled(1e-6, 2e-5));
  }
  if (!anybody) return 0;
  while (!woken_.empty() && !woken_.front().is_just_before(now_)) woken_.pop_front();
  woken_.push_back({now_, key});
  return woken;
}

bool Machine::just_woken(Key key) const {
  return std::any_of(woken_.begin(), woken_.end(),
                     [&](const Woken& woken) { return woken.key == key && woken.is_just_before(now_); });
}

void Machine::kill(int process) {
  processes_[static_cast<std::size_t>(process)].alive = processes_[static_cast<std::size_t>(process)].ended;
  for (const auto& task : tasks_)
    if (task->process == process) task->dead = true;
  if (task_ && task_->process == process) task_->fiber.leave();
}

void Machine::end_process() {
  process().ended = true;
  kill(rank());
}

void Machine::point(const char* call) {
  ++process().points;
  if (at_point) at_point(call);
}

}  // namespace sim
